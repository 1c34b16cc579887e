"""Reads hands under the banker rule book from plain text, one line for each hand.

The form is that of docs/scoring.md: dates, lines of four names that begin a game, and lines of four
results, one under each name: `b` banker, `w` winner, `d` discarder, `s` standup, `i` in-between.
"""

import re
from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from typing import Final

from shared.scoring.against_rules import AgainstTheRules
from shared.scoring.banker import SEATS, START_POINTS, Discard, SelfDraw, is_over, settle
from shared.scoring.dates import date_of, is_date
from shared.scoring.games import Game, ScoredGames
from shared.scoring.lines import foreign_digit, short, words_by_line
from shared.scoring.mistakes import InvalidScores, ScoreFileMistake
from shared.scoring.names import are_names, four_players

NOTHING: Final = "-"

_ROLES: Final = re.compile(r"[bwdsi]+")


def read_banker(text: str) -> ScoredGames:
    """Return the hands of a file, each as one game with what it moved.

    Raises InvalidScores with all the mistakes found.
    """
    reading = _Reading()
    for line, words in words_by_line(text):
        reading.take(line, words)
    if reading.mistakes:
        raise InvalidScores(reading.mistakes)
    return ScoredGames(tuple(reading.players), tuple(reading.games))


class _Reading:
    """What the lines so far have said."""

    def __init__(self) -> None:
        self.day: date | None = None
        self.seated: tuple[str, ...] | None = None
        self.points: list[int] = []
        # After a refused line nobody knows how a game stands, so its end cannot be told.
        self.are_points_known = True
        self.players: dict[str, None] = {}
        self.games: list[Game] = []
        self.mistakes: list[ScoreFileMistake] = []

    def take(self, line: int, words: list[str]) -> None:
        try:
            self._read(line, words)
        except AgainstTheRules as refused:
            self.mistakes.append(ScoreFileMistake(line, refused.code, refused.message))
            self.are_points_known = False

    def _read(self, line: int, words: list[str]) -> None:
        if is_date(words):
            self.day = date_of(words)
        elif _is_hand(words):
            self._play(line, words)
        elif are_names(words):
            self._seat(words)
        else:
            raise AgainstTheRules("unknown_line", _unknown(words))

    def _seat(self, names: list[str]) -> None:
        """Begin a game: everybody has 100 points again [1.3]."""
        self.seated = four_players(names)
        self.points = [START_POINTS] * SEATS
        self.are_points_known = True
        self.players.update(dict.fromkeys(names))

    def _play(self, line: int, words: list[str]) -> None:
        changes, winner = _hand(words)
        if not self.are_points_known:
            return
        if self.seated is None:
            raise AgainstTheRules(
                "no_players",
                "A hand stands before the first line of names; name its players first.",
            )
        if is_over(self.points):
            raise AgainstTheRules("game_over", self._why_over())
        self.points = [had + change for had, change in zip(self.points, changes, strict=True)]
        points = dict(zip(self.seated, map(Fraction, changes), strict=True))
        name = None if winner is None else self.seated[winner]
        self.games.append(Game(self.seated, self.day, name, points, line))

    def _why_over(self) -> str:
        assert self.seated is not None, "Nobody plays before the players are named."
        below = min(range(SEATS), key=self.points.__getitem__)
        return (
            f"The game is over: {short(self.seated[below])} stands at {self.points[below]}, below"
            " 0. Write the four names again to begin another game."
        )


def _is_hand(words: Sequence[str]) -> bool:
    """Return whether a line holds results: a `-` is in every right one, and begins no name."""
    return len(words) == SEATS and (
        any(word.startswith(NOTHING) for word in words) or all(map(_ROLES.fullmatch, words))
    )


def _hand(words: Sequence[str]) -> tuple[tuple[int, ...], int | None]:
    """Return what a line of results brings each seat, and who won, if anybody."""
    for word in words:
        _check_letters(word)
    banker = _only(words, "b", "banker")
    winner = _only(words, "w", "winner")
    discarder = _only(words, "d", "discarder")
    if banker is None:
        raise AgainstTheRules("no_banker", "Nobody is banker; write `b` for whoever is.")
    for word in words:
        if "w" not in word and set("si") & set(word):
            raise AgainstTheRules(
                "bonus_without_win", "Standup (s) and in-between (i) stand behind the winner's `w`."
            )
    if winner is None:
        if discarder is not None:
            raise AgainstTheRules(
                "discard_without_win", "`d` discards to a winner, and nobody won; write `w`."
            )
        return (0,) * SEATS, None
    win = SelfDraw() if discarder is None else Discard(discarder)
    is_standup, is_in_between = "s" in words[winner], "i" in words[winner]
    return settle(winner, win, banker, standup=is_standup, in_between=is_in_between), winner


def _check_letters(word: str) -> None:
    if word == NOTHING:
        return
    if not _ROLES.fullmatch(word):
        raise AgainstTheRules(
            "unknown_result",
            f"`{short(word)}` is no result; use `-`, or letters out of b, w, d, s, i.",
        )
    twice = next((letter for letter in word if word.count(letter) > 1), None)
    if twice is not None:
        raise AgainstTheRules(
            "letter_twice", f"`{short(word)}` says `{twice}` twice; once is enough."
        )


def _only(words: Sequence[str], letter: str, role: str) -> int | None:
    """Return the one seat with a letter, or None; two of them are refused."""
    seats = [seat for seat, word in enumerate(words) if letter in word]
    if len(seats) > 1:
        raise AgainstTheRules(
            f"two_{role}s", f"A hand has one {role}; `{letter}` stands {len(seats)} times."
        )
    return seats[0] if seats else None


def _unknown(words: Sequence[str]) -> str:
    digit = foreign_digit(words)
    if digit is not None:
        return f"`{digit}` is not one of the digits 0 to 9; write those."
    return (
        "This is no date (YYYY-MM-DD), not four names, not four results (-, or letters out of"
        " b, w, d, s, i) and no comment (#). Names hold no # or *, and begin with no - or digit."
    )
