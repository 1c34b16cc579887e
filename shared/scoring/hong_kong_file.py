"""Reads games under the Hong Kong rules from plain text, one line for each thing said.

Every line has one of the forms of docs/scoring.md, with a comment at its end or not.
"""

import re
from collections import Counter
from dataclasses import replace
from datetime import date
from fractions import Fraction
from typing import Final

from shared.scoring.games import Game, ScoredGames
from shared.scoring.hong_kong import (
    SEATS,
    Discard,
    Draw,
    FalseWin,
    HouseRules,
    Result,
    SelfDraw,
    settle,
)
from shared.scoring.lines import foreign_digit, read_date, short, words_by_line
from shared.scoring.mistakes import InvalidScores, ScoreFileMistake

FAAN_MAX: Final = 100
BASE_DIGITS_MAX: Final = 12

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_BASE: Final = re.compile(r"B=([.0-9]+)")
_MAXIMUM: Final = re.compile(r"M=([0-9]+)")
_RESPONSIBILITY: Final = re.compile(r"R=(half|full)")
_SPICINESS: Final = re.compile(r"S=(half|spicy)")
_DECIMAL: Final = re.compile(r"(?=\.?[0-9])([0-9]*)(?:\.([0-9]*))?")
_NAME: Final = re.compile(r"[^#*0-9-][^#*]*")
_RESULT: Final = re.compile(r"[0-9]+|[-dDgSf]")


def read_hong_kong(text: str) -> ScoredGames:
    """Return the games of a file of scores, each with its points.

    Raises InvalidScores with all the mistakes found.
    """
    reading = _Reading()
    for line, words in words_by_line(text):
        reading.take(line, words)
    if reading.mistakes:
        raise InvalidScores(reading.mistakes)
    return ScoredGames(
        tuple(reading.players), tuple(reading.games), tuple(reading.impossible_dates)
    )


class _Reading:
    """What the lines so far have said."""

    def __init__(self) -> None:
        self.rules = HouseRules()
        self.day: date | None = None
        self.seated: tuple[str, ...] | None = None
        # After a refused line of names, the games below say nothing wrong of their own.
        self.are_names_refused = False
        self.players: dict[str, None] = {}
        self.games: list[Game] = []
        self.impossible_dates: list[ScoreFileMistake] = []
        self.mistakes: list[ScoreFileMistake] = []

    def take(self, line: int, words: list[str]) -> None:
        if len(words) == SEATS and all(map(_NAME.fullmatch, words)):
            self._seat(line, tuple(words))
        elif len(words) == SEATS and all(map(_RESULT.fullmatch, words)):
            self._play(line, words)
        elif len(words) != 1 or not self._declare(line, words[0]):
            self._note(line, "unknown_line", _unknown(words))

    def _declare(self, line: int, word: str) -> bool:
        """Take a date or a rule of the house; return whether it is one."""
        if _DATE.fullmatch(word):
            self.day = read_date(word)
            if self.day is None:
                # The table needs no date, and files with such dates are scored; sessions do.
                self.impossible_dates.append(
                    ScoreFileMistake(line, "invalid_date", f"{word} is no day of the calendar.")
                )
        elif said := _BASE.fullmatch(word):
            self._set_base(line, said[1])
        elif said := _MAXIMUM.fullmatch(word):
            self._set_maximum(line, said[1])
        elif said := _RESPONSIBILITY.fullmatch(word):
            self.rules = replace(self.rules, responsibility="half" if said[1] == "half" else "full")
        elif said := _SPICINESS.fullmatch(word):
            self.rules = replace(self.rules, spiciness="half" if said[1] == "half" else "spicy")
        else:
            return False
        return True

    def _set_base(self, line: int, text: str) -> None:
        number = _DECIMAL.fullmatch(text)
        if number is None:
            what = f"B={short(text)} is no number; write B=0.5, B=1 or B=2."
            self._note(line, "invalid_base", what)
        elif max(map(len, number.groups(""))) > BASE_DIGITS_MAX:
            most = f"{BASE_DIGITS_MAX} digits before and after the point"
            self._note(line, "out_of_range", f"The base points may have {most}, no more.")
        else:
            self.rules = replace(self.rules, base=Fraction(f"0{number[1]}.{number[2] or 0}"))

    def _set_maximum(self, line: int, digits: str) -> None:
        faan = _faan(digits)
        if faan > FAAN_MAX:
            self._note(line, "out_of_range", f"The maximum faan may be {FAAN_MAX}, no more.")
        else:
            self.rules = replace(self.rules, maximum_faan=faan)

    def _seat(self, line: int, names: tuple[str, ...]) -> None:
        twice = [name for name, count in Counter(names).items() if count > 1]
        self.are_names_refused = bool(twice)
        if twice:
            named = ", ".join(map(short, twice))
            what = f"{named} is named twice; four different players sit at a table."
            self._note(line, "player_twice", what)
        else:
            self.seated = names
            self.players.update(dict.fromkeys(names))

    def _play(self, line: int, words: list[str]) -> None:
        result = self._result(line, words)
        if result is None or self.are_names_refused:
            return
        if self.seated is None:
            what = "A game stands before the first line of names; name its four players above it."
            self._note(line, "no_players", what)
            return
        gains = settle(result, self.rules)
        winner = None if isinstance(result, Draw | FalseWin) else self.seated[result.winner]
        points = dict(zip(self.seated, gains, strict=True))
        self.games.append(Game(self.seated, self.day, winner, points, line))

    def _result(self, line: int, words: list[str]) -> Result | None:
        """Return what four results say together, or note what is wrong with them."""
        winners = [seat for seat, word in enumerate(words) if word.isdigit()]
        blamed = [seat for seat, word in enumerate(words) if word in {"d", "D", "g", "S", "f"}]
        blame = words[blamed[0]] if blamed else None
        faan = _faan(words[winners[0]]) if winners else 0
        maximum = self.rules.maximum_faan
        if len(winners) > 1:
            self._note(line, "two_winners", "A game has one winner; one player may have faan.")
        elif faan > maximum:
            what = f"A win of {short(words[winners[0]])} faan is above the maximum (M={maximum})."
            self._note(line, "faan_over_maximum", what)
        elif len(blamed) > 1:
            self._note(line, "two_blamed", "One player at most can be blamed (d, D, g, S or f).")
        elif not winners and blame not in {None, "f"}:
            what = f"`{blame}` blames somebody for a win, and nobody has faan."
            self._note(line, "blame_without_win", what)
        elif winners and blame == "f":
            self._note(line, "win_and_false_win", "A game is a win or a false win (f), not both.")
        elif blame == "D" and self.rules.responsibility == "full":
            what = "`D` is for half responsibility (R=half); under R=full write `d`."
            self._note(line, "guarantee_not_needed", what)
        else:
            return _outcome(winners, faan, blame, blamed)
        return None

    def _note(self, line: int, code: str, message: str) -> None:
        self.mistakes.append(ScoreFileMistake(line, code, message))


def _outcome(winners: list[int], faan: int, blame: str | None, blamed: list[int]) -> Result:
    """Return the result of one winner at most, and of one player blamed at most."""
    match winners, blame:
        case [], None:
            return Draw()
        case [], _:
            return FalseWin(blamed[0])
        case [winner], None:
            return SelfDraw(winner, faan)
        case [winner], ("g" | "S"):
            return SelfDraw(winner, faan, guarantor=blamed[0])
        case _:
            return Discard(winners[0], faan, by=blamed[0], is_guaranteed=blame == "D")


def _faan(digits: str) -> int:
    """Return a number of faan; a very long one is as much too high as a lower one."""
    digits = digits.lstrip("0") or "0"
    return int(digits) if len(digits) <= len(str(FAAN_MAX)) else FAAN_MAX + 1


def _unknown(words: list[str]) -> str:
    digit = foreign_digit(words)
    if digit is not None:
        return f"`{digit}` is not one of the digits 0 to 9; write those."
    return (
        "This is no date (YYYY-MM-DD), no B=, M=, R= or S=, not four names, not four results (faan,"
        " -, d, D, g, S, f) and no comment (#). Names hold no # or *, and begin with no - or digit."
    )
