"""A record of a log as a record on a topic, and back."""

from collections.abc import Sequence
from typing import Final

from aiokafka import ConsumerRecord

from shared.errors import MahjicError
from shared.log.port import REPAIR, HistorySplit, Record

SEQ: Final = "seq"
CHAIN: Final = "chain"
# On the last verdict of a transaction: all facts up to this one are then answered.
ANSWERED: Final = "answered"
CONTENT_TYPE: Final = ("content-type", b"application/cloudevents+json; charset=utf-8")
CHAIN_BYTES: Final = 32
# A record with its headers and the batch around it: each part of a correction of a million ratings
# is far smaller.
RECORD_BYTES_MAX: Final = 16 << 20
BODY_BYTES_MAX: Final = RECORD_BYTES_MAX - 1024


class RecordTooLarge(MahjicError):
    """A record is larger than the topics accept, and sending it again would not help."""

    code = "record_too_large"
    title = "A record is too large for its topic"


def check_size(records: Sequence[Record]) -> None:
    """Check that the topic accepts records, before any of them is sent. Raises RecordTooLarge."""
    for record in records:
        if len(record.body) > BODY_BYTES_MAX:
            raise RecordTooLarge(
                f"Record {record.seq} has {len(record.body)} bytes, and a topic takes "
                f"{BODY_BYTES_MAX}. Nothing was sent. Mahjic never writes such a record: please "
                "report it."
            )


def headers_of(record: Record) -> list[tuple[str, bytes]]:
    """Return the headers that go with the bytes of a record."""
    return [
        (SEQ, str(record.seq).encode()),
        (CHAIN, record.chain.hex().encode()),
        CONTENT_TYPE,
    ]


def answered_header(fact_seq: int) -> tuple[str, bytes]:
    """Return the header of the last verdict of a transaction that answers facts up to this one."""
    return (ANSWERED, str(fact_seq).encode())


def answered_by(message: ConsumerRecord) -> int:
    """Return the last fact that is answered once this verdict is there. Raises HistorySplit."""
    try:
        return int(dict(message.headers)[ANSWERED])
    except (KeyError, ValueError):
        raise HistorySplit(
            f"The last verdict, at offset {message.offset} of the topic {message.topic}, does "
            f"not say which facts have been answered so far. {REPAIR}"
        ) from None


def record_of(message: ConsumerRecord) -> Record:
    """Return the record in a message. Raises HistorySplit if none of our writers sent it."""
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
        f"Offset {message.offset} of the topic {message.topic} has a record without a seq and a "
        f"chain, which no writer of this log sent. {REPAIR}"
    )
