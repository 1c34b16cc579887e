"""Works out from the facts who sits in the sessions whose seats were reassigned.

What ingest keeps about them is compared with it (recorded.py); few sessions are, so they are held
in memory.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import asyncpg

from services.ingest.record.judging.identified import seated_players
from services.ingest.record.judging.prints import RoundPrint, content_print
from services.projections.common.tables import WHOLE_TABLE_S_MAX
from shared.events.codec import decode_session
from shared.events.facts import SeatsReassigned, SessionSubmitted
from shared.replay.reseating import Tables, as_sent, reassigned, with_seated, written_tables

Connection = asyncpg.pool.PoolConnectionProxy
# The prints of the rounds of a session, as it was sent or as it is seated.
Prints: TypeAlias = Callable[[SessionSubmitted], Sequence[RoundPrint]]

CREATE_TABLES: Final = """
CREATE TEMPORARY TABLE told_reseats AS
    SELECT session_id, fact_seq, given, taker, seats, content_print
    FROM mahjic.reseats WHERE false;
ALTER TABLE told_reseats ADD PRIMARY KEY (session_id);
CREATE TEMPORARY TABLE told_reseated_prints AS
    SELECT session_id, round_no, base_print, points_print
    FROM mahjic.reseated_prints WHERE false;
ALTER TABLE told_reseated_prints ADD PRIMARY KEY (session_id, round_no);
"""
READ_FACTS: Final = """
SELECT sent.session_id, facts.body
FROM told_submissions AS sent JOIN mahjic.facts AS facts ON facts.seq = sent.fact_seq
WHERE sent.session_id = ANY($1::text[])
"""
ADD_RESEAT: Final = """
INSERT INTO told_reseats (session_id, fact_seq, given, taker, seats, content_print)
VALUES ($1, $2, $3, $4, $5, $6)
"""
ADD_PRINTS: Final = """
INSERT INTO told_reseated_prints (session_id, round_no, base_print, points_print)
VALUES ($1, $2, $3, $4)
"""
LEAVE: Final = """
UPDATE told_seats SET sits = false WHERE session_id = $1 AND player_id <> ALL($2::text[])
"""
JOIN: Final = """
INSERT INTO told_seats (player_id, session_date, session_id, is_sent, sits)
SELECT joined.player_id, sent.session_date, sent.session_id, false, true
FROM unnest($2::text[]) AS joined (player_id)
JOIN told_submissions AS sent ON sent.session_id = $1
ON CONFLICT (player_id, session_date, session_id) DO NOTHING
"""


@dataclass(slots=True)
class ToldReseats:
    """Who sits in reseated sessions, after the facts that were taken in."""

    connection: Connection
    _sent: dict[str, SessionSubmitted] = field(default_factory=dict)
    _tables: dict[str, Tables[str]] = field(default_factory=dict)
    _last: dict[str, tuple[int, str, str]] = field(default_factory=dict)

    async def take_in(self, seq: int, event: SeatsReassigned, links: Mapping[str, str]) -> None:
        """Apply a fact. `links` are the merges as of it."""
        unread = [each for each in event.sessions if each not in self._sent]
        for row in await self.connection.fetch(READ_FACTS, unread):
            session = decode_session(row["body"])
            assert session is not None, "Whoever sits there was read from the fact."
            self._sent[row["session_id"]] = session
            self._tables[row["session_id"]] = as_sent([each.players for each in session.rounds])
        for each in event.sessions:
            tables = self._tables[each]
            self._tables[each] = reassigned(
                tables, event.from_, event.to, seq, lambda player_id: _end_of(player_id, links)
            )
            self._last[each] = (seq, event.from_, event.to)

    def seated(self) -> Iterable[tuple[SessionSubmitted, SessionSubmitted]]:
        """Yield each of these sessions, as it was sent and as it is seated."""
        for session_id, sent in self._sent.items():
            yield sent, with_seated(sent, self._tables[session_id])

    async def write(self, prints: Prints) -> None:
        """Write what follows into the tables that are compared."""
        for sent, seated in self.seated():
            session_id = sent.session_id
            before, after = prints(sent), prints(seated)
            await self._execute(ADD_RESEAT, *self._row(session_id, before, after, seated))
            rounds = [
                (session_id, number, now.base, now.points)
                for number, (was, now) in enumerate(zip(before, after, strict=True), start=1)
                if was.base != now.base
            ]
            await self.connection.executemany(ADD_PRINTS, rounds, timeout=WHOLE_TABLE_S_MAX)
            players = seated_players(seated)
            await self._execute(LEAVE, session_id, players)
            await self._execute(JOIN, session_id, players)

    def _row(
        self,
        session_id: str,
        before: Sequence[RoundPrint],
        after: Sequence[RoundPrint],
        seated: SessionSubmitted,
    ) -> tuple[Any, ...]:
        seats = written_tables(self._tables[session_id])
        content = None if before == after else content_print(seated, after, seated.source)
        return session_id, *self._last[session_id], seats, content

    async def _execute(self, query: str, *arguments: Any) -> None:  # noqa: ANN401
        await self.connection.execute(query, *arguments, timeout=WHOLE_TABLE_S_MAX)


def _end_of(player_id: str, links: Mapping[str, str]) -> str:
    while player_id in links:
        player_id = links[player_id]
    return player_id
