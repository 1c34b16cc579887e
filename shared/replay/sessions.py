"""Every session that was added: its rounds, its place in the history, and what ended it.

A session ends when it is voided, or corrected: superseded by one that takes its place. So does one
whose seats are reassigned: the same session, with others at its tables, takes its place.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import chain, islice
from struct import Struct
from typing import Final

import numpy as np
from numpy.typing import NDArray

from shared.events.facts import SessionSubmitted
from shared.rating.columns import SEATS_MAX, Rounds, Sessions
from shared.replay.columns import Columns, Rows
from shared.replay.gathered import EMPTY_SEAT, Gathered

SEQ: Final = 0  # The columns of an ending.
ROW: Final = 1
KIND: Final = 2

# A fact names a session that was already voided: nothing ends.
NAMED_AGAIN: Final = 0
VOIDED: Final = 1
SUPERSEDED: Final = 2
RESEATED: Final = 3

# This many rows are searched at once, to save memory.
BLOCK_ROWS: Final = 1 << 20
SIEVE_BITS: Final = 20

Digest = tuple[int, int]
HALVES: Final = Struct("<2q")


class PlayedSessions:
    """The sessions, one row each in the order of the log, and their rounds in the same order."""

    def __init__(self, columns: Columns) -> None:
        self._seq = columns.column("session_seq", "int64")
        self._place = columns.column("session_place", "int64")
        # Where the rounds of each session begin, and those of the next one.
        self._bounds = columns.column("session_rounds", "int64")
        self._digest = columns.column("session_digest", "int64", 2)
        self._endings = columns.column("session_endings", "int64", 3)
        # The rows of reseated sessions, and those that they were sent as.
        self._origins = columns.column("session_origins", "int64", 2)
        self._players = columns.column("round_players", "int32", SEATS_MAX)
        self._mahjongs = columns.column("round_mahjongs", "uint8", SEATS_MAX)
        self._points_centi = columns.column("round_points", "int32", SEATS_MAX)
        self._games_played = columns.column("round_games", "uint8")
        self._seats = columns.column("round_seats", "uint8")
        self._points_count = columns.column("round_points_count", "uint8")
        if not len(self._bounds):
            self._bounds.append((0,))
        moved = np.flatnonzero(self._place.rows != self._seq.rows)
        # Those in the place of another; they are few, as the ended ones are.
        self._moved: list[int] = moved.tolist()
        self._ended_at: dict[int, int] = {}
        self._superseded: set[int] = set()
        self._origin: dict[int, int] = dict(self._origins.rows.tolist())
        for seq, row, kind in self._endings.rows.tolist():
            self._note_ending(seq, row, kind)

    def append(
        self, seq: int, place: int, session: SessionSubmitted, seated: Sequence[int]
    ) -> None:
        """Take in the session of fact `seq`; `seated` are the indexes of all seats of all rounds.

        The numbers of the rounds must add up.
        """
        points_count = session.game_type != "social"
        games_played, _, tables, mahjongs, points = zip(*session.rounds, strict=True)
        seats = [*map(len, tables)]
        if min(seats) == SEATS_MAX:
            self._players.append(seated)
        else:
            at_tables = iter(seated)
            self._players.append(_wide([[*islice(at_tables, n)] for n in seats], EMPTY_SEATS))
        self._mahjongs.append(_wide(mahjongs, NONE))
        self._points_centi.append(_wide(points, NONE) if points_count else NONE * len(seats))
        self._games_played.append(games_played)
        self._seats.append(seats)
        self._points_count.append([points_count] * len(seats))
        if place != seq:
            self._moved.append(len(self._seq))
        self._seq.append((seq,))
        self._place.append((place,))
        self._bounds.append((len(self._seats),))
        self._digest.append(_digest(session.session_id))

    def append_all(
        self, seqs: Sequence[int], session_ids: Iterable[str], gathered: Gathered, tables: Rows
    ) -> None:
        """Add sessions in places of their own; `tables` says who sits where, of shape [n, 4]."""
        self._players.extend(tables)
        self._mahjongs.extend(gathered.mahjongs)
        self._points_centi.extend(gathered.points_centi)
        self._games_played.extend(gathered.games_played)
        self._points_count.extend(gathered.points_count)
        self._bounds.extend(len(self._seats) + np.cumsum(gathered.rounds_each))
        self._seats.extend(gathered.seats)
        self._seq.append(seqs)
        self._place.append(seqs)
        self._digest.append(chain.from_iterable(map(_digest, session_ids)))

    def reseat(self, seq: int, row: int, tables: Sequence[Sequence[int]]) -> range:
        """Put others at the tables of a session, by fact `seq`; return the rows of its rounds."""
        self.end(seq, row, RESEATED)
        begin, end = self._bounds.rows[row : row + 2].tolist()
        first = len(self._seats)
        self._players.append(_wide(tables, EMPTY_SEATS))
        for column in (
            self._mahjongs,
            self._points_centi,
            self._games_played,
            self._seats,
            self._points_count,
        ):
            column.extend(column.rows[begin:end].copy())
        new = len(self._seq)
        self._origin[new] = self._origin.get(row, row)
        self._origins.append((new, self._origin[new]))
        self._moved.append(new)
        self._seq.append((seq,))
        self._place.append((self.place(row),))
        self._bounds.append((len(self._seats),))
        self._digest.extend(self._digest.rows[row : row + 1].copy())
        return range(first, len(self._seats))

    def end(self, seq: int, row: int, kind: int) -> None:
        """Note that fact `seq` ends the session of a row, or names it again."""
        self._endings.append((seq, row, kind))
        self._note_ending(seq, row, kind)

    def find(self, session_ids: Iterable[str]) -> dict[str, int]:
        """Return the row of each session; those that are unknown are left out.

        Where an id is on the log more than once, the last one counts.
        """
        wanted = {_digest(session_id): session_id for session_id in session_ids}
        first_halves = np.array([first for first, _ in wanted], np.int64)
        sieve = np.zeros(1 << SIEVE_BITS, np.bool_)
        sieve[first_halves & (len(sieve) - 1)] = True
        found: dict[str, int] = {}
        for begin, block in _blocks(self._digest.rows):
            for at in np.flatnonzero(sieve[block[:, 0] & (len(sieve) - 1)]).tolist():
                session_id = wanted.get((int(block[at, 0]), int(block[at, 1])))
                if session_id is not None:
                    found[session_id] = begin + at
        return found

    def place(self, row: int) -> int:
        """Return the place of a session in the history."""
        return int(self._place.rows[row])

    def has_ended(self, row: int) -> bool:
        """Return whether a session was voided or superseded."""
        return row in self._ended_at

    def is_superseded(self, row: int) -> bool:
        """Return whether another session took the place of this one."""
        return row in self._superseded

    def ended_by(self, seq: int) -> NDArray[np.int64]:
        """Return the endings by fact `seq`, of shape [n, 3]: seq, row, kind."""
        endings = self._endings.rows
        return endings[_equal(endings[:, SEQ], seq)]

    def taken_in_by(self, seq: int) -> range:
        """Return the rows of the sessions that fact `seq` brought or reseated, or no rows."""
        return range(len(self._seq))[_equal(self._seq.rows, seq)]

    def reseated_by(self, seq: int) -> list[tuple[int, int]]:
        """Return the sessions that fact `seq` reseated: the rows before and after, in order."""
        endings = self.ended_by(seq)
        before = endings[endings[:, KIND] == RESEATED, ROW].tolist()
        return [*zip(before, self.taken_in_by(seq), strict=False)]

    def exchanged(self, reseated: Iterable[tuple[int, int]]) -> NDArray[np.int32]:
        """Return who lost and who got seats in reseated sessions, in rising order."""
        people: set[int] = set()
        for old, new in reseated:
            for was, now in zip(self.tables_of(old), self.tables_of(new), strict=True):
                people.update(
                    each
                    for pair in zip(was, now, strict=True)
                    if pair[0] != pair[1]
                    for each in pair
                )
        return np.array(sorted(people), np.int32)

    def rounds_of(self, row: int) -> range:
        """Return the rows of a session's rounds."""
        begin, end = self._bounds.rows[row : row + 2].tolist()
        return range(begin, end)

    def tables_of(self, row: int) -> list[list[int]]:
        """Return who sits in each round of a session, without empty seats."""
        rounds = self.rounds_of(row)
        tables = self._players.rows[rounds.start : rounds.stop].tolist()
        return [[player for player in table if player != EMPTY_SEAT] for table in tables]

    def results_of(self, round_row: int) -> tuple[list[int], int]:
        """Return how many games each seat won in a round, and how many no one won."""
        won = self._mahjongs.rows[round_row].tolist()
        return won, int(self._games_played.rows[round_row]) - sum(won)

    def told(self, round_row: int) -> tuple[int, int]:
        """Return the fact that brought a round, and its number there, from 1.

        A round of a reseated session is the same as before.
        """
        row = int(np.searchsorted(self._bounds.rows, round_row, side="right")) - 1
        number = round_row - int(self._bounds.rows[row]) + 1
        return int(self._seq.rows[self._origin.get(row, row)]), number

    def seated(self, rows: Iterable[int]) -> NDArray[np.int32]:
        """Return who sat anywhere in these sessions, in rising order."""
        bounds, players = self._bounds.rows, self._players.rows
        tables = [players[bounds[row] : bounds[row + 1]].ravel() for row in rows]
        seated = np.unique(np.concatenate([*tables, np.array([EMPTY_SEAT], np.int32)]))
        people: NDArray[np.int32] = seated[seated != EMPTY_SEAT]
        return people

    def rounds_with(self, players: Iterable[int], as_of: int) -> NDArray[np.int64]:
        """Return the rows of all rounds where any of these sat and that count as of a fact."""
        members = np.fromiter(players, np.int32)
        found = [
            begin + np.unique(np.flatnonzero(np.isin(block, members)) // SEATS_MAX)
            for begin, block in _blocks(self._players.rows)
        ]
        rows = np.concatenate([*found, np.zeros(0, np.int64)])
        sessions = self._sessions_of(rows)
        counts = [
            seq <= as_of < self._ended_at.get(row, as_of + 1)
            for seq, row in zip(self._seq.rows[sessions].tolist(), sessions.tolist(), strict=True)
        ]
        return rows[np.array(counts, np.bool_)]

    def tables(self, rounds: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return who sat where in these rounds, of shape [n, 4]."""
        return self._players.rows[rounds]

    def places_of(self, rounds: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the places of the sessions of these rounds."""
        return self._place.rows[self._sessions_of(rounds)]

    def rounds(self) -> Rounds:
        """Return all rounds ever played, including those of sessions that ended."""
        return Rounds(
            players=self._players.rows,
            mahjongs=self._mahjongs.rows,
            points_centi=self._points_centi.rows,
            games_played=self._games_played.rows,
            seats=self._seats.rows,
            points_count=self._points_count.rows,
        )

    def in_order(self, as_of: int, place_from: int) -> Sessions:
        """Return the sessions that count as of a fact, in order of place, from a place on."""
        seqs, bounds = self._seq.rows, self._bounds.rows
        begin, end = np.searchsorted(seqs, (place_from, as_of + 1)).tolist()
        sessions = Sessions(seqs[begin:end], bounds[begin:end], bounds[begin + 1 : end + 1])
        ended = self._ended_rows(as_of)
        moved = np.array(self._moved, np.int64)
        moved = moved[moved < end]
        away = np.union1d(ended, moved)
        away = away[(away >= begin) & (away < end)]
        if not len(away):
            return sessions
        # A session that takes a place is where the first one was, which has ended.
        there = np.setdiff1d(moved, ended)
        there = there[self._place.rows[there] >= place_from]
        at = np.searchsorted(seqs, self._place.rows[there])
        round_from, round_to = sessions.round_from.copy(), sessions.round_to.copy()
        round_from[at - begin] = bounds[there]
        round_to[at - begin] = bounds[there + 1]
        gone = np.setdiff1d(away, at) - begin
        return Sessions(*(np.delete(each, gone) for each in (sessions.place, round_from, round_to)))

    def _ended_rows(self, as_of: int) -> NDArray[np.int64]:
        endings = self._endings.rows
        endings = endings[: np.searchsorted(endings[:, SEQ], as_of, side="right")]
        return np.unique(endings[endings[:, KIND] != NAMED_AGAIN, ROW])

    def _sessions_of(self, rounds: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.searchsorted(self._bounds.rows, rounds, side="right") - 1

    def _note_ending(self, seq: int, row: int, kind: int) -> None:
        if kind != NAMED_AGAIN:
            self._ended_at.setdefault(row, seq)
        if kind == SUPERSEDED:
            self._superseded.add(row)


NONE: Final = [0] * SEATS_MAX
EMPTY_SEATS: Final = [EMPTY_SEAT] * SEATS_MAX


def _blocks(rows: Rows) -> Iterator[tuple[int, Rows]]:
    for begin in range(0, len(rows), BLOCK_ROWS):
        yield begin, rows[begin : begin + BLOCK_ROWS]


def _equal(rising: NDArray[np.int64], number: int) -> slice:
    """Return where a column of rising numbers has this one."""
    begin, end = np.searchsorted(rising, (number, number + 1)).tolist()
    return slice(begin, end)


def _wide(rows: Sequence[Sequence[int]], empty: Sequence[int]) -> list[int]:
    """Return the numbers of all rows, each padded to the number of seats."""
    numbers = [*chain.from_iterable(rows)]
    if len(numbers) < SEATS_MAX * len(rows):
        return [*chain.from_iterable((*row, *empty[len(row) :]) for row in rows)]
    return numbers


def _digest(session_id: str) -> Digest:
    """Return two whole numbers that represent a session id: 16 bytes of a hash."""
    first, second = HALVES.unpack(blake2b(session_id.encode(), digest_size=16).digest())
    return first, second
