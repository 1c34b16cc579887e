"""Reads the score sheet of one session into a claim, with the place of everything in it.

Every mistake in the sheet is found at once. Ingest checks the claim by the rules of the game;
`ScoreSheet.located` brings those mistakes back to rows and columns.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from shared.errors import Mistake
from shared.sheets.cells import Place, Sheet, SheetMistake, refused
from shared.sheets.rows.session import read_session
from shared.sheets.rows.unseen import begins_a_round

_INSTRUCTIONS: Final = frozenset({"instructions", "how to", "how to use", "help", "read me"})


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """A score sheet as it was read.

    `claim` is the claim of a submission as far as it could be read: with `mistakes` it has gaps.
    `places` maps JSON pointers into the claim to their places in the sheet; `noted` are the
    pointers to what is missing or wrong because of a mistake in `mistakes`. `warnings` are about
    parts of the claim, and do no harm.
    """

    claim: Mapping[str, Any]
    places: Mapping[str, Place]
    mistakes: Sequence[SheetMistake]
    noted: frozenset[str]
    warnings: Sequence[Mistake] = ()

    def place_of(self, pointer: str) -> Place:
        """Return where a part of the claim is, or the nearest part that contains it."""
        while pointer not in self.places:
            pointer = pointer.rpartition("/")[0]
        return self.places[pointer]

    def located(self, mistakes: Iterable[Mistake] = ()) -> Sequence[SheetMistake]:
        """Return all mistakes in the order of the sheet, these mistakes in its claim among them.

        A mistake in what could not be read from the sheet is left out: it is already reported.
        """
        found = dict.fromkeys(self.mistakes)
        for mistake in mistakes:
            if mistake.pointer not in self.noted:
                place = self.place_of(mistake.pointer)
                found.setdefault(SheetMistake(place, mistake.code, mistake.message))
        return sorted(found, key=lambda each: _order(each.place))


def read_score_sheet(sheets: Sequence[Sheet], *, sheet_name: str | None = None) -> ScoreSheet:
    """Return the session of a workbook: of its only sheet with contents, or of the one named.

    Hidden sheets and those with instructions count only when named. Raises SheetRefused if there
    is no such sheet, or more than one, or rounds stand on a hidden one and none is named.
    """
    draft = read_session(chosen_sheet(sheets, sheet_name))
    return ScoreSheet(
        draft.claim,
        draft.places,
        tuple(draft.mistakes),
        frozenset(draft.noted),
        tuple(draft.warnings),
    )


def chosen_sheet(sheets: Sequence[Sheet], sheet_name: str | None) -> Sheet:
    """Return the sheet that counts. Raises SheetRefused as `read_score_sheet` does."""
    if sheet_name is not None:
        return _named(sheets, sheet_name)
    filled = [
        sheet
        for sheet in sheets
        if not sheet.is_blank and not sheet.is_hidden and _folded(sheet.name) not in _INSTRUCTIONS
    ]
    hidden = [sheet for sheet in sheets if sheet.is_hidden and begins_a_round(sheet)]
    if hidden:
        raise refused(
            "hidden_sheet",
            f"There are rounds on a hidden sheet: {_listed(hidden)}. Unhide it or delete it, or "
            "say which sheet should count.",
        )
    if not filled:
        raise refused("empty_sheet", "All sheets are empty. Fill in the template, and send that.")
    if len(filled) > 1:
        raise refused(
            "several_sheets",
            f"More than one sheet has contents: {_listed(filled)}. A file is one session: say "
            "which sheet it is, or send each as a separate file.",
        )
    return filled[0]


def _named(sheets: Sequence[Sheet], sheet_name: str) -> Sheet:
    for sheet in sheets:
        if sheet.name is not None and _folded(sheet.name) == _folded(sheet_name):
            return sheet
    has = (
        f"It has {_listed(sheets)}."
        if sheets[0].name
        else ("A CSV file has just one, without a name.")
    )
    raise refused("unknown_sheet", f'The file has no sheet "{sheet_name[:40]}". {has}')


def _listed(sheets: Sequence[Sheet]) -> str:
    return ", ".join(f'"{sheet.name}"' for sheet in sheets)


def _folded(name: str | None) -> str:
    return (name or "").strip().casefold()


def _order(place: Place) -> tuple[int, int, str]:
    column = place.column or ""
    return place.row or 0, len(column), column
