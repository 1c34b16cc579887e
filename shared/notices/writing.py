"""Writes notices for sources, in the transaction of what causes them.

The notices of a source are numbered under one lock, which lasts until the transaction ends: whoever
has read up to a number misses none below it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeAlias

import asyncpg
import orjson
from asyncpg.pool import PoolConnectionProxy

from shared.notices.kinds import NoticeKind

Connection: TypeAlias = asyncpg.Connection | PoolConnectionProxy

NOTICES_CHANNEL: Final = "mahjic_notices"

# In the order of the sources, so that two who write cannot block each other.
LOCK: Final = """
INSERT INTO mahjic.notice_numbers AS numbers (source)
SELECT source FROM unnest($1::text[]) AS each (source) ORDER BY source
ON CONFLICT (source) DO UPDATE SET last = numbers.last
RETURNING source, last
"""
ALREADY: Final = """
SELECT told.source, told.cause FROM mahjic.notices AS told
JOIN unnest($1::text[], $2::text[]) AS asked (source, cause) USING (source, cause)
"""
ADD: Final = """
INSERT INTO mahjic.notices (source, number, cause, kind, at, data, shown_ids)
SELECT source, number, cause, kind, at, data, string_to_array(shown_ids, ' ')
FROM unnest(
    $1::text[], $2::bigint[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[]
) AS new (source, number, cause, kind, at, data, shown_ids)
"""
SAVE_NUMBERS: Final = """
WITH saved AS (
    UPDATE mahjic.notice_numbers AS numbers SET last = new.last
    FROM unnest($1::text[], $2::bigint[]) AS new (source, last)
    WHERE numbers.source = new.source RETURNING numbers.last
)
SELECT pg_notify('mahjic_notices', max(last)::text) FROM saved
"""


@dataclass(frozen=True, slots=True)
class Notice:
    """What one source is told. The same `cause` is told to it once.

    `shown_ids` are the players in `data` whom the source sees only because everyone does.
    """

    source: str
    kind: NoticeKind
    cause: str
    at: datetime
    data: Mapping[str, Any]
    shown_ids: Sequence[str] = ()


async def write_notices(connection: Connection, notices: Iterable[Notice]) -> int:
    """Write what was not told before, and return how much that was.

    The connection is in a transaction, and takes no other lock afterward.
    """
    assert connection.is_in_transaction()
    asked = {(each.source, each.cause): each for each in notices}
    if not asked:
        return 0
    sources = sorted({source for source, _ in asked})
    numbers = {row["source"]: row["last"] for row in await connection.fetch(LOCK, sources)}
    told = await connection.fetch(ALREADY, *_columns(asked))
    for row in told:
        del asked[row["source"], row["cause"]]
    if not asked:
        return 0
    rows = []
    for each in asked.values():
        numbers[each.source] += 1
        rows.append(
            (
                each.source,
                numbers[each.source],
                each.cause,
                each.kind,
                each.at,
                orjson.dumps(each.data).decode(),
                " ".join(each.shown_ids),
            )
        )
    await connection.execute(ADD, *_columns(rows))
    await connection.execute(SAVE_NUMBERS, list(numbers), list(numbers.values()))
    return len(rows)


def _columns(rows: Iterable[tuple[Any, ...]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]
