"""Reads hands under the banker rule book from plain text, one line for each hand.

The form is that of docs/scoring.md: dates, lines of four names that begin a game, and lines of four
results, one under each name: `b` banker, `w` winner, `d` discarder, `s` standup, `i` in-between.
"""

import re
from collections.abc import Sequence
from typing import Final

from shared.scoring.above_games import are_names, date_of, is_date
from shared.scoring.against_rules import AgainstTheRules
from shared.scoring.banker import (
    SEATS,
    START_POINTS,
    BankerDiscard,
    BankerSelfDraw,
    is_over,
    settle,
)
from shared.scoring.games import ScoredGames
from shared.scoring.lines import short
from shared.scoring.score_file import ScoreFile, unknown_line

NOTHING: Final = "-"

_FORMS: Final = "four names, four results (-, or some of the letters b, w, d, s, i)"
_ROLES: Final = re.compile(r"[bwdsi]+")


def read_banker(text: str) -> ScoredGames:
    """Return the hands of a file, each as one game with what it moved.

    Raises InvalidScores with all the mistakes found.
    """
    return _BankerFile().games_of(text)


class _BankerFile(ScoreFile):
    """What the lines so far have said, and the score of the game."""

    def __init__(self) -> None:
        super().__init__()
        self.points: list[int] = []
        # After a refused line the score of the game is unknown, so its end cannot be checked.
        self.are_points_known = True

    def refuse(self, line: int, refused: AgainstTheRules) -> None:
        super().refuse(line, refused)
        self.are_points_known = False

    def read(self, line: int, words: list[str]) -> None:
        if is_date(words):
            self.day = date_of(words)
        elif _is_hand(words):
            self._play(line, words)
        elif are_names(words):
            self.seat(words)
        else:
            raise unknown_line(words, _FORMS)

    def seat(self, names: Sequence[str]) -> None:
        """Begin a game: everyone has 100 points again [1.3]."""
        super().seat(names)
        self.points = [START_POINTS] * SEATS
        self.are_points_known = True

    def _play(self, line: int, words: list[str]) -> None:
        changes, winner = _hand(words)
        if not self.are_points_known:
            return
        if self.seated is None:
            raise AgainstTheRules(
                "no_players",
                "There is a hand before the first line of names; name its players first.",
            )
        if is_over(self.points):
            raise AgainstTheRules("game_over", self._why_over())
        self.points = [had + change for had, change in zip(self.points, changes, strict=True)]
        self.score(line, winner, changes)

    def _why_over(self) -> str:
        assert self.seated is not None, "No one plays before the players are named."
        below = min(range(SEATS), key=self.points.__getitem__)
        return (
            f"The game is over: {short(self.seated[below])} is at {self.points[below]}, below "
            "0. Write the four names again to start another game."
        )


def _is_hand(words: Sequence[str]) -> bool:
    """Return whether a line holds results: a `-` is in every right one, and begins no name."""
    return len(words) == SEATS and (
        any(word.startswith(NOTHING) for word in words) or all(map(_ROLES.fullmatch, words))
    )


def _hand(words: Sequence[str]) -> tuple[tuple[int, ...], int | None]:
    """Return what each seat gets for a line of results, and who won, if anyone."""
    for word in words:
        _check_letters(word)
    banker = _only(words, "b", "banker")
    winner = _only(words, "w", "winner")
    discarder = _only(words, "d", "discarder")
    if banker is None:
        raise AgainstTheRules("no_banker", "No one is the banker; write `b` for the player who is.")
    for word in words:
        if "w" not in word and set("si") & set(word):
            raise AgainstTheRules(
                "bonus_without_win", "Standup (s) and in-between (i) go after the winner's `w`."
            )
    if winner is None:
        if discarder is not None:
            raise AgainstTheRules(
                "discard_without_win", "`d` discards to a winner, but no one won; write `w`."
            )
        return (0,) * SEATS, None
    win = BankerSelfDraw() if discarder is None else BankerDiscard(discarder)
    is_standup, is_in_between = "s" in words[winner], "i" in words[winner]
    return settle(winner, win, banker, standup=is_standup, in_between=is_in_between), winner


def _check_letters(word: str) -> None:
    if word == NOTHING:
        return
    if not _ROLES.fullmatch(word):
        raise AgainstTheRules(
            "unknown_result",
            f"`{short(word)}` is not a result; use `-`, or some of the letters b, w, d, s, i.",
        )
    twice = next((letter for letter in word if word.count(letter) > 1), None)
    if twice is not None:
        raise AgainstTheRules(
            "letter_twice", f"`{short(word)}` has `{twice}` twice; once is enough."
        )


def _only(words: Sequence[str], letter: str, role: str) -> int | None:
    """Return the one seat with a letter, or None; two of them are refused."""
    seats = [seat for seat, word in enumerate(words) if letter in word]
    if len(seats) > 1:
        raise AgainstTheRules(
            f"two_{role}s", f"A hand has one {role}; `{letter}` is there {len(seats)} times."
        )
    return seats[0] if seats else None
