"""Makes up a history of millions of rounds, in the columns that the rater keeps in its folder.

The same seed makes the same history. Sessions are of four rounds at one table, every second one of
a league; a tenth of the players is Verified before the first session.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from shared.ids import player_id
from shared.replay.files import StoredColumn, StoredColumns
from shared.replay.sessions import _digest

Rows = NDArray[Any]

SEED: Final = 20260201
ROUNDS_PER_SESSION: Final = 4
SEATS: Final = 4
GAMES_MAX: Final = 16
POINTS_CENTI_SPREAD: Final = 3_000
VERIFIED_SHARE: Final = 10


@dataclass(frozen=True, slots=True)
class Made:
    """A made-up history: its columns, and what stands on its log where."""

    columns: Mapping[str, Rows]
    session_seqs: Rows
    last_seq: int


def session_name(number: int) -> str:
    """Return the id of a session by its number, from 0 on."""
    return f"ses_{number}"


def made_up(players: int, rounds: int) -> Made:
    """Return a history of so many players and rounds."""
    chance = np.random.default_rng(SEED)
    sessions = rounds // ROUNDS_PER_SESSION
    rounds = sessions * ROUNDS_PER_SESSION
    verified = np.arange(1, players + 1, VERIFIED_SHARE, dtype=np.int32)
    # Fact 1 adopts the formula; then come the verifications, then the sessions.
    verified_place = np.arange(2, 2 + len(verified), dtype=np.int64)
    seqs = np.arange(2 + len(verified), 2 + len(verified) + sessions, dtype=np.int64)
    mahjongs = chance.integers(0, 1 + GAMES_MAX // SEATS, (rounds, SEATS), np.uint8)
    is_league = np.repeat(np.arange(sessions) % 2 == 0, ROUNDS_PER_SESSION)
    points = chance.normal(0, POINTS_CENTI_SPREAD, (rounds, SEATS)).astype(np.int32)
    points[~is_league] = 0
    return Made(
        columns={
            "player_keys": _keys(players),
            "verification_place": verified_place,
            "verification_player": verified,
            "verification_is_verified": np.ones(len(verified), np.uint8),
            "session_seq": seqs,
            "session_place": seqs,
            "session_rounds": np.arange(0, rounds + 1, ROUNDS_PER_SESSION, dtype=np.int64),
            "session_digest": np.array(
                [_digest(session_name(number)) for number in range(sessions)], np.int64
            ),
            "round_players": np.repeat(_tables(chance, players, sessions), ROUNDS_PER_SESSION, 0),
            "round_mahjongs": mahjongs,
            "round_points": points,
            "round_games": np.maximum(mahjongs.sum(axis=1), 1).astype(np.uint8),
            "round_seats": np.full(rounds, SEATS, np.uint8),
            "round_points_count": is_league.astype(np.uint8),
        },
        session_seqs=seqs,
        last_seq=int(seqs[-1]),
    )


class FilledColumns(StoredColumns):
    """Columns, some of which hold rows from the beginning."""

    def __init__(self, columns: StoredColumns, content: Mapping[str, Rows]) -> None:
        super().__init__()
        self._inner = columns
        self._content = content

    def column(self, name: str, dtype: DTypeLike, width: int = 1) -> StoredColumn:
        """Return a column with its rows."""
        column = self._inner.column(name, dtype, width)
        if name in self._content:
            column.extend(self._content[name])
        return column


def _tables(chance: np.random.Generator, players: int, sessions: int) -> NDArray[np.int32]:
    """Return four different players for each session."""
    tables = chance.integers(1, players + 1, (sessions, SEATS), np.int32)
    while True:
        in_order = np.sort(tables, axis=1)
        again = np.flatnonzero((in_order[:, 1:] == in_order[:, :-1]).any(axis=1))
        if not len(again):
            return tables
        tables[again] = chance.integers(1, players + 1, (len(again), SEATS), np.int32)


def _keys(players: int) -> NDArray[np.int64]:
    """Return the column of player ids: Bob, and then everyone by number."""
    ids = "".join(player_id("MJ", number * 7919)[3:] for number in range(1, players + 1))
    letters = np.frombuffer(ids.encode("ascii"), np.uint8).reshape(players, 8)
    return np.concatenate([[0], letters.view(">i8")[:, 0].astype(np.int64)])
