"""Reads what a source is told, without those whom it no longer may see."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import asyncpg
import orjson

from services.ingest.record.ids_and_times import timestamp_of
from services.notices.answers import EventAnswer, EventData
from shared.errors import ClaimRefused, MahjicError, Mistake
from shared.notices.writing import Connection

READ_NUMBERS: Final = "SELECT last, swept FROM mahjic.notice_numbers WHERE source = $1"
READ: Final = """
SELECT number, kind, at, data, shown_ids FROM mahjic.notices
WHERE source = $1 AND number > $2 ORDER BY number LIMIT $3
"""
READ_NUMBERED: Final = """
SELECT number, kind, at, data, shown_ids FROM mahjic.notices
WHERE source = $1 AND number = ANY($2::bigint[]) ORDER BY number
"""
READ_PUBLIC: Final = """
SELECT player_id FROM mahjic.public_players WHERE player_id = ANY($1::text[])
"""


class EventsGone(MahjicError):
    """What is asked for is older than what is kept."""

    code = "gone"
    title = "These events are gone"
    status = 410


@dataclass(frozen=True, slots=True)
class ReadEvents:
    """Events, up to which number they were read, and whether there were no more."""

    events: Sequence[EventAnswer]
    read_to: int
    is_last: bool


async def read_events(pool: asyncpg.Pool, source: str, after: int, limit: int) -> ReadEvents:
    """Return the next events of a source. Raises EventsGone and ClaimRefused."""
    async with pool.acquire() as connection, connection.transaction(isolation="repeatable_read"):
        numbers = await connection.fetchrow(READ_NUMBERS, source)
        last, swept = (0, 0) if numbers is None else (numbers["last"], numbers["swept"])
        _check(after, last, swept)
        rows = await connection.fetch(READ, source, after, limit)
        public = await _still_public(connection, rows)
    events = [event for row in rows if (event := _event(row, source, public)) is not None]
    # Numbers may be left out, also the last ones: after a restore, or where all of it is gone.
    read_to = rows[-1]["number"] if len(rows) == limit else max(after, last)
    return ReadEvents(events, read_to, is_last=read_to >= last)


async def read_numbered(
    connection: Connection | asyncpg.Pool, source: str, numbers: Sequence[int]
) -> Mapping[int, EventAnswer | None]:
    """Return events of a source by their numbers, as they may be shown now.

    None for one that was about nobody else. Those that are gone are left out.
    """
    rows = await connection.fetch(READ_NUMBERED, source, list(numbers))
    public = await _still_public(connection, rows)
    return {row["number"]: _event(row, source, public) for row in rows}


def _check(after: int, last: int, swept: int) -> None:
    if after < swept:
        raise EventsGone(
            f"Events are kept for 30 days. Yours up to number {swept} are gone: read again with "
            f"after={swept}, and look up your sessions for what happened before."
        )
    if after > last:
        message = f"Your newest event has number {last}. Use `next_after` of an answer unchanged."
        raise ClaimRefused([Mistake("/query/after", "invalid_value", message)])


async def _still_public(
    connection: Connection | asyncpg.Pool, rows: Sequence[asyncpg.Record]
) -> set[str]:
    asked = {player_id for row in rows for player_id in row["shown_ids"]}
    if not asked:
        return set()
    found = await connection.fetch(READ_PUBLIC, list(asked))
    return {row["player_id"] for row in found}


def _event(row: asyncpg.Record, source: str, public: set[str]) -> EventAnswer | None:
    """Return an event as it may be shown now; None if it was about nobody else."""
    data: dict[str, Any] = orjson.loads(row["data"])
    hidden = set(row["shown_ids"]) - public
    if hidden:
        data["players"] = [each for each in data["players"] if each["player_id"] not in hidden]
        if not data["players"] and "session_id" not in data:
            return None
    event: EventAnswer = {
        "number": row["number"],
        "type": row["kind"],
        "timestamp": timestamp_of(row["at"]),
        "source": source,
        "data": cast("EventData", data),
    }
    return event
