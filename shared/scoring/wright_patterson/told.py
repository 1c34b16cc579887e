"""What the lines of one round say, in any order, below its `round` line."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from shared.scoring.against_rules import AgainstTheRules
from shared.scoring.lines import short
from shared.scoring.wright_patterson.hands import Hand, Ready, read_hand
from shared.scoring.wright_patterson.rounds import DealtRound, TripleLimit, Win, check_round
from shared.scoring.wright_patterson.tiles import WINDS, Bouquet, Wind

# The lines of a round by their first word, and how the rest of each is written.
FORMS: Final = {
    "no-flowers": "`no-flowers` alone",
    "flower-pot": "`flower-pot` and a name",
    "bouquet": "`bouquet`, a name, and `flowers` or `seasons`",
    "win": "`win`, a name, and what the hand is worth, `charleston` or `first-discard`",
    "wall": "`wall` alone",
    "hand": "`hand`, a name, and the tiles",
}

_TRIPLE_LIMITS: Final = {
    "charleston": TripleLimit.AFTER_CHARLESTON,
    "first-discard": TripleLimit.FIRST_DISCARD,
}
_READY: Final = {f"ready-{ready.value}": ready for ready in Ready if ready is not Ready.NO}
_WORTH: Final = re.compile(r"[0-9]{1,9}")


@dataclass(slots=True)
class ToldRound:
    """A round as far as its lines have described it; `line` is that of its beginning."""

    line: int
    players: Sequence[str]
    prevailing: Wind = Wind.EAST
    has_outcome: bool = False
    win: Win | None = None
    hands: dict[int, Hand] = field(default_factory=dict)
    has_no_flowers: bool = False
    first_flower: int | None = None
    bouquets: list[tuple[int, Bouquet]] = field(default_factory=list)
    # A refused line leaves a round that cannot be played.
    is_refused: bool = False

    def take(self, words: Sequence[str]) -> None:
        """Take a line. Raises AgainstTheRules if it is impossible, or contradicts the others."""
        match words:
            case ["no-flowers"]:
                _check_once(words[0], self.has_no_flowers)
                self.has_no_flowers = True
            case ["flower-pot", name]:
                _check_once(words[0], self.first_flower is not None)
                self.first_flower = self._seat(name)
            case ["bouquet", name, ("flowers" | "seasons") as what]:
                self.bouquets.append((self._seat(name), Bouquet(what)))
            case ["win", name, worth]:
                self._end_with(Win(self._seat(name), _worth(worth)))
            case ["wall"]:
                self._end_with(None)
            case ["hand", name, *tiles] if tiles:
                self._show(name, tiles)
            case [keyword, *_]:
                raise AgainstTheRules("wrong_form", f"Write {FORMS[keyword]}.")

    def finished(self) -> DealtRound:
        """Return the round; raise AgainstTheRules when its lines contradict each other."""
        if not self.has_outcome:
            raise AgainstTheRules(
                "no_outcome", "The round has no outcome; add a `win` or a `wall` line."
            )
        played = DealtRound(
            prevailing=self.prevailing,
            win=self.win,
            hands=self.hands,
            are_flowers_declared=not self.has_no_flowers,
            first_flower=self.first_flower,
            bouquets=tuple(self.bouquets),
        )
        check_round(played)
        return played

    def _end_with(self, win: Win | None) -> None:
        if self.has_outcome:
            raise AgainstTheRules(
                "two_outcomes", "A round ends only once; it already has a `win` or a `wall` line."
            )
        self.has_outcome = True
        self.win = win

    def _show(self, name: str, tiles: Sequence[str]) -> None:
        seat = self._seat(name)
        _check_once(f"hand {short(name)}", seat in self.hands)
        ready = _READY.get(tiles[-1], Ready.NO)
        self.hands[seat] = read_hand(tiles if ready is Ready.NO else tiles[:-1], ready)

    def _seat(self, name: str) -> int:
        if name not in self.players:
            raise AgainstTheRules(
                "unknown_player",
                f"{short(name)} is not one of the four names that start the game.",
            )
        return self.players.index(name)


def read_wind(word: str) -> Wind:
    """Return the wind of its first letter; raise AgainstTheRules when it is none."""
    if len(word) != 1 or word not in WINDS:
        raise AgainstTheRules("unknown_wind", f"`{short(word)}` is not a wind; write E, S, W or N.")
    return Wind(WINDS.index(word) + 1)


def _worth(word: str) -> int | TripleLimit:
    if word in _TRIPLE_LIMITS:
        return _TRIPLE_LIMITS[word]
    if not _WORTH.fullmatch(word):
        raise AgainstTheRules(
            "wrong_form",
            (f"`{short(word)}` is not what a hand can be worth; write {FORMS['win']}."),
        )
    return int(word)


def _check_once(what: str, is_there: bool) -> None:
    if is_there:
        raise AgainstTheRules("line_twice", f"`{what}` is already there; a round has only one.")
