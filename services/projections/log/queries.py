"""Reads stretches of the two logs from their tables, byte for byte as they stand there."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final, Literal

from services.projections.reading import ViewReader
from shared.events.chain import first_chain

LogName = Literal["facts", "verdicts"]
# A few hundred records at a time keep the memory small, however long the answer is.
CHUNK_RECORDS: Final = 200

# The record before the stretch, if there is one, and the last record of it.
READ_ENDS: Final = """
SELECT head.log_id, before.chain AS chain_before, last.seq AS last_seq, last.chain AS chain_after
FROM mahjic.head AS head
LEFT JOIN mahjic.{log} AS before ON before.seq = $1::bigint - 1
LEFT JOIN LATERAL (
    SELECT r.seq, r.chain FROM mahjic.{log} AS r
    WHERE r.seq >= $1 AND r.seq < $1::bigint + $2 ORDER BY r.seq DESC LIMIT 1
) AS last ON true
"""
READ_BODIES: Final = """
SELECT seq, body FROM mahjic.{log} WHERE seq BETWEEN $1 AND $2 ORDER BY seq
"""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Records `first_seq` to `last_seq` of a log, and the chain on both ends of them.

    `chain_before` is None when the log does not reach up to the stretch.
    """

    log_id: str
    log: LogName
    first_seq: int
    last_seq: int
    chain_before: bytes | None
    chain_after: bytes | None


async def read_stretch(reader: ViewReader, log: LogName, first_seq: int, limit: int) -> Stretch:
    """Find the stretch of at most `limit` records from a seq on."""
    (row,) = await reader.fetch_plain(READ_ENDS.format(log=log), first_seq, limit)
    before = first_chain(row["log_id"], log) if first_seq == 1 else row["chain_before"]
    if row["last_seq"] is None:
        return Stretch(row["log_id"], log, first_seq, first_seq - 1, before, before)
    return Stretch(row["log_id"], log, first_seq, row["last_seq"], before, row["chain_after"])


async def read_bodies(reader: ViewReader, stretch: Stretch) -> AsyncIterator[tuple[int, bytes]]:
    """Yield seq and bytes of every record of a stretch."""
    query = READ_BODIES.format(log=stretch.log)
    for first in range(stretch.first_seq, stretch.last_seq + 1, CHUNK_RECORDS):
        last = min(first + CHUNK_RECORDS - 1, stretch.last_seq)
        for row in await reader.fetch_plain(query, first, last):
            yield row["seq"], row["body"]
