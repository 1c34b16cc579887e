"""Reads a player's history by session: which facts are on a page, and all entries of those."""

from dataclasses import dataclass
from typing import Final

import asyncpg

from services.projections.answering.reading import ViewReader
from services.projections.history.entries import END_PLACE
from services.projections.history.queries import (
    MEMBERS_SHOWN,
    PLACE_COLUMNS,
    READ_ENTRIES,
    HistoryPage,
    page_of_entries,
)

PAGE_SESSIONS: Final = 25
# A session has up to a hundred rounds. A page ends after the session that passes this many.
PAGE_ENTRIES_MAX: Final = 300

# The facts that moved a player, from a place down and from it upward, one more than a page has.
READ_PLACES: Final = f"""
WITH RECURSIVE {MEMBERS_SHOWN}, below AS (
    SELECT f.fact_seq, sum(f.entries)::bigint AS entries
    FROM member CROSS JOIN LATERAL (
        SELECT c.fact_seq, count(*) AS entries FROM {{history}}.changes AS c
        WHERE c.player_id = member.player_id AND c.fact_seq <= $2
        GROUP BY c.fact_seq ORDER BY c.fact_seq DESC LIMIT {PAGE_SESSIONS + 1}
    ) AS f
    GROUP BY f.fact_seq ORDER BY f.fact_seq DESC LIMIT {PAGE_SESSIONS + 1}
), above AS (
    SELECT f.fact_seq, sum(f.entries)::bigint AS entries
    FROM member CROSS JOIN LATERAL (
        SELECT c.fact_seq, count(*) AS entries FROM {{history}}.changes AS c
        WHERE c.player_id = member.player_id AND c.fact_seq > $2
        GROUP BY c.fact_seq ORDER BY c.fact_seq LIMIT {PAGE_SESSIONS + 1}
    ) AS f
    GROUP BY f.fact_seq ORDER BY f.fact_seq LIMIT {PAGE_SESSIONS + 1}
)
SELECT live.seq, place.fact_seq, place.entries
FROM {{live}} AS live
LEFT JOIN (
    SELECT below.fact_seq, below.entries FROM below
    UNION ALL SELECT above.fact_seq, above.entries FROM above
) AS place ON true
"""
READ_SESSIONS_OF: Final = READ_ENTRIES.format(
    members=MEMBERS_SHOWN,
    places=f"""SELECT {PLACE_COLUMNS}
    FROM member CROSS JOIN LATERAL (
        SELECT {PLACE_COLUMNS} FROM {{history}}.changes AS c
        WHERE c.player_id = member.player_id AND c.fact_seq BETWEEN $2 AND $3 OFFSET 0
    ) AS c""",
)


@dataclass(frozen=True, slots=True)
class PageBySession:
    """The entries of a page, and the facts that the pages below and above begin with.

    `newer_seq` is None if the page above is the first one, or this is (`is_newest`).
    """

    page: HistoryPage
    older_seq: int | None
    newer_seq: int | None
    is_newest: bool


async def read_session_page(
    reader: ViewReader, player_id: str, start_seq: int | None
) -> PageBySession:
    """Return the page of a public player's history that begins with a fact, or the newest one.

    Raises NoPublicPlayer.
    """
    start = END_PLACE.fact_seq if start_seq is None else start_seq
    rows = await reader.fetch(READ_PLACES, player_id, start)
    places = [row for row in rows if row["fact_seq"] is not None]
    below = _page_of(sorted((r for r in places if r["fact_seq"] <= start), key=_seq, reverse=True))
    above = _page_of(sorted((r for r in places if r["fact_seq"] > start), key=_seq))
    first, last = (below.facts[-1], below.facts[0]) if below.facts else (0, 0)
    page = page_of_entries(await reader.fetch(READ_SESSIONS_OF, player_id, first, last))
    return PageBySession(
        page=page,
        older_seq=below.next_seq,
        newer_seq=None if above.next_seq is None else above.facts[-1],
        is_newest=not above.facts,
    )


@dataclass(frozen=True, slots=True)
class _Facts:
    """The facts of a page, and the first one that is no longer on it."""

    facts: list[int]
    next_seq: int | None


def _page_of(rows: list[asyncpg.Record]) -> _Facts:
    """Return as many facts as a page has."""
    facts: list[int] = []
    entries = 0
    for row in rows:
        if len(facts) == PAGE_SESSIONS or entries >= PAGE_ENTRIES_MAX:
            return _Facts(facts, row["fact_seq"])
        facts.append(row["fact_seq"])
        entries += row["entries"]
    return _Facts(facts, None)


def _seq(row: asyncpg.Record) -> int:
    fact_seq: int = row["fact_seq"]
    return fact_seq
