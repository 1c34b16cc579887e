"""Brings builds of views further, one batch at a time.

Every record is decoded once for all views. A verdict of many parts is applied in whole parts, and
until the last one a build says how far it is.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

import asyncpg

from shared.events.decoded import DecodedVerdicts
from shared.feed.steps import Step, next_steps
from shared.feed.views import Advance, Build, LoggedVerdict, View, read_build
from shared.log.port import Log, Position, Record

# Larger batches gain nothing, and hold their transaction and memory longer.
BATCH_RECORDS_MAX: Final = 500
BATCH_PEOPLE_MAX: Final = 2000
# A part of a long verdict has about 500 KB, and costs as much as hundreds of sessions; a batch of
# other records is rarely larger than this.
BATCH_BYTES_MAX: Final = 1024 * 1024
# Decoding shares the thread with requests; after this many records the others get a turn.
DECODE_RECORDS_MAX: Final = 50

LOCK_BUILDS: Final = """
SELECT schema_name, view, version, log_id, seq, chain, fact_seq, people_seq,
    correcting_part, correcting_parts
FROM mahjic.view_builds WHERE schema_name = ANY($1::text[]) ORDER BY schema_name FOR UPDATE
"""
SAVE_BUILDS: Final = """
WITH saved AS (UPDATE mahjic.view_builds AS b
SET seq = n.seq, chain = n.chain, fact_seq = n.fact_seq, people_seq = n.people_seq,
    correcting_part = n.correcting_part, correcting_parts = n.correcting_parts
FROM unnest(
    $1::text[], $2::bigint[], $3::bytea[], $4::bigint[], $5::bigint[], $6::integer[], $7::integer[]
) AS n (schema_name, seq, chain, fact_seq, people_seq, correcting_part, correcting_parts)
WHERE b.schema_name = n.schema_name RETURNING b.fact_seq)
SELECT pg_notify('mahjic_views', max(saved.fact_seq)::text) FROM saved
"""
# A later commit that does wait makes this one durable too.
COMMIT_WITHOUT_WAITING: Final = "SET LOCAL synchronous_commit TO off"
READ_PEOPLE_CHANGES: Final = """
SELECT seq, player_id FROM mahjic.people_changes WHERE seq > $1 ORDER BY seq LIMIT $2
"""


class Overtaken(Exception):
    """Another follower has moved a build meanwhile; nothing was written."""


async def advance(
    pool: asyncpg.Pool,
    log: Log,
    builds: Sequence[Build],
    views: Mapping[str, View],
    *,
    records_max: int = BATCH_RECORDS_MAX,
    seq_max: int | None = None,
    decoded: DecodedVerdicts | None = None,
) -> Advance:
    """Bring builds one batch further, reading from the lowest; not beyond `seq_max`.

    Verdicts that others have already decoded are taken from `decoded`.

    Raises Overtaken, and has written nothing, when one of them is no longer where it was read.
    """
    lowest = min((build.position for build in builds), key=lambda position: position.seq)
    if seq_max is not None:
        records_max = min(records_max, seq_max - lowest.seq)
    entries = await read_entries(log, lowest, records_max, decoded=decoded)
    people = await changed_since(pool, builds)
    steps = next_steps(builds, entries, people)
    moving = [step for step in steps if step.after != step.before]
    if moving:
        await _write(pool, moving, views)
    return Advance([step.after for step in steps], entries, len(people))


async def advance_apart(
    pool: asyncpg.Pool,
    builds: Sequence[Build],
    views: Mapping[str, View],
    entries: Sequence[LoggedVerdict],
) -> Advance:
    """Bring builds that are not read yet one batch further, side by side.

    Each has its own connection and transaction: after an error, or a crash of the server, some may
    be further than others, and none of them can be used.
    """
    people = await changed_since(pool, builds)
    steps = next_steps(builds, entries, people)
    writing = [
        asyncio.create_task(_write(pool, [step], views, is_lasting=False))
        for step in steps
        if step.after != step.before
    ]
    try:
        if writing:
            await asyncio.wait(writing, return_when=asyncio.FIRST_EXCEPTION)
        for task in writing:
            if task.done():
                task.result()
    finally:
        for task in writing:
            task.cancel()
        if writing:
            await asyncio.wait(writing)
    return Advance([step.after for step in steps], entries, len(people))


async def read_entries(
    log: Log,
    after: Position,
    records_max: int,
    bytes_max: int = BATCH_BYTES_MAX,
    *,
    decoded: DecodedVerdicts | None = None,
) -> list[LoggedVerdict]:
    """Read and decode one batch: this many records, or fewer when they are large."""
    if records_max <= 0:
        return []
    records = await log.read(after, records_max)
    return await _decode(records, bytes_max, decoded or DecodedVerdicts())


async def changed_since(pool: asyncpg.Pool, builds: Sequence[Build]) -> list[asyncpg.Record]:
    """Return the next changes of people that some build has not applied."""
    since = min(build.people_seq for build in builds)
    return await pool.fetch(READ_PEOPLE_CHANGES, since, BATCH_PEOPLE_MAX)


async def _decode(
    records: Sequence[Record], bytes_max: int, decoded: DecodedVerdicts
) -> list[LoggedVerdict]:
    """Decode one batch: all records, or only the first ones when they are large.

    The first of several parts begins a new batch. So a batch that ends between parts holds parts
    of one verdict and nothing else.
    """
    entries: list[LoggedVerdict] = []
    bytes_left = bytes_max
    for record in records:
        bytes_left -= len(record.body)
        if entries and bytes_left < 0:
            break
        entry = LoggedVerdict(record, decoded.take(record.chain, record.body))
        if entries and _begins_parts(entry):
            break
        entries.append(entry)
        if len(entries) % DECODE_RECORDS_MAX == 0:
            await asyncio.sleep(0)
    return entries


def _begins_parts(entry: LoggedVerdict) -> bool:
    answers = entry.verdict.answers
    return answers.part == 1 < answers.parts


async def _write(
    pool: asyncpg.Pool,
    steps: Sequence[Step],
    views: Mapping[str, View],
    *,
    is_lasting: bool = True,
) -> None:
    async with pool.acquire() as connection, connection.transaction():
        if not is_lasting:
            await connection.execute(COMMIT_WITHOUT_WAITING)
        # Locked in one order by every follower, so that two of them can't block each other.
        held = await connection.fetch(LOCK_BUILDS, [step.before.schema for step in steps])
        builds = {build.schema: build for build in map(read_build, held)}
        if any(builds.get(step.before.schema) != step.before for step in steps):
            raise Overtaken
        for step in steps:
            await views[step.before.view].apply(connection, step.before.schema, step.batch)
        after = [step.after for step in steps]
        await connection.execute(
            SAVE_BUILDS,
            [build.schema for build in after],
            [build.position.seq for build in after],
            [build.position.chain for build in after],
            [build.fact_seq for build in after],
            [build.people_seq for build in after],
            [None if build.correcting is None else build.correcting[0] for build in after],
            [None if build.correcting is None else build.correcting[1] for build in after],
        )
