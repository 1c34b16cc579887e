"""Ends a producer in any state, which aiokafka leaves open while the cluster is away."""

import asyncio
from collections.abc import Iterator
from typing import Any

from aiokafka import AIOKafkaProducer

from shared.log.kafka.cluster import STOP_S_MAX
from shared.log.kafka.errors import KAFKA_AWAY, to_its_end


async def stop_producer(producer: AIOKafkaProducer) -> None:
    """Stop a producer; what it could not send within a moment is given up.

    An open transaction is aborted, if there is time: readers would wait for its end.
    """
    await to_its_end(_stop(producer), 4 * STOP_S_MAX)


async def _stop(producer: AIOKafkaProducer) -> None:
    manager = producer._txn_manager  # noqa: SLF001 - it does not show in which state it is.
    for waiting in _nobody_awaits(producer):
        # The sender has already heard what was wrong.
        waiting.add_done_callback(lambda each: each.cancelled() or each.exception())
    try:
        async with asyncio.timeout(STOP_S_MAX):
            if manager is not None and manager.is_in_transaction():
                await producer.abort_transaction()
            await producer.stop()
    except KAFKA_AWAY:
        await _cut_off(producer)


def _nobody_awaits(producer: AIOKafkaProducer) -> Iterator["asyncio.Future[Any]"]:
    manager, waiting = producer._txn_manager, producer._message_accumulator  # noqa: SLF001
    if manager is not None and manager.wait_for_transaction_end() is not None:
        yield manager.wait_for_transaction_end()
    for batches in waiting._batches.values():  # noqa: SLF001
        for batch in batches:
            yield batch._drain_waiter  # noqa: SLF001


async def _cut_off(producer: AIOKafkaProducer) -> None:
    """End the tasks of a producer whose own stop would wait until all is sent."""
    sending = producer._sender.sender_task  # noqa: SLF001 - there is no other way to it.
    if sending is not None and not sending.done():
        # Once canceled it waits for its errands, and some of those keep trying forever.
        errands = _errands_of(sending)
        for task in (*errands, sending):
            task.cancel()
        await asyncio.wait([*errands, sending])
    producer._closed = True  # noqa: SLF001 - or it complains that it was not.
    await producer.client.close()


def _errands_of(sending: asyncio.Task[Any]) -> set[asyncio.Task[Any]]:
    """Return the tasks that a sender has started, which it keeps in a variable of its routine."""
    routine: Any = sending.get_coro()
    frame = routine.cr_frame
    return set() if frame is None else set(frame.f_locals["tasks"])
