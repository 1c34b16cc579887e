"""Reports the status of Mahjic: both logs, the rater, the relay and each view. It only looks.

What is wrong is said in sentences, including that a cluster is away.
"""

from collections.abc import Iterator, Set
from dataclasses import dataclass, replace
from typing import Final, Literal

import asyncpg

from services.database import NothingThere
from services.operating.alike import alike_addresses
from services.operating.as_it_is import open_as_it_is
from services.operating.kafka.topics import Ends, LogEnd, ends_of_tables, ends_of_topics
from services.operating.proofs.proven import LastProof, read_proof
from services.projections.building.keeping import look_at_kept
from services.projections.views import all_views
from services.transparency.folder import TransparencyFolder
from shared.db.locks import BEGUN_LOCK, RELAY_LOCK, WRITER_LOCK, is_held
from shared.log.place import KafkaPlace, read_place
from shared.settings import Settings

READ_ROWS: Final = """
SELECT pg_is_in_recovery() AS is_standby,
    head.log_id, head.fact_seq, head.fact_chain, head.people_seq,
    rater.epoch, rater.holder, rater.displaced, rater.fact_seq AS answered_seq,
    rater.verdict_seq, rater.verdict_chain
FROM mahjic.head CROSS JOIN mahjic.rater
"""
READ_BUILDS: Final = """
SELECT v.name, b.version, b.schema_name, b.log_id, b.seq, b.chain, b.fact_seq, b.people_seq
FROM mahjic.views AS v JOIN mahjic.view_builds AS b ON b.schema_name = v.live_schema
"""
# How often each source was refused lately because of what other sources hold.
READ_REFUSALS: Final = """
SELECT source, sum(refusals)::int AS refusals FROM mahjic.foreign_refusals
WHERE hour > now() - interval '1 day' GROUP BY source ORDER BY source
"""


@dataclass(frozen=True, slots=True)
class SourceRefusals:
    """How often a source was refused in the last day, and whether it may still ask."""

    source: str
    refusals: int
    may_ask: bool


@dataclass(frozen=True, slots=True)
class RaterStanding:
    """Who may write verdicts, whether that instance is alive and rates, and how far it is.

    One that is alive and has not begun is still catching up on earlier facts, or hangs.
    """

    is_alive: bool
    has_begun: bool
    holder: str | None
    epoch: int
    displaced: str | None
    fact_seq: int | None
    behind: int | None


@dataclass(frozen=True, slots=True)
class RelayStanding:
    """Whether a relay copies facts to their topic, and how far it is."""

    is_alive: bool
    fact_seq: int | None
    behind: int | None


@dataclass(frozen=True, slots=True)
class ViewStanding:
    """Whether a process keeps a view, and how far its live build is; a new view has none yet."""

    name: str
    version: int
    is_kept: bool
    schema: str | None = None
    live_version: int | None = None
    seq: int | None = None
    fact_seq: int | None = None
    behind: int | None = None
    people_behind: int | None = None


@dataclass(frozen=True, slots=True)
class ServiceStanding:
    """The status of everything. All is well when there are no troubles; notices can wait."""

    mode: Literal["embedded", "moving", "kafka"]
    log_id: str
    cluster_id: str | None
    prefix: str | None
    people_seq: int
    logs: tuple[LogEnd, ...]
    rater: RaterStanding
    relay: RelayStanding | None
    views: tuple[ViewStanding, ...]
    troubles: tuple[str, ...]
    verified: LastProof | None = None
    foreign_refusals: tuple[SourceRefusals, ...] = ()
    notices: tuple[str, ...] = ()


async def read_standing(settings: Settings) -> ServiceStanding:
    """Check everything, and change nothing. Raises NothingThere or DatabaseUnreachable."""
    async with open_as_it_is(settings, "status") as pool:
        try:
            place = await read_place(pool)
            rows = await pool.fetchrow(READ_ROWS)
        except (asyncpg.UndefinedTableError, asyncpg.InvalidSchemaNameError):
            rows = None
        if rows is None:
            raise NothingThere("The database")
        builds = {build["name"]: build for build in await pool.fetch(READ_BUILDS)}
        if place is None:
            ends = await ends_of_tables(pool, list(builds.values()))
        else:
            ends = await ends_of_topics(settings, pool, place, list(builds.values()))
        is_rating = await is_held(pool, (WRITER_LOCK, rows["epoch"]))
        has_begun = await is_held(pool, (BEGUN_LOCK, rows["epoch"]))
        is_relaying = await is_held(pool, RELAY_LOCK)
        kept = {view.view for view in await look_at_kept(pool, all_views()) if view.is_kept}
        notices = await alike_addresses(pool)
        verified = await read_proof(pool)
        refusals = await _refusals(pool, settings.foreign_refusals_per_day)
    works = _Works(is_rating, has_begun, is_relaying, kept)
    standing = _standing(place, rows, builds, ends, works)
    not_held = () if verified is None else verified.troubles()
    return replace(
        standing,
        troubles=(*standing.troubles, *not_held, *_unsigned(settings)),
        verified=verified,
        foreign_refusals=refusals,
        notices=notices,
    )


async def _refusals(pool: asyncpg.Pool, refusals_max: int) -> tuple[SourceRefusals, ...]:
    try:
        rows = await pool.fetch(READ_REFUSALS)
    except asyncpg.UndefinedTableError:
        return ()  # An older program wrote this database, and counted none.
    return tuple(
        SourceRefusals(row["source"], row["refusals"], may_ask=row["refusals"] < refusals_max)
        for row in rows
    )


def _unsigned(settings: Settings) -> Iterator[str]:
    if settings.transparency is None:
        return
    stopped = TransparencyFolder(settings.transparency.expanduser()).stopped()
    if stopped is not None:
        yield (
            f"The public logs have not been signed since {stopped.since}: {stopped.detail} See "
            "`mahjic transparency status`."
        )


@dataclass(frozen=True, slots=True)
class _Works:
    is_rating: bool
    has_begun: bool
    is_relaying: bool
    kept: Set[str]


def _standing(
    place: KafkaPlace | None,
    rows: asyncpg.Record,
    builds: dict[str, asyncpg.Record],
    ends: Ends,
    works: _Works,
) -> ServiceStanding:
    fact_seq = rows["fact_seq"]
    answered_seq = rows["answered_seq"] if place is None else ends.answered_seq
    is_moved = place is not None and place.is_moved
    return ServiceStanding(
        mode="kafka" if is_moved else "embedded" if place is None else "moving",
        log_id=rows["log_id"],
        cluster_id=None if place is None else place.cluster_id,
        prefix=None if place is None else place.prefix,
        people_seq=rows["people_seq"],
        logs=(*_tables(rows, is_moved=is_moved), *ends.topics),
        rater=RaterStanding(
            is_alive=works.is_rating,
            has_begun=works.has_begun,
            holder=rows["holder"],
            epoch=rows["epoch"],
            displaced=rows["displaced"],
            fact_seq=answered_seq,
            behind=_behind(fact_seq, answered_seq),
        ),
        relay=_relay(ends.facts_topic, fact_seq, is_alive=works.is_relaying),
        views=tuple(
            _view(
                view.name,
                view.version,
                builds.get(view.name),
                rows,
                is_kept=view.name in works.kept,
            )
            for view in all_views()
        ),
        troubles=(
            *ends.troubles,
            # Nothing works on a standby, and what works on the primary cannot be seen from here.
            *(() if rows["is_standby"] else _nobody_works(place, works, rows["holder"])),
        ),
    )


def _tables(rows: asyncpg.Record, *, is_moved: bool) -> Iterator[LogEnd]:
    yield LogEnd("facts", "table", "ok", rows["fact_seq"], rows["fact_chain"].hex())
    status: Literal["moved", "ok"] = "moved" if is_moved else "ok"
    yield LogEnd("verdicts", "table", status, rows["verdict_seq"], rows["verdict_chain"].hex())


def _relay(on_topic: LogEnd | None, fact_seq: int, *, is_alive: bool) -> RelayStanding | None:
    if on_topic is None:
        return None
    return RelayStanding(is_alive, on_topic.seq, _behind(fact_seq, on_topic.seq))


def _view(
    name: str,
    version: int,
    build: asyncpg.Record | None,
    rows: asyncpg.Record,
    *,
    is_kept: bool,
) -> ViewStanding:
    if build is None:
        return ViewStanding(name, version, is_kept)
    return ViewStanding(
        name=name,
        version=version,
        is_kept=is_kept,
        schema=build["schema_name"],
        live_version=build["version"],
        seq=build["seq"],
        fact_seq=build["fact_seq"],
        behind=_behind(rows["fact_seq"], build["fact_seq"]),
        people_behind=_behind(rows["people_seq"], build["people_seq"]),
    )


def _behind(end: int, seq: int | None) -> int | None:
    # What was read a moment later may be further along.
    return None if seq is None else max(0, end - seq)


def _nobody_works(place: KafkaPlace | None, works: _Works, holder: str) -> Iterator[str]:
    if place is not None and not place.is_moved:
        yield "The logs are on their way to Kafka: run `mahjic kafka init` until it has finished."
        return
    if not works.is_rating:
        command = "mahjic serve" if place is None else "mahjic rater"
        yield f"No one is rating: no running instance has the right to. Start `{command}`."
    elif not works.has_begun:
        yield (
            f"{holder} has the right to rate but has not started: it is reading what was rated "
            "before (without its folder, that takes a minute for 100,000 facts), or it is "
            "stuck. Its log says `rater_started` once it is rating."
        )
    if place is not None and not works.is_relaying:
        yield "No one is copying facts to Kafka. Start `mahjic relay`."
    for view in all_views():
        if view.name not in works.kept:
            command = "mahjic serve" if place is None else f"mahjic projections {view.name}"
            yield f"No one is keeping the view {view.name} up to date. Start `{command}`."
