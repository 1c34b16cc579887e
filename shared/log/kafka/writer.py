"""The one writer of verdicts on Kafka: each append is one transaction, all or nothing.

The epoch in the database says who the writer is (right.py). The transactional id, which is always
the same, keeps everyone else from committing: starting a producer with it fences the previous
one, and settles what that had in flight.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Final

import asyncpg
import structlog
from aiokafka import AIOKafkaProducer
from aiokafka.structs import RecordMetadata
from asyncpg.pool import PoolConnectionProxy

from shared.log.kafka.asker import Asker
from shared.log.kafka.cluster import KafkaCluster
from shared.log.kafka.cursor import Cursor
from shared.log.kafka.errors import KAFKA_AWAY, refusal_in, refused, to_its_end
from shared.log.kafka.producer import stop_producer
from shared.log.kafka.records import (
    answered_by,
    answered_header,
    check_size,
    headers_of,
    record_of,
)
from shared.log.port import LogAway, LogWriterLost, Position, Record, chained_in_turns
from shared.log.right import WritersRight, take_right

# Long enough to write a correction of a million ratings; a writer that is gone blocks the readers
# this long, unless another one starts.
TRANSACTION_S_MAX: Final = 60
# Sends to a cluster that is away never end by themselves. This must be over before the transaction.
COMMIT_S_MAX: Final = 30.0
# The broker needs a moment to write a commit's markers. A request before that waits 20 ms.
PAUSE_S: Final = 0.005
# What the previous writer had in flight settles within the time of a transaction.
OPEN_S_MAX: Final = 30.0
# A commit is answered before its markers are written, and cannot be read until then.
SHOWN_S_MAX: Final = 1.0
# It takes about this long. Looking sooner, or again and again, only slows down the broker.
LOOK_S: Final = 0.004
CLOSE_S_MAX: Final = 10.0

_log = structlog.get_logger(__name__)


async def open_writer(
    cluster: KafkaCluster, beginning: Position, pool: asyncpg.Pool, holder: str
) -> "KafkaVerdictWriter":
    """Become the one writer. Raises RatingTakenOver, LogAway and KafkaRefused."""
    producer = cluster.producer(
        {
            "transactional_id": cluster.writer_id,
            "transaction_timeout_ms": TRANSACTION_S_MAX * 1000,
        }
    )

    async def settle(_connection: PoolConnectionProxy) -> tuple[int, Position]:
        # First the producer, which ends what was in flight; only then is the end final.
        await cluster.start(producer, OPEN_S_MAX)
        return await _read_place(cluster, beginning)

    async with contextlib.AsyncExitStack() as on_failure:
        on_failure.push_async_callback(stop_producer, producer)
        asker = await Asker.open(cluster, cluster.verdicts_topic)
        on_failure.push_async_callback(asker.close)
        right, (fact_seq, tail) = await take_right(pool, holder, settle)
        on_failure.pop_all()
    topic = cluster.verdicts_topic
    return KafkaVerdictWriter(topic, producer, asker, right=right, fact_seq=fact_seq, tail=tail)


async def _read_place(cluster: KafkaCluster, beginning: Position) -> tuple[int, Position]:
    """Return the last fact that was answered, and the last verdict."""
    cursor = await Cursor.open(cluster, cluster.verdicts_topic)
    try:
        last = await cursor.last_before(await cursor.end_offset())
    finally:
        await cursor.close()
    if last is None:
        return 0, beginning
    record = record_of(last)
    return answered_by(last), Position(beginning.log_id, record.seq, record.chain)


class KafkaVerdictWriter:
    """The right to append verdicts to the topic, until another writer opens or an append fails."""

    def __init__(
        self,
        topic: str,
        producer: AIOKafkaProducer,
        asker: Asker,
        *,
        right: WritersRight,
        fact_seq: int,
        tail: Position,
    ) -> None:
        self._topic = topic
        self._producer = producer
        self._asker = asker
        self._right = right
        self._fact_seq = fact_seq
        self._tail = tail
        self._is_lost = False
        self._free_at_s = 0.0

    @property
    def fact_seq(self) -> int:
        """The last fact that was answered."""
        return self._fact_seq

    async def append(self, bodies: Sequence[bytes], *, fact_seq: int) -> list[Record]:
        """Append the verdicts on all facts up to `fact_seq`. Raises WriterReplaced.

        Raises LogWriterLost after any other error: what was sent may be there or not, and only a
        new writer, which settles it first, can tell. Raises RecordTooLarge and KafkaRefused.
        """
        assert fact_seq > self._fact_seq, "A fact is answered once."
        records = await chained_in_turns(self._tail, bodies)
        check_size(records)
        if not self._is_lost:
            await self._commit(records, fact_seq)
        if self._is_lost:
            raise await self._reason()
        end = records[-1]
        self._tail, self._fact_seq = Position(self._tail.log_id, end.seq, end.chain), fact_seq
        return records

    async def confirm(self) -> None:
        """Raise WriterReplaced if the epoch was raised since. Raises LogAway."""
        await self._right.confirm()

    async def show_begun(self) -> None:
        """Show others that this writer answers facts from now on. Raises LogAway."""
        await self._right.show_begun()

    async def close(self) -> None:
        """Stop the producer and give the right back."""
        await to_its_end(self._close(), CLOSE_S_MAX)

    async def _close(self) -> None:
        await stop_producer(self._producer)
        await self._asker.close()
        await self._right.close()

    async def _commit(self, records: Sequence[Record], fact_seq: int) -> None:
        clock = asyncio.get_running_loop().time
        await asyncio.sleep(max(0.0, self._free_at_s - clock()))
        self._is_lost = True  # Until it is known to be there, even when this is canceled.
        try:
            async with asyncio.timeout(COMMIT_S_MAX):
                await self._producer.begin_transaction()
                headers = [headers_of(record) for record in records]
                headers[-1].append(answered_header(fact_seq))
                sent = [
                    await self._send(record, own)
                    for record, own in zip(records, headers, strict=True)
                ]
                placed = await asyncio.gather(*sent)
                await self._producer.commit_transaction()
        except KAFKA_AWAY as error:
            if (refusal := refusal_in(error)) is not None:
                raise refused(refusal) from error
            _log.error("verdicts_perhaps_not_written", error=type(error).__name__)
            return
        self._is_lost = False
        self._free_at_s = clock() + PAUSE_S
        await self._until_shown(placed[-1].offset)

    async def _until_shown(self, offset: int) -> None:
        """Wait until everyone can read what was committed up to an offset."""
        try:
            async with asyncio.timeout(SHOWN_S_MAX):
                await asyncio.sleep(LOOK_S)
                while await self._asker.end_offset() <= offset:
                    await asyncio.sleep(LOOK_S)
        except (TimeoutError, LogAway):
            # They are durable, which is what counts.
            _log.warning("verdicts_written_and_not_shown_yet", offset=offset)

    async def _send(
        self, record: Record, headers: Sequence[tuple[str, bytes]]
    ) -> "asyncio.Future[RecordMetadata]":
        sent: asyncio.Future[RecordMetadata] = await self._producer.send(
            self._topic, record.body, partition=0, headers=headers
        )
        # Of many that fail together one is reported, and the others must not be complained about.
        sent.add_done_callback(lambda each: each.cancelled() or each.exception())
        return sent

    async def _reason(self) -> Exception:
        """Return why nothing more can be written. Raises WriterReplaced if that is why."""
        with contextlib.suppress(LogAway):
            # The writer that fences us has not raised the epoch yet.
            await self._right.confirm_settled(COMMIT_S_MAX)
        return LogWriterLost(
            "It is not certain whether the last verdicts were written. Start the rater again: "
            "it finds out before it continues."
        )
