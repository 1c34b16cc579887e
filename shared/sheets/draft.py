"""The claim that a sheet makes, as it is read: its parts, their places, and what is wrong."""

from typing import Any

from shared.errors import MISTAKES_MAX, MORE_MISTAKES, MORE_WORDS, Mistake
from shared.sheets.cells import Place, SheetMistake


class Draft:
    """A claim as far as it is read; `noted` are the parts that are missing because of a mistake."""

    def __init__(self, sheet: str | None) -> None:
        self._sheet = sheet
        self.claim: dict[str, Any] = {}
        self.places = {"": Place(sheet)}
        self.noted: set[str] = set()
        self.mistakes: list[SheetMistake] = []
        self.warnings: list[Mistake] = []

    def put(self, pointer: str, row: int, column: str | None = None) -> None:
        """Remember where a part of the claim comes from."""
        self.places[pointer] = Place(self._sheet, row, column)

    def note(
        self, code: str, message: str, row: int | None, column: str | None, *pointers: str
    ) -> None:
        """Note a mistake, and which parts of the claim are missing or wrong because of it."""
        self.noted.update(pointers)
        place = Place(self._sheet, row, column)
        if len(self.mistakes) < MISTAKES_MAX:
            self.mistakes.append(SheetMistake(place, code, message))
        elif len(self.mistakes) == MISTAKES_MAX:
            self.mistakes.append(SheetMistake(place, MORE_MISTAKES, MORE_WORDS))

    def warn(self, code: str, message: str, pointer: str) -> None:
        """Warn of something odd in a part of the claim that may still be right."""
        self.warnings.append(Mistake(pointer, code, message))
