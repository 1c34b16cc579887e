"""Works out what changed standings do to the counts and fingerprints of their boards. Pure."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Final, NamedTuple

GAMES_MIN_DEFAULT: Final = 10
# The most that anyone may ask of the players on a board.
GAMES_MAX: Final = 1_000_000
DAYS_MAX: Final = 36_500
CENTI_PER_POINT: Final = 100
# 40 bits per member: the sum over eight million members still fits in 63 bits.
FINGERPRINT_BYTES: Final = 5
GLOBAL_BOARD: Final = "global"


class BoardRow(NamedTuple):
    """One row of a board."""

    player_id: str
    board: str
    rating_centi: int
    verified_games: int
    last_session_date: date | None

    @property
    def point(self) -> int:
        """The whole point below the rating, even for ratings below zero."""
        return self.rating_centi // CENTI_PER_POINT

    @property
    def fingerprint(self) -> int:
        """A number that changes whenever anything in the row does."""
        text = f"{self.player_id} {self.rating_centi} {self.verified_games} "
        text += str(self.last_session_date)
        digest = hashlib.blake2b(text.encode(), digest_size=FINGERPRINT_BYTES).digest()
        return int.from_bytes(digest, "big")


@dataclass(slots=True)
class Deltas:
    """What to add to the counts and to the boards."""

    members_at: Counter[tuple[str, int]] = field(default_factory=Counter)
    members: Counter[str] = field(default_factory=Counter)
    fingerprint: Counter[str] = field(default_factory=Counter)

    def add(self, standing: BoardRow, sign: int) -> None:
        """Count a row in (`sign` 1) or out (-1)."""
        self.members[standing.board] += sign
        self.fingerprint[standing.board] += sign * standing.fingerprint
        if standing.verified_games >= GAMES_MIN_DEFAULT:
            self.members_at[standing.board, standing.point] += sign


def deltas_of(removed: Iterable[BoardRow], added: Iterable[BoardRow]) -> Deltas:
    """Return what the boards gain and lose. A changed row is removed and added."""
    deltas = Deltas()
    for standing in removed:
        deltas.add(standing, -1)
    for standing in added:
        deltas.add(standing, 1)
    return deltas


def region_board(region: str) -> str:
    return f"region:{region}"


def source_board(source: str) -> str:
    return f"source:{source}"
