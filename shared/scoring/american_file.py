"""Reads games under the American rules from plain text, one line for each game.

The form is that of docs/scoring.md: dates, lines of four names, lines of four results (the value of
the winning hand with letters behind it, `d` discarder, `m` misnamed, `x` dead), penalties, and the
numbers that a club has set.
"""

import re
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, Final

from shared.scoring.above_games import are_names, date_of, is_date
from shared.scoring.against_rules import AgainstTheRules
from shared.scoring.american import (
    PENALTY_MAX,
    SEATS,
    AmericanGame,
    AmericanRules,
    Discarded,
    PaymentRules,
    SelfPicked,
    TournamentRules,
    WallGame,
    WinningHand,
    no_such_value,
    settle,
)
from shared.scoring.games import ScoredGames
from shared.scoring.lines import short
from shared.scoring.score_file import ScoreFile, unknown_line

SETTING_MAX: Final = 1000

_FORMS: Final = (
    "payment, tournament, a number such as self-picked=10, four names, four results (such as 25, "
    "30n, 30e2, -, d, m, x), a penalty"
)
_PENALTY: Final = "penalty"
_SETTING: Final = re.compile(r"(?P<key>[a-z0-9-]+)=(?P<number>.*)")
_WHOLE: Final = re.compile(r"[0-9]{1,9}")
_OTHERS: Final = frozenset({"-", "d", "m", "x"})
_WINNER: Final = re.compile(r"(?P<value>[0-9]+)(?P<marks>(?:[npq]|e[0-9])*)")
_MARK: Final = re.compile(r"[npq]|e[0-9]")


def read_american(text: str) -> ScoredGames:
    """Return the games of a file, each with what it brought, penalties included.

    Raises InvalidScores with all the mistakes found.
    """
    return _AmericanFile().games_of(text)


class _AmericanFile(ScoreFile):
    """What the lines so far have said, and how the club counts."""

    def __init__(self) -> None:
        super().__init__()
        self.ways: dict[str, AmericanRules] = {
            "payment": PaymentRules(),
            "tournament": TournamentRules(),
        }
        self.way = "payment"
        # A penalty belongs to the game above it, which may have been refused.
        self.has_game_above = False

    def read(self, line: int, words: list[str]) -> None:
        setting = _SETTING.fullmatch(words[0]) if len(words) == 1 else None
        if is_date(words):
            self.day, self.has_game_above = date_of(words), False
        elif words[0] in self.ways and len(words) == 1:
            self.way = words[0]
        elif setting is not None:
            self._set(setting["key"], setting["number"])
        elif words[0] == _PENALTY:
            self._punish(words)
        elif _is_game(words):
            self._play(line, words)
        elif are_names(words):
            self.has_game_above = False
            self.seat(words)
        else:
            raise unknown_line(words, _FORMS)

    def _set(self, key: str, number: str) -> None:
        """Change a number of the way that is counted."""
        rules = self.ways[self.way]
        names = {field.name.replace("_", "-"): field.name for field in fields(rules)}
        if key not in names:
            raise AgainstTheRules(
                "unknown_setting",
                f"`{short(key)}=` is not a number of the {self.way} rules; they have "
                f"{', '.join(names)}. Write `payment` or `tournament` above it for the other way.",
            )
        if not _WHOLE.fullmatch(number):
            raise AgainstTheRules(
                "wrong_form", f"Write `{key}=` and a whole number, with no space between."
            )
        if int(number) > SETTING_MAX:
            raise AgainstTheRules("out_of_range", f"`{key}` may be at most {SETTING_MAX}.")
        changed: dict[str, Any] = {names[key]: int(number)}
        self.ways[self.way] = replace(rules, **changed)

    def _play(self, line: int, words: Sequence[str]) -> None:
        had_names, self.has_game_above = self.seated is not None, True
        game = _game(words)
        if not had_names:
            raise AgainstTheRules(
                "no_players",
                "There is a game before the first line of names; name its four players above it.",
            )
        winner = None if isinstance(game, WallGame) else game.winner
        self.score(line, winner, settle(game, self.ways[self.way]))

    def _punish(self, words: Sequence[str]) -> None:
        """Take points from a player; they count with the game above."""
        if len(words) != 3 or not _WHOLE.fullmatch(words[2]):
            raise AgainstTheRules(
                "wrong_form",
                "Write `penalty`, a name, and how many points the player loses, without a minus "
                "sign: penalty Ann 25",
            )
        name, points = words[1], int(words[2])
        if self.way == "payment":
            raise AgainstTheRules(
                "penalty_by_payment",
                "Only tournament points have penalties. Write `tournament` above the games, or "
                "leave the penalty out.",
            )
        if points not in range(1, PENALTY_MAX + 1):
            raise AgainstTheRules("out_of_range", f"A penalty is 1 to {PENALTY_MAX} points.")
        if not self.has_game_above or self.seated is None:
            raise AgainstTheRules(
                "penalty_without_game",
                "A penalty belongs to the game above it, and there is none of this table on this "
                "day. Write the penalty below the game.",
            )
        if name not in self.seated:
            raise AgainstTheRules(
                "unknown_player", f"{short(name)} is not one of the four names above the games."
            )
        if not self.mistakes:
            last = self.games[-1]
            self.games[-1] = replace(last, points={**last.points, name: last.points[name] - points})


def _is_game(words: Sequence[str]) -> bool:
    """Return whether a line holds results: no name begins with a digit or `-`."""
    return len(words) == SEATS and (
        any(word[0] in "-0123456789" for word in words) or all(word in _OTHERS for word in words)
    )


def _game(words: Sequence[str]) -> AmericanGame:
    """Return what four results say together. Raises AgainstTheRules."""
    winners = [(seat, hand) for seat, word in enumerate(words) if (hand := _hand(word))]
    blamed = [seat for seat, word in enumerate(words) if word in {"d", "m"}]
    dead = frozenset(seat for seat, word in enumerate(words) if word == "x")
    if len(winners) > 1:
        what = "A game has one winner; only one player may have the value of a hand."
        raise AgainstTheRules("two_winners", what)
    if len(blamed) > 1:
        what = "Only one player can have discarded the winning tile (d or m)."
        raise AgainstTheRules("two_blamed", what)
    if not winners:
        if blamed:
            what = (
                f"`{words[blamed[0]]}` discards to a winner, but no one won; write the value of "
                "the winning hand."
            )
            raise AgainstTheRules("blame_without_win", what)
        return WallGame(dead)
    ((winner, hand),) = winners
    if not blamed:
        return SelfPicked(winner, hand, dead)
    (by,) = blamed
    return Discarded(winner, hand, by, is_misnamed=words[by] == "m", dead=dead)


def _hand(word: str) -> WinningHand | None:
    """Return the winning hand that a result tells, or None for that of anyone else."""
    if word in _OTHERS:
        return None
    told = _WINNER.fullmatch(word)
    if told is None:
        raise AgainstTheRules(
            "unknown_result",
            f"`{short(word)}` is not a result. Use -, d, m or x, or the value of the winning hand "
            "with n, p, q or e and the number of exposures behind it, such as 30ne2.",
        )
    marks = _MARK.findall(told["marks"])
    letters = [mark[0] for mark in marks]
    twice = next((letter for letter in letters if letters.count(letter) > 1), None)
    if twice is not None:
        raise AgainstTheRules(
            "letter_twice", f"`{short(word)}` has `{twice}` twice; once is enough."
        )
    if not _WHOLE.fullmatch(told["value"]):
        raise no_such_value(short(told["value"]))
    return WinningHand(
        int(told["value"]),
        has_no_jokers="n" in letters,
        is_singles_and_pairs="p" in letters,
        exposures=next((int(mark[1]) for mark in marks if mark[0] == "e"), 0),
        has_quint="q" in letters,
    )
