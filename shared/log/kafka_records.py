"""A record of a log as a record on a topic, and back."""

from typing import Final

from aiokafka import ConsumerRecord

from shared.log.port import REPAIR, HistorySplit, Record

SEQ: Final = "seq"
CHAIN: Final = "chain"
# On the last verdict of a transaction: all facts up to this one are answered by then.
ANSWERED: Final = "answered"
CONTENT_TYPE: Final = ("content-type", b"application/cloudevents+json; charset=utf-8")
CHAIN_BYTES: Final = 32


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
            f"The last verdict, at offset {message.offset} of the topic {message.topic}, does not "
            f"say which facts are answered by then. {REPAIR}"
        ) from None


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
        f"chain, which no writer of this log has sent. {REPAIR}"
    )
