"""Reads games under the Hong Kong rules from plain text, one line for each statement.

Every line has one of the forms of docs/scoring.md, with a comment at its end or not.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from shared.scoring.above_games import SEATS, are_names, is_date, no_such_day
from shared.scoring.against_rules import AgainstTheRules
from shared.scoring.games import ScoredGames
from shared.scoring.hong_kong import (
    Discard,
    Draw,
    FalseWin,
    HouseRules,
    Result,
    SelfDraw,
    settle,
)
from shared.scoring.lines import read_date, short
from shared.scoring.score_file import ScoreFile, mistake_on, unknown_line

FAAN_MAX: Final = 100
BASE_DIGITS_MAX: Final = 12

_FORMS: Final = "B=, M=, R= or S=, four names, four results (faan, -, d, D, g, S, f)"
_BASE: Final = re.compile(r"B=([.0-9]+)")
_MAXIMUM: Final = re.compile(r"M=([0-9]+)")
_RESPONSIBILITY: Final = re.compile(r"R=(half|full)")
_SPICINESS: Final = re.compile(r"S=(half|spicy)")
_DECIMAL: Final = re.compile(r"(?=\.?[0-9])([0-9]*)(?:\.([0-9]*))?")
_RESULT: Final = re.compile(r"[0-9]+|[-dDgSf]")


def read_hong_kong(text: str) -> ScoredGames:
    """Return the games of a file of scores, each with its points.

    Raises InvalidScores with all the mistakes found.
    """
    return _HongKongFile().games_of(text)


class _HongKongFile(ScoreFile):
    """What the lines so far have said, and the rules of the house."""

    def __init__(self) -> None:
        super().__init__()
        self.rules = HouseRules()
        # After a refused line of names, the games below cause no mistakes of their own.
        self.are_names_refused = False

    def read(self, line: int, words: list[str]) -> None:
        if are_names(words):
            self.seat(words)
        elif len(words) == SEATS and all(map(_RESULT.fullmatch, words)):
            self._play(line, words)
        elif is_date(words):
            self._set_day(line, words[0])
        elif len(words) != 1 or not self._declare(words[0]):
            raise unknown_line(words, _FORMS)

    def seat(self, names: Sequence[str]) -> None:
        """Seat four players from here on, with or without a change of the others."""
        self.are_names_refused = True
        super().seat(names)
        self.are_names_refused = False

    def _set_day(self, line: int, text: str) -> None:
        self.day = read_date(text)
        if self.day is None:
            self.impossible_dates.append(mistake_on(line, no_such_day(text)))

    def _declare(self, word: str) -> bool:
        """Take a rule of the house; return whether it is one."""
        if said := _BASE.fullmatch(word):
            self.rules = replace(self.rules, base=_base(said[1]))
        elif said := _MAXIMUM.fullmatch(word):
            self.rules = replace(self.rules, maximum_faan=_maximum(said[1]))
        elif said := _RESPONSIBILITY.fullmatch(word):
            self.rules = replace(self.rules, responsibility="half" if said[1] == "half" else "full")
        elif said := _SPICINESS.fullmatch(word):
            self.rules = replace(self.rules, spiciness="half" if said[1] == "half" else "spicy")
        else:
            return False
        return True

    def _play(self, line: int, words: list[str]) -> None:
        result = _result(words, self.rules)
        if self.are_names_refused:
            return
        if self.seated is None:
            raise AgainstTheRules(
                "no_players",
                "There is a game before the first line of names; name its four players above it.",
            )
        winner = None if isinstance(result, Draw | FalseWin) else result.winner
        self.score(line, winner, settle(result, self.rules))


def _base(text: str) -> Fraction:
    number = _DECIMAL.fullmatch(text)
    if number is None:
        raise AgainstTheRules(
            "invalid_base", f"B={short(text)} is not a number; write B=0.5, B=1 or B=2."
        )
    if max(map(len, number.groups(""))) > BASE_DIGITS_MAX:
        most = f"{BASE_DIGITS_MAX} digits before and after the point"
        raise AgainstTheRules("out_of_range", f"The base points may have at most {most}.")
    return Fraction(f"0{number[1]}.{number[2] or 0}")


def _maximum(digits: str) -> int:
    faan = _faan(digits)
    if faan > FAAN_MAX:
        raise AgainstTheRules("out_of_range", f"The maximum faan may be at most {FAAN_MAX}.")
    return faan


def _result(words: Sequence[str], rules: HouseRules) -> Result:
    """Return what four results say together. Raises AgainstTheRules."""
    winners = [seat for seat, word in enumerate(words) if word.isdigit()]
    blamed = [seat for seat, word in enumerate(words) if word in {"d", "D", "g", "S", "f"}]
    blame = words[blamed[0]] if blamed else None
    faan = _faan(words[winners[0]]) if winners else 0
    maximum = rules.maximum_faan
    if len(winners) > 1:
        what = "A game has one winner; only one player may have faan."
        raise AgainstTheRules("two_winners", what)
    if faan > maximum:
        what = f"A win of {short(words[winners[0]])} faan is above the maximum (M={maximum})."
        raise AgainstTheRules("faan_over_maximum", what)
    if len(blamed) > 1:
        what = "At most one player can be at fault (d, D, g, S or f)."
        raise AgainstTheRules("two_blamed", what)
    if not winners and blame not in {None, "f"}:
        what = f"`{blame}` blames someone for a win, but no one has faan."
        raise AgainstTheRules("blame_without_win", what)
    if winners and blame == "f":
        what = "A game is a win or a false win (f), not both."
        raise AgainstTheRules("win_and_false_win", what)
    if blame == "D" and rules.responsibility == "full":
        what = "`D` is for half responsibility (R=half); under R=full write `d`."
        raise AgainstTheRules("guarantee_not_needed", what)
    return _outcome(winners, faan, blame, blamed)


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
