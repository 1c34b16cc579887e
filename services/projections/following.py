"""Follows the verdicts on Kafka into views: FastStream delivers them, and the feed takes them in.

Only its position in the database says what a view has taken in. The group's offsets only say where
a delivery starts. Whatever they are, no verdict is left out or taken in twice.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, NoReturn

import structlog
from aiokafka.errors import KafkaError
from faststream.kafka import KafkaBroker
from faststream.kafka.annotations import KafkaMessage
from faststream.middlewares import AckPolicy
from faststream.security import BaseSecurity, SASLPlaintext, SASLScram256, SASLScram512

from services.projections.views import all_views
from shared.feed.feed import Feed
from shared.log.delivered import DeliveredLog
from shared.log.kafka.cluster import FETCH_BYTES_MAX, REQUEST_S_MAX, STOP_S_MAX, KafkaCluster
from shared.log.kafka.errors import KAFKA_AWAY, told_as_away
from shared.log.kafka.records import record_of
from shared.log.port import HistorySplit, LogAway

# What is held in memory. Larger deliveries gain nothing, because the feed takes 500 at a time.
DELIVERY_RECORDS_MAX: Final = 2000
DELIVERY_WAIT_MS: Final = 500
# The broker gathers a delivery for this long, or until it has this much. A batch of three costs
# nearly as much as one of thirty, and slows down those who submit.
GATHER_MS: Final = 100
GATHER_BYTES: Final = 256 << 10
# Between two attempts to reach a cluster that is away.
RETRY_S: Final = 1.0

SASL: Final = {
    "PLAIN": SASLPlaintext,
    "SCRAM-SHA-256": SASLScram256,
    "SCRAM-SHA-512": SASLScram512,
}

_log = structlog.get_logger(__name__)


async def follow_views(
    feed: Feed, broker: KafkaBroker, *, tell: Callable[[int], None] = lambda _: None
) -> NoReturn:
    """Keep views up to date with a broker's verdicts until canceled, as `feed.run` does.

    Raises what stops the feed (LogGap, HistorySplit, UnknownEventType or UnreadableRecord), and
    KafkaRefused.
    """
    delivering = asyncio.create_task(_deliver(broker))
    feeding = asyncio.create_task(feed.run(tell=tell))
    try:
        done, _ = await asyncio.wait([delivering, feeding], return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
        raise AssertionError("Neither of them ends by itself.")
    finally:
        # Stop the feed first: a delivery that it will never take in is given up, not acknowledged.
        for task in (feeding, delivering):
            task.cancel()
            await asyncio.wait([task])


def group_of(prefix: str, view_names: Collection[str]) -> str:
    """Return the group of all who follow the same views: one works, and the others stand by."""
    if set(view_names) == {view.name for view in all_views()}:
        return f"{prefix}.projections"
    return f"{prefix}.projections.{'-'.join(sorted(view_names))}"


def verdicts_broker(
    cluster: KafkaCluster, log: DeliveredLog, *, group_id: str, middlewares: Sequence[Any] = ()
) -> KafkaBroker:
    """Return the client that delivers the verdicts to a log. It is not started yet."""
    broker = KafkaBroker(
        cluster.servers,
        client_id="mahjic-projections",
        consumer_only=True,
        request_timeout_ms=int(REQUEST_S_MAX * 1000),
        # When told to stop, we wait for no handler: its delivery will be delivered again.
        graceful_timeout=None,
        security=security_of(cluster.security),
        middlewares=middlewares,
        logger=_FastStreamLog(),
    )

    # An exception that leaves the handler is swallowed, and the next acknowledgment would cover
    # this delivery too. So none leaves it: a delivery that cannot be taken in is never
    # acknowledged.
    @broker.subscriber(
        cluster.verdicts_topic,
        group_id=group_id,
        batch=True,
        max_records=DELIVERY_RECORDS_MAX,
        batch_timeout_ms=DELIVERY_WAIT_MS,
        fetch_max_wait_ms=GATHER_MS,
        fetch_min_bytes=GATHER_BYTES,
        ack_policy=AckPolicy.MANUAL,
        isolation_level="read_committed",
        auto_offset_reset="earliest",
        max_partition_fetch_bytes=FETCH_BYTES_MAX,
        decoder=_as_it_is,
    )
    async def follow(message: KafkaMessage) -> None:
        await _take_in(message, log)

    return broker


async def _take_in(message: KafkaMessage, log: DeliveredLog) -> None:
    """Give a delivery to the log, and acknowledge it once the views have taken it in."""
    try:
        records = [record_of(each) for each in message.raw_message]
    except HistorySplit:
        log.distrust()
        return
    await log.give(records)
    try:
        await message.ack()
    except KafkaError as error:
        # Another member follows now, or the cluster is away. The views have taken it in.
        _log.info("delivery_not_acknowledged", error=type(error).__name__)


def security_of(chosen: Mapping[str, Any]) -> BaseSecurity:
    """Return the connection security of aiokafka's clients in FastStream's terms."""
    context = chosen.get("ssl_context")
    mechanism = chosen.get("sasl_mechanism")
    if mechanism is None:
        return BaseSecurity(ssl_context=context)
    return SASL[mechanism](
        chosen["sasl_plain_username"], chosen["sasl_plain_password"], ssl_context=context
    )


async def _deliver(broker: KafkaBroker) -> NoReturn:
    """Deliver until canceled, however long the cluster is away. Raises KafkaRefused."""
    try:
        while not await _is_started(broker):
            await asyncio.sleep(RETRY_S)
        await asyncio.Event().wait()
        raise AssertionError("Nobody rings.")
    finally:
        await _stop(broker)


async def _is_started(broker: KafkaBroker) -> bool:
    try:
        with told_as_away():
            await broker.start()
    except LogAway as error:
        _log.warning("deliveries_wait_for_kafka", detail=str(error))
        await _stop(broker)
        return False
    return True


async def _stop(broker: KafkaBroker) -> None:
    """Leave the cluster, even if it does not answer."""
    with contextlib.suppress(*KAFKA_AWAY):
        async with asyncio.timeout(STOP_S_MAX):
            await broker.stop()


async def _as_it_is(message: KafkaMessage) -> object:
    """Decode nothing. The feed decodes once for all views."""
    return message.raw_message


class _FastStreamLog:
    """Puts FastStream's error messages into our log. Its other messages are for its own authors."""

    def log(
        self,
        level: int,
        message: object,
        /,
        *,
        exc_info: object = None,
        extra: Mapping[str, Any] | None = None,  # noqa: ARG002 - FastStream's.
    ) -> None:
        # When told to stop, we give up a delivery. That is not an error.
        if level >= logging.ERROR and not isinstance(exc_info, asyncio.CancelledError):
            _log.warning("faststream", said=str(message)[:200], exc_info=exc_info)
