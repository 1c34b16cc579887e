"""Checks what ingest goes by against the facts: sessions, seats, prints of rounds, and players.

What the facts say is worked out again, without the code that wrote it down, into tables that only
this connection sees and that end with it; so memory stays small however many facts there are.
What no fact says is not checked: addresses, names, refs, notes, keys, who a source knows. The
prints of refs are taken as they are, to compute the print of a whole session from them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final, TypeAlias

import asyncpg

from services.ingest.record.judging.prints import RoundPrint, content_print, fact_prints
from services.operating.proofs import reseated
from services.operating.proofs.reseated import ToldReseats
from services.projections.building.comparing import Difference, Tables, differences_of
from services.projections.common.tables import WHOLE_TABLE_S_MAX
from shared.events.codec import decode_fact
from shared.events.facts import (
    FactEvent,
    FormulaAdopted,
    FormulaAdoptedFromBeginning,
    PlayersMerged,
    PlayersUnmerged,
    PlayerVerificationEnded,
    PlayerVerified,
    SeatsReassigned,
    SessionCorrected,
    SessionSubmitted,
    SessionsVoided,
)
from shared.events.fields import UnreadableRecord
from shared.ids import BOB

Connection = asyncpg.pool.PoolConnectionProxy
Progress = Callable[[str, int, int], None]
# By session and round number, as far as there are any.
Refs: TypeAlias = Mapping[tuple[str, int], bytes]

ROWS_MAX: Final = 20
PAGE_FACTS: Final = 500

# The same columns as those of ingest, as far as a fact has them.
CREATE_TABLES: Final = """
CREATE TEMPORARY TABLE told_submissions AS
    SELECT session_id, source, status, fact_seq, place_seq, session_date, content_print, corrects,
        corrected_by, ended_fact_seq, end_reason
    FROM mahjic.submissions WHERE false;
ALTER TABLE told_submissions ADD PRIMARY KEY (session_id);
CREATE TEMPORARY TABLE told_seats AS
    SELECT player_id, session_date, session_id, is_sent, sits FROM mahjic.seats WHERE false;
ALTER TABLE told_seats ADD PRIMARY KEY (player_id, session_date, session_id);
CREATE INDEX ON told_seats (session_id);
CREATE TEMPORARY TABLE told_round_prints AS
    SELECT session_id, round_no, base_print, points_print FROM mahjic.round_prints WHERE false;
ALTER TABLE told_round_prints ADD PRIMARY KEY (session_id, round_no);
CREATE TEMPORARY TABLE told_players AS
    SELECT player_id, is_verified, merged_into, link_fact_seq, has_members
    FROM mahjic.players WHERE false;
ALTER TABLE told_players ADD PRIMARY KEY (player_id),
    ALTER COLUMN is_verified SET DEFAULT false, ALTER COLUMN has_members SET DEFAULT false;
CREATE TEMPORARY TABLE told_formulas AS
    SELECT fact_seq, formula, since FROM mahjic.formulas WHERE false;
ALTER TABLE told_formulas ADD PRIMARY KEY (fact_seq);
"""
READ_FACTS: Final = "SELECT seq, body FROM mahjic.facts WHERE seq > $1 ORDER BY seq LIMIT $2"
READ_END: Final = "SELECT fact_seq FROM mahjic.head"
ADD_SESSIONS: Final = """
INSERT INTO told_submissions
    (session_id, source, status, fact_seq, place_seq, session_date, content_print)
SELECT s.session_id, s.source, 'accepted', s.fact_seq, s.fact_seq, s.session_date, s.content_print
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::date[], $5::bytea[])
    AS s (session_id, source, fact_seq, session_date, content_print)
"""
READ_REFS: Final = """
SELECT session_id, round_no, ref_print FROM mahjic.round_prints
WHERE session_id = ANY($1::text[]) AND ref_print IS NOT NULL
"""
VOID: Final = """
UPDATE told_submissions SET status = 'voided', ended_fact_seq = $2, end_reason = $3
WHERE session_id = ANY($1::text[])
"""
CORRECT: Final = """
WITH old AS (
    UPDATE told_submissions
    SET status = 'corrected', corrected_by = $2, ended_fact_seq = $3, end_reason = $4
    WHERE session_id = $1 RETURNING place_seq
)
UPDATE told_submissions SET corrects = $1, place_seq = old.place_seq
FROM old WHERE session_id = $2
"""
SET_VERIFIED: Final = """
INSERT INTO told_players (player_id, is_verified) VALUES ($1, $2)
ON CONFLICT (player_id) DO UPDATE SET is_verified = excluded.is_verified
"""
SET_LINK: Final = """
INSERT INTO told_players (player_id, merged_into, link_fact_seq) VALUES ($1, $2, $3)
ON CONFLICT (player_id) DO UPDATE
SET merged_into = excluded.merged_into, link_fact_seq = excluded.link_fact_seq
"""
# For good, even if it is undone.
SET_HAS_MEMBERS: Final = """
INSERT INTO told_players (player_id, has_members) VALUES ($1, true)
ON CONFLICT (player_id) DO UPDATE SET has_members = true
"""
# The sessions whose prints are computed from ids other than those of the fact.
READ_MERGED_SESSIONS: Final = """
SELECT DISTINCT facts.seq, facts.body
FROM told_seats AS seats
JOIN told_submissions AS sent ON sent.session_id = seats.session_id
JOIN mahjic.facts AS facts ON facts.seq = sent.fact_seq
WHERE seats.player_id = ANY($1::text[])
"""
REPRINT: Final = """
UPDATE told_round_prints SET base_print = $3, points_print = $4
WHERE session_id = $1 AND round_no = $2
"""
REPRINT_CONTENT: Final = "UPDATE told_submissions SET content_print = $2 WHERE session_id = $1"
# Only the players that a fact says something about; every other row is as it was created.
PLAYERS_FOUND: Final = """(
    SELECT player_id, is_verified, merged_into, link_fact_seq, has_members FROM mahjic.players
    WHERE is_verified OR merged_into IS NOT NULL OR link_fact_seq IS NOT NULL OR has_members
)"""
FORGET_UNTOLD: Final = """
DELETE FROM told_players
WHERE NOT is_verified AND merged_into IS NULL AND link_fact_seq IS NULL AND NOT has_members
"""
# Autovacuum does not reach tables that only one connection sees.
ANALYZE: Final = """
ANALYZE told_submissions, told_seats, told_round_prints, told_players, told_formulas, told_reseats,
    told_reseated_prints
"""
COUNT: Final = "SELECT count(*) FROM told_submissions"
FOUND: Final = {
    "submissions": "mahjic.submissions",
    "seats": "mahjic.seats",
    "round_prints": "mahjic.round_prints",
    "players": PLAYERS_FOUND,
    "formulas": "mahjic.formulas",
    "reseats": "mahjic.reseats",
    "reseated_prints": "mahjic.reseated_prints",
}


@dataclass(frozen=True, slots=True)
class RecordHeld:
    """The result of comparing what ingest goes by: up to which fact, and what differs."""

    fact_seq: int
    sessions: int
    differences: tuple[Difference, ...]


async def hold_record(pool: asyncpg.Pool, progress: Progress) -> RecordHeld:
    """Compare what ingest goes by with what the facts say, while it goes on recording.

    Most facts are read before the moment that is compared, so that this moment is short.
    """
    async with pool.acquire() as connection:
        try:
            await connection.execute(CREATE_TABLES + reseated.CREATE_TABLES)
            told = _Told(connection, progress, ToldReseats(connection))
            await told.take_in(await connection.fetchval(READ_END))
            async with connection.transaction(isolation="repeatable_read"):
                end = await connection.fetchval(READ_END)
                await told.take_in(end)
                await told.print_merged()
                await told.write_reseats()
                await connection.execute(FORGET_UNTOLD, timeout=WHOLE_TABLE_S_MAX)
                await connection.execute(ANALYZE, timeout=WHOLE_TABLE_S_MAX)
                differences = await _compare(connection)
                sessions = await connection.fetchval(COUNT, timeout=WHOLE_TABLE_S_MAX)
            return RecordHeld(end, sessions, tuple(differences))
        finally:
            if not connection.is_closed():
                await connection.execute("DISCARD TEMPORARY")


async def _compare(connection: Connection) -> list[Difference]:
    differences: list[Difference] = []
    for table, found in FOUND.items():
        both = Tables("What ingest goes by", f"mahjic.{table}", found, f"told_{table}")
        differences += await differences_of(connection, both, ROWS_MAX)
    return differences


@dataclass(slots=True)
class _Told:
    """What the facts say, up to one of them, in the tables of a connection."""

    connection: Connection
    progress: Progress
    reseats: ToldReseats
    seq: int = 0
    links: dict[str, str] = field(default_factory=dict)
    _fresh: list[tuple[int, SessionSubmitted]] = field(default_factory=list)

    async def take_in(self, end: int) -> None:
        """Apply the facts up to `end`."""
        while self.seq < end:
            limit = min(PAGE_FACTS, end - self.seq)
            page = await self.connection.fetch(READ_FACTS, self.seq, limit)
            assert page, "The chain of the facts was verified up to here."
            for row in page:
                try:
                    event = decode_fact(row["body"]).event
                except UnreadableRecord:
                    continue  # The rater refuses it, and nothing about it is on record.
                await self._take_in(row["seq"], event)
            await self._write_sessions()
            self.seq = page[-1]["seq"]
            self.progress(f"fact {self.seq}", self.seq, end)

    async def print_merged(self) -> None:
        """Recompute the prints of sessions with a player who now counts as another."""
        survivors = self._survivors()
        if not survivors:
            return
        # All sessions of merged players at once are few compared with all there are.
        merged = self.connection.cursor(
            READ_MERGED_SESSIONS, list(survivors), timeout=WHOLE_TABLE_S_MAX
        )
        async for row in merged:
            session = session_of(decode_fact(row["body"]).event)
            assert session is not None, "It told of a session when it was taken in."
            refs = await self._refs([session])
            prints = _prints(session, survivors, refs)
            await self.connection.executemany(REPRINT, _print_rows(session, prints))
            content = content_print(session, prints, session.source)
            await self.connection.execute(REPRINT_CONTENT, session.session_id, content)

    async def write_reseats(self) -> None:
        """Write who sits in the sessions whose seats were reassigned."""
        survivors = self._survivors()
        refs = await self._refs([sent for sent, _ in self.reseats.seated()])
        await self.reseats.write(lambda session: _prints(session, survivors, refs))

    def _survivors(self) -> dict[str, str]:
        return {player_id: _end_of(player_id, self.links) for player_id in self.links}

    async def _take_in(self, seq: int, event: FactEvent) -> None:
        if (session := session_of(event)) is not None:
            self._fresh.append((seq, session))
        if isinstance(event, SessionSubmitted):
            return
        await self._write_sessions()  # What follows may be about them.
        write = self.connection.execute
        match event:
            case SessionsVoided(session_ids, reason):
                await write(VOID, session_ids, seq, reason)
            case SessionCorrected(corrects, reason, new):
                await write(CORRECT, corrects, new.session_id, seq, reason)
            case PlayerVerified(player_id) | PlayerVerificationEnded(player_id):
                await write(SET_VERIFIED, player_id, isinstance(event, PlayerVerified))
            case PlayersMerged(player_id, into):
                self.links[player_id] = into
                await write(SET_LINK, player_id, into, seq)
                await write(SET_HAS_MEMBERS, into)
            case PlayersUnmerged(player_id, _):
                del self.links[player_id]
                await write(SET_LINK, player_id, None, seq)
            case SeatsReassigned():
                await self.reseats.take_in(seq, event, self.links)
            case FormulaAdopted(formula) | FormulaAdoptedFromBeginning(formula):
                since = "now" if isinstance(event, FormulaAdopted) else "beginning"
                await self._copy("formulas", [(seq, formula, since)])

    async def _write_sessions(self) -> None:
        fresh, self._fresh = self._fresh, []
        if not fresh:
            return
        dates = [date.fromisoformat(session.session_date) for _, session in fresh]
        refs = await self._refs([session for _, session in fresh])
        prints = [_prints(session, {}, refs) for _, session in fresh]
        await self.connection.execute(
            ADD_SESSIONS,
            [session.session_id for _, session in fresh],
            [session.source for _, session in fresh],
            [seq for seq, _ in fresh],
            dates,
            [
                content_print(session, each, session.source)
                for (_, session), each in zip(fresh, prints, strict=True)
            ],
        )
        seats = [
            (player_id, day, session.session_id, True, True)
            for day, (_, session) in zip(dates, fresh, strict=True)
            for player_id in {each for played in session.rounds for each in played.players}
            if player_id != BOB
        ]
        await self._copy("seats", seats)
        rows = [_print_rows(each, of) for (_, each), of in zip(fresh, prints, strict=True)]
        await self._copy("round_prints", [row for of_session in rows for row in of_session])

    async def _refs(self, sessions: Sequence[SessionSubmitted]) -> Refs:
        ids = [each.session_id for each in sessions]
        rows = await self.connection.fetch(READ_REFS, ids)
        return {(row["session_id"], row["round_no"]): row["ref_print"] for row in rows}

    async def _copy(self, table: str, rows: Iterable[Sequence[Any]]) -> None:
        await self.connection.copy_records_to_table(
            f"told_{table}", records=rows, timeout=WHOLE_TABLE_S_MAX
        )


def session_of(event: FactEvent) -> SessionSubmitted | None:
    """Return the session that a fact puts on record."""
    if isinstance(event, SessionCorrected):
        return event.session
    return event if isinstance(event, SessionSubmitted) else None


def _prints(
    session: SessionSubmitted, survivors: Mapping[str, str], refs: Refs
) -> tuple[RoundPrint, ...]:
    numbers = range(1, len(session.rounds) + 1)
    kept = [refs.get((session.session_id, number)) for number in numbers]
    return fact_prints(session, survivors, kept)


def _print_rows(
    session: SessionSubmitted, prints: Sequence[RoundPrint]
) -> list[tuple[str, int, bytes, bytes | None]]:
    return [
        (session.session_id, number, each.base, each.points)
        for number, each in enumerate(prints, start=1)
    ]


def _end_of(player_id: str, links: dict[str, str]) -> str:
    """Return the player that an id counts as, at the end of the chain of links."""
    while player_id in links:
        player_id = links[player_id]
    return player_id
