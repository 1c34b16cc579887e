"""Measures Kafka mode: a real broker, every role a process of its own, all on this machine."""

import contextlib
import itertools
import statistics
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bench.kafka_mode.observed import Observed, looking_on, make_trigger
from bench.load import Asked
from bench.results import Row, span
from bench.running import a_folder, check_statuses, load
from services.database import open_server
from shared.log.kafka.cluster import KafkaCluster
from shared.settings import Settings
from tests.kafka.broker import Broker
from tests.kafka.tools import KafkaMissing
from tests.processes import serving
from tests.whole.kafka.kafka_site import ROLES, KafkaSite, a_kafka_site

RATE: Final = 100
RATED: Final = 201
WINDOW_S: Final = 10.0
P99_MS_MAX: Final = 100
# So many that none is waited for, unless answers take two seconds.
PACE_CONNECTIONS: Final = 200
SEND_S_MAX: Final = 600.0
# Of a broker that shares two cores with all else: no more threads than can work.
BROKER_PROPERTIES: Final = {"num.network.threads": "1", "num.io.threads": "2"}


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured."""

    warm_seconds: float
    alone_seconds: float
    seconds: float
    sessions: int


FULL: Final = Size(10.0, 30.0, 120.0, 10_000)
QUICK: Final = Size(1.0, 1.0, 3.0, 300)


async def measure(size: Size) -> list[Row]:
    """Measure sessions at a steady rate, many at once, and a backlog."""
    try:
        async with a_site() as site:
            return await site.measure(size)
    except KafkaMissing as missing:
        return [Row("Kafka mode", f"NOT MEASURED: {missing}")]


@contextlib.asynccontextmanager
async def a_site() -> AsyncIterator["Site"]:
    """Run PostgreSQL, a broker, and every process but the relay, which comes and goes."""
    with a_folder() as data, a_folder() as folder:
        async with (
            Broker(folder, properties=BROKER_PROPERTIES) as broker,
            open_server(Settings(data=data), role="serve") as dsn,
        ):
            environment = {
                "MAHJIC_DATABASE_URL": dsn,
                "MAHJIC_KAFKA_SERVERS": broker.address,
                "MAHJIC_KAFKA_REPLICATION": "1",
                "MAHJIC_PUBLIC_LIMIT_PER_MINUTE": "1000000000",
                "MAHJIC_SOURCE_LIMIT_PER_MINUTE": "1000000000",
            }
            cluster = KafkaCluster(Settings(kafka_servers=broker.address, kafka_replication=1))
            roles = tuple(role for role in ROLES if role != "relay")
            async with a_kafka_site(environment, roles=roles) as running:
                await make_trigger(dsn)
                yield Site(running, dsn, cluster)


class Site:
    """Mahjic on Kafka, and how it is loaded and looked at."""

    def __init__(self, running: KafkaSite, dsn: str, cluster: KafkaCluster) -> None:
        self._running = running
        self._dsn = dsn
        self._cluster = cluster
        self._seeds = itertools.count(1)

    async def measure(self, size: Size) -> list[Row]:
        """Measure everything, one after the other."""
        async with self._relaying():
            await self._pace(size.warm_seconds)
            alone = await self._pace(size.alone_seconds)
            rows = await self._paced(size.seconds, alone)
            rows += await self._at_once(size.sessions)
        return rows + await self._backlog(size.sessions)

    async def _paced(self, seconds: float, alone: Sequence[Asked]) -> list[Row]:
        async with looking_on(self._dsn, self._cluster) as observed:
            done = await self._pace(seconds)
            await observed.until_shown(len(done))
        return paced_rows(done, alone, observed)

    async def _at_once(self, count: int) -> list[Row]:
        async with looking_on(self._dsn, self._cluster) as observed:
            done = await self._send(count)
            await observed.until_shown(count)
        return at_once_rows(done, observed)

    async def _backlog(self, count: int) -> list[Row]:
        """Rate what was accepted while there was no relay."""
        async with looking_on(self._dsn, self._cluster) as observed:
            await self._send(count)
            async with self._relaying():
                await observed.until_shown(count)
        return backlog_rows(count, observed)

    def _relaying(self) -> contextlib.AbstractAsyncContextManager[object]:
        return serving(self._running.environment, command="relay")

    async def _pace(self, seconds: float) -> list[Asked]:
        """Submit at a steady rate and wait for the ratings."""
        return await self._load(
            {"201", "202"}, seconds=seconds, rate=RATE, connections=PACE_CONNECTIONS
        )

    async def _send(self, count: int) -> list[Asked]:
        """Submit as many as go at once, without waiting for ratings."""
        return await self._load({"202"}, seconds=SEND_S_MAX, count=count, prefer="respond-async")

    async def _load(self, statuses: set[str], **options: Any) -> list[Asked]:  # noqa: ANN401
        port = int(self._running.served["ingest"].url.rpartition(":")[2])
        key, seed = self._running.key, next(self._seeds)
        result = await load(port, "/v1/sessions", key, seed=seed, each=True, **options)
        check_statuses([result], statuses)
        return [Asked(*each) for each in result["each"]]


def paced_rows(done: Sequence[Asked], alone: Sequence[Asked], observed: Observed) -> list[Row]:
    """Return the whole way and each hop of it."""
    whole = ms(each.answered - each.due for each in done)
    windows: dict[int, list[float]] = {}
    for each, took_ms in zip(done, whole, strict=True):
        windows.setdefault(int((each.due - done[0].due) // WINDOW_S), []).append(took_ms)
    p99s_ms = [p99(window) for window in windows.values()]
    unrated = sum(each.status != RATED for each in done)
    rows = [
        Row(
            f"Kafka: submit to answer with ratings at {RATE} sessions/s",
            figure(whole),
            f"{P99_MS_MAX} ms (p99)",
            P99_MS_MAX / p99(whole),
            1.0,
            f"p99 {span(p99s_ms)} ms in windows of {WINDOW_S:.0f} s; "
            f"{unrated} of {len(done):,} answered before they were rated",
        ),
        Row(
            "- the same while no one watches the hops",
            figure(ms(each.answered - each.due for each in alone)),
        ),
        Row("- how late the client sent", figure(ms(each.sent - each.due for each in done))),
    ]
    return rows + [
        Row(f"- {name}", figure(hop_ms)) for name, hop_ms in hops(done, observed).items()
    ]


def hops(done: Sequence[Asked], observed: Observed) -> dict[str, list[float]]:
    """Return what each hop took, in ms.

    Whom the broker tells first is chance: an answer may be here before the verdict that it holds.
    """
    times = []
    for each in done:
        fact_seq = observed.relayed.seq_of[each.session_id]
        verdict_seq = observed.verdicts.seq_of[each.session_id]
        recorded = observed.facts.time_of(fact_seq)
        relayed = observed.relayed.time_of(fact_seq)
        rated = observed.verdicts.time_of(verdict_seq)
        shown = observed.views.time_of(verdict_seq)
        times.append((each.due, recorded, relayed, rated, each.answered, shown))
    return {
        "submit to fact committed (ingest)": ms(t[1] - t[0] for t in times),
        "fact committed to topic (relay)": ms(t[2] - t[1] for t in times),
        "topic to verdict committed (rater)": ms(t[3] - t[2] for t in times),
        "verdict committed to answer (ingest)": ms(t[4] - t[3] for t in times),
        "verdict committed to all views (projections)": ms(t[5] - t[3] for t in times),
        "submit to all views": ms(t[5] - t[0] for t in times),
    }


def at_once_rows(done: Sequence[Asked], observed: Observed) -> list[Row]:
    """Return how fast many sessions go through, and how far each process falls behind."""
    count, began = len(done), min(each.sent for each in done)
    end = observed.first + count
    title = f"Kafka: {count:,} sessions at once"
    steps = (observed.facts, observed.relayed, observed.verdicts, observed.views)
    lags = [behind.lag_max(ahead) for ahead, behind in itertools.pairwise(steps)]
    return [
        Row(
            f"{title}, accepted/s",
            rate(count, max(each.answered for each in done) - began),
            spread=f"relay at most {lags[0]:,} facts behind",
        ),
        Row(
            f"{title}, rated/s",
            rate(count, observed.verdicts.time_of(end) - began),
            spread=f"rater at most {lags[1]:,} facts behind",
        ),
        Row(
            f"{title}, in all views/s",
            rate(count, observed.views.time_of(end) - began),
            spread=f"views at most {lags[2]:,} verdicts behind",
        ),
    ]


def backlog_rows(count: int, observed: Observed) -> list[Row]:
    """Return how fast a backlog goes down, from when a new relay has sent its first fact."""
    began, end = observed.relayed.time_of(observed.first + 1), observed.first + count
    title = f"Kafka: a backlog of {count:,} facts"
    return [
        Row(f"{title}, {name}/s", rate(count, step.time_of(end) - began))
        for name, step in (("rated", observed.verdicts), ("in all views", observed.views))
    ]


def ms(seconds: Iterable[float]) -> list[float]:
    """Return times in ms."""
    return [each * 1000 for each in seconds]


def p99(values: Iterable[float]) -> float:
    """Return what 99 of 100 stay below."""
    ordered = sorted(values)
    return ordered[int(len(ordered) * 0.99)]


def figure(values_ms: Sequence[float]) -> str:
    """Return the median and the 99th percentile."""
    return f"p50 {statistics.median(values_ms):.1f} ms, p99 {p99(values_ms):.1f} ms"


def rate(count: int, seconds: float) -> str:
    """Return how many a second."""
    return f"{count / seconds:,.0f}"
