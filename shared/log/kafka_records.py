"""A record of a log as a record on a topic, and back."""

from collections.abc import Sequence
from typing import Final

from aiokafka import ConsumerRecord

from shared.log.port import HistorySplit, Record

SEQ: Final = "seq"
CHAIN: Final = "chain"
CONTENT_TYPE: Final = ("content-type", b"application/cloudevents+json; charset=utf-8")
CHAIN_BYTES: Final = 32

Headers = Sequence[tuple[str, bytes]]


def headers_of(record: Record) -> Headers:
    """Return the headers that go with the bytes of a record."""
    return [
        (SEQ, str(record.seq).encode()),
        (CHAIN, record.chain.hex().encode()),
        CONTENT_TYPE,
    ]


def record_of(message: ConsumerRecord) -> Record:
    """Return the record in a message. Raises HistorySplit for what no writer of ours has sent."""
    try:
        headers = dict(message.headers)
        seq, chain = int(headers[SEQ]), bytes.fromhex(headers[CHAIN].decode())
    except (KeyError, ValueError):
        raise _foreign(message) from None
    if message.value is None or seq < 1 or len(chain) != CHAIN_BYTES:
        raise _foreign(message)
    return Record(seq, chain, bytes(message.value))


def _foreign(message: ConsumerRecord) -> HistorySplit:
    return HistorySplit(
        f"Offset {message.offset} of the topic {message.topic} holds a record without a seq and a "
        "chain, which no writer of this log has sent. Stop, and see docs/operations.md on "
        "repairing a log."
    )
