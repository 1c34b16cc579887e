"""Follows the log of verdicts into views: rows and position change in one transaction, or neither.

Every record is decoded once for all views. A verdict of many parts is taken in by whole parts, and
until its last one a build says how far it is. Two followers at once do no harm: the one that finds
a position moved reads it again, and applies nothing twice. A log whose history has changed stops
the feed for good.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol, TypeVar

import asyncpg
import structlog
from asyncpg.pool import PoolConnectionProxy

from shared.db.away import DATABASE_AWAY
from shared.events.codec import Verdict
from shared.events.decoded import DecodedVerdicts
from shared.log.port import HistorySplit, Log, LogAway, Position, Record

Connection = asyncpg.Connection | PoolConnectionProxy
T = TypeVar("T")

# Larger batches no longer gain, and hold their transaction and memory longer.
BATCH_RECORDS_MAX: Final = 500
BATCH_PEOPLE_MAX: Final = 2000
# A part of a long verdict has about 500 KB, and costs as much as hundreds of sessions; a batch of
# other records rarely has more than this.
BATCH_BYTES_MAX: Final = 1024 * 1024
# Decoding shares the thread with requests; after so many records the others have their turn.
DECODE_RECORDS_MAX: Final = 50
# People change without a bell, so a feed with nothing to do looks this often.
IDLE_WAIT_S: Final = 0.25
# While a batch is not full, none begins sooner than so long after the one before. A batch of three
# costs PostgreSQL nearly what one of thirty does, and takes it from those who submit; the first
# verdict after a silence is shown at once all the same.
GATHER_S: Final = 0.2
RETRY_S_MIN: Final = 0.05
RETRY_S_MAX: Final = 2.0
# Where views tell that they have moved.
VIEWS_CHANNEL: Final = "mahjic_views"

READ_LIVE: Final = """
SELECT b.schema_name, b.view, b.version, b.log_id, b.seq, b.chain, b.fact_seq, b.people_seq,
    b.correcting_part, b.correcting_parts
FROM mahjic.views AS v JOIN mahjic.view_builds AS b ON b.schema_name = v.live_schema
ORDER BY b.schema_name
"""
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
# A later commit that does wait makes this one last too.
COMMIT_WITHOUT_WAITING: Final = "SET LOCAL synchronous_commit TO off"
READ_PEOPLE_CHANGES: Final = """
SELECT seq, player_id FROM mahjic.people_changes WHERE seq > $1 ORDER BY seq LIMIT $2
"""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Entry:
    """A record of the log and the verdict in it."""

    record: Record
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Batch:
    """What a view has to apply: verdicts in order, and people whose details have changed since."""

    entries: Sequence[Entry]
    changed_people: Sequence[str]
    verdicts: Sequence[Verdict] = field(init=False, repr=False, compare=False)
    _made: dict[Callable[[Sequence[Verdict]], Any], Any] = field(
        default_factory=dict, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "verdicts", [each.verdict for each in self.entries])

    def once(self, make: Callable[[Sequence[Verdict]], T]) -> T:
        """Return what a pure function makes of the verdicts; it is called once for all views.

        Nobody may change what it returns.
        """
        if make not in self._made:
            self._made[make] = make(self.verdicts)
        made: T = self._made[make]
        return made


class View(Protocol):
    """Rows computed from the verdicts and from what people chose, and from nothing else."""

    @property
    def name(self) -> str:
        """The noun that schemas and commands call it by."""
        ...

    @property
    def version(self) -> int:
        """Raised with every change to the rows; a build of another version is not read."""
        ...

    @property
    def schema_sql(self) -> str:
        """The tables, to be made in an empty schema."""
        ...

    async def apply(self, connection: Connection, schema: str, batch: Batch) -> None:
        """Bring the rows up to the end of the batch, in the caller's transaction."""
        ...


@dataclass(frozen=True, slots=True)
class Build:
    """One build of a view, and how far it has come.

    `fact_seq` is the last fact that is wholly answered. Between the parts of the verdict on the
    next one, `correcting` is the last part that was taken in and how many there are.
    """

    schema: str
    view: str
    version: int
    position: Position
    fact_seq: int
    people_seq: int
    correcting: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Advance:
    """What one batch did: the builds as they stand after it, and what was taken in."""

    builds: Sequence[Build]
    entries: Sequence[Entry]
    people_count: int


class Overtaken(Exception):
    """Another follower has moved a build in the meantime; nothing was written."""


class Feed:
    """Keeps the live builds of the given views up with the log."""

    def __init__(
        self,
        pool: asyncpg.Pool,
        log: Log,
        views: Sequence[View],
        *,
        records_max: int = BATCH_RECORDS_MAX,
        gather_s: float = GATHER_S,
        decoded: DecodedVerdicts | None = None,
    ) -> None:
        self._pool = pool
        self._log = log
        self._views = {view.name: view for view in views}
        self._records_max = records_max
        self._gather_s = gather_s
        self._decoded = decoded or DecodedVerdicts()
        self._seq = 0
        self._fact_seq = 0
        self._is_full = False

    @property
    def seq(self) -> int:
        """The last record that every live view has taken in."""
        return self._seq

    @property
    def fact_seq(self) -> int:
        """The last fact whose verdict every live view has taken in."""
        return self._fact_seq

    async def run(self, *, tell: Callable[[int], None] = lambda _: None) -> None:
        """Follow the log until canceled, and tell `fact_seq` from when it is known.

        Raises LogGap, HistorySplit, UnknownEventType or UnreadableRecord when it can't go on.
        """
        retry_s = RETRY_S_MIN
        loop = asyncio.get_running_loop()
        while True:
            next_s = loop.time() + self._gather_s
            try:
                is_moving = await self.step()
            except (LogAway, *DATABASE_AWAY) as error:
                _log.warning("views_wait", error=type(error).__name__)
                await asyncio.sleep(retry_s)
                retry_s = min(2 * retry_s, RETRY_S_MAX)
                continue
            retry_s = RETRY_S_MIN
            if self._fact_seq:
                tell(self._fact_seq)
            if is_moving:
                await asyncio.sleep(0.0 if self._is_full else max(0.0, next_s - loop.time()))
            else:
                await self._log.wait_beyond(self._seq, IDLE_WAIT_S)

    async def step(self) -> bool:
        """Take in one batch, and tell whether there may be more."""
        if not (builds := await read_live(self._pool, self._views)):
            return False
        self._note(builds)
        try:
            done = await advance(
                self._pool,
                self._log,
                builds,
                self._views,
                records_max=self._records_max,
                decoded=self._decoded,
            )
        except Overtaken:
            return True
        self._note(done.builds)
        self._is_full = len(done.entries) >= self._records_max
        return bool(done.entries or done.people_count)

    def _note(self, builds: Sequence[Build]) -> None:
        self._seq = min(build.position.seq for build in builds)
        self._fact_seq = min(build.fact_seq for build in builds)


async def read_live(pool: asyncpg.Pool, views: Mapping[str, View]) -> list[Build]:
    """Return the live builds of the given views that have the version of this program."""
    builds = [read_build(row) for row in await pool.fetch(READ_LIVE)]
    ours = {(view.name, view.version) for view in views.values()}
    return [build for build in builds if (build.view, build.version) in ours]


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

    What others have decoded already is taken from `decoded`.

    Raises Overtaken, and has written nothing, when one of them is no longer where it was read.
    """
    lowest = min((build.position for build in builds), key=lambda position: position.seq)
    if seq_max is not None:
        records_max = min(records_max, seq_max - lowest.seq)
    entries = await read_entries(log, lowest, records_max, decoded=decoded)
    people = await changed_since(pool, builds)
    steps = _next_steps(builds, entries, people)
    moving = [step for step in steps if step.after != step.before]
    if moving:
        await _write(pool, moving, views)
    return Advance([step.after for step in steps], entries, len(people))


async def advance_apart(
    pool: asyncpg.Pool,
    builds: Sequence[Build],
    views: Mapping[str, View],
    entries: Sequence[Entry],
) -> Advance:
    """Bring builds that no one reads yet one batch further, side by side.

    Each has a connection and a transaction of its own: after an error, or a crash of the server,
    some may have come further than others, and none is of use.
    """
    people = await changed_since(pool, builds)
    steps = _next_steps(builds, entries, people)
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
) -> list[Entry]:
    """Read and decode what makes one batch: so many records, or fewer when they are large."""
    if records_max <= 0:
        return []
    records = await log.read(after, records_max)
    return await _decode(records, bytes_max, decoded or DecodedVerdicts())


async def changed_since(pool: asyncpg.Pool, builds: Sequence[Build]) -> list[asyncpg.Record]:
    """Return the next changes of people that some build has not applied."""
    since = min(build.people_seq for build in builds)
    return await pool.fetch(READ_PEOPLE_CHANGES, since, BATCH_PEOPLE_MAX)


def read_build(row: asyncpg.Record) -> Build:
    return Build(
        schema=row["schema_name"],
        view=row["view"],
        version=row["version"],
        position=Position(row["log_id"], row["seq"], row["chain"]),
        fact_seq=row["fact_seq"],
        people_seq=row["people_seq"],
        correcting=None
        if row["correcting_part"] is None
        else (row["correcting_part"], row["correcting_parts"]),
    )


@dataclass(frozen=True, slots=True)
class _Step:
    before: Build
    after: Build
    batch: Batch


async def _decode(
    records: Sequence[Record], bytes_max: int, decoded: DecodedVerdicts
) -> list[Entry]:
    """Decode what makes one batch: all records, or the first of them when they are large.

    The first part of several begins a batch of its own. What a batch that ends between parts has
    taken in is therefore parts of one verdict, and nothing else.
    """
    entries: list[Entry] = []
    bytes_left = bytes_max
    for record in records:
        bytes_left -= len(record.body)
        if entries and bytes_left < 0:
            break
        entry = Entry(record, decoded.take(record.chain, record.body))
        if entries and _begins_parts(entry):
            break
        entries.append(entry)
        if len(entries) % DECODE_RECORDS_MAX == 0:
            await asyncio.sleep(0)
    return entries


def _begins_parts(entry: Entry) -> bool:
    answers = entry.verdict.answers
    return answers.part == 1 < answers.parts


def _next_steps(
    builds: Sequence[Build], entries: Sequence[Entry], people: Sequence[asyncpg.Record]
) -> list[_Step]:
    """Return what each build has not taken in yet; builds at one place have one batch together."""
    batches: dict[tuple[int, int], Batch] = {}
    steps = []
    for build in builds:
        _check_held(build, entries)
        place = (build.position.seq, build.people_seq)
        batch = batches.get(place)
        if batch is None:
            batch = batches[place] = _batch_after(*place, entries, people)
        steps.append(_Step(build, _after(build, batch, people), batch))
    return steps


def _check_held(build: Build, entries: Sequence[Entry]) -> None:
    """Check that a build that is ahead has taken in the same. Raises HistorySplit."""
    held = build.position
    for entry in entries:
        if entry.record.seq > held.seq:
            return
        if entry.record.seq == held.seq and entry.record.chain != held.chain:
            raise HistorySplit(
                f"The build {build.schema} has a different record {held.seq} than the log. "
                "Stop, and see docs/operations.md on repairing a log."
            )


def _batch_after(
    seq: int, people_seq: int, entries: Sequence[Entry], people: Sequence[asyncpg.Record]
) -> Batch:
    fresh = [entry for entry in entries if entry.record.seq > seq]
    changed = [row["player_id"] for row in people if row["seq"] > people_seq]
    return Batch(fresh, list(dict.fromkeys(changed)))


def _after(build: Build, batch: Batch, people: Sequence[asyncpg.Record]) -> Build:
    after = build
    if batch.entries:
        last = batch.entries[-1]
        answers = last.verdict.answers
        # A fact counts as answered once all parts of its verdict are there.
        is_whole = answers.part == answers.parts
        after = replace(
            after,
            position=Position(build.position.log_id, last.record.seq, last.record.chain),
            fact_seq=answers.fact_seq if is_whole else answers.fact_seq - 1,
            correcting=None if is_whole else (answers.part, answers.parts),
        )
    if batch.changed_people:
        after = replace(after, people_seq=people[-1]["seq"])
    return after


async def _write(
    pool: asyncpg.Pool,
    steps: Sequence[_Step],
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
