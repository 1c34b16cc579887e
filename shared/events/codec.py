"""Turns events into the bytes of a record and back: CloudEvents 1.0 in their JSON form.

The whole envelope is in the bytes, so that the chain covers id, type, source, time and subject too.
The same event always gives the same bytes.
"""

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import orjson

from shared.errors import MahjicError
from shared.events.facts import READ_FACT, FactEvent, SessionSubmitted, session_of
from shared.events.fields import UnreadableRecord, text, text_fields, utc_time, whole
from shared.events.verdicts import READ_VERDICT, Answers, VerdictEvent

# The id of a verdict comes before everything long in it.
_ANSWERED: Final = re.compile(rb'"id":"([0-9]+)\.[0-9]+"')
_HEAD_BYTES: Final = 200


class UnknownEventType(MahjicError):
    """This program does not know the type or version; it must stop rather than skip the record."""

    code = "unknown_event_type"
    title = "The log has an event that this program does not know"


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact as read from the log; `time` is when it was accepted (RFC 3339, UTC)."""

    seq: int
    time: str
    subject: str
    event: FactEvent


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict as read from the log; `time` and `subject` are those of the fact it answers."""

    time: str
    subject: str
    answers: Answers
    event: VerdictEvent


def encode_fact(event: FactEvent, *, log_id: str, seq: int, time: str) -> bytes:
    """Return the bytes of the fact at `seq`."""
    return _encode(
        record_id=str(seq),
        event_type=event.TYPE,
        source=f"/logs/{log_id}/facts",
        time=time,
        subject=event.subject,
        data=event.to_json(),
    )


def decode_fact(body: bytes) -> Fact:
    """Read a fact. Raises UnreadableRecord or UnknownEventType."""
    envelope = _read_envelope(body)
    event_type = text(envelope, "type")
    read = READ_FACT.get(event_type)
    if read is None:
        raise _unknown("fact", event_type)
    record_id = text(envelope, "id")
    if not (record_id.isascii() and record_id.isdecimal()):
        raise UnreadableRecord("The field id is not a sequence number.")
    return Fact(
        seq=int(record_id),
        time=utc_time(envelope, "time"),
        subject=text(envelope, "subject"),
        event=read(envelope["data"]),
    )


def decode_facts(records: Iterable[tuple[int, bytes]]) -> list[tuple[int, Fact]]:
    """Read the facts at these seqs, without those that cannot be read. Raises UnknownEventType."""
    facts: list[tuple[int, Fact]] = []
    for seq, body in records:
        with suppress(UnreadableRecord):
            facts.append((seq, decode_fact(body)))
    return facts


def decode_session(body: bytes) -> SessionSubmitted | None:
    """Return the session that a fact brings. The rater has refused one that cannot be read."""
    try:
        event = decode_fact(body).event
    except UnreadableRecord:
        return None
    session = session_of(event)
    assert session is not None, "The fact of a submission tells a session."
    return session


def encode_verdict(
    event: VerdictEvent, answers: Answers, *, log_id: str, time: str, subject: str
) -> bytes:
    """Return the bytes of a verdict; its id and time derive from the fact it answers."""
    return _encode(
        record_id=f"{answers.fact_seq}.{answers.part}",
        event_type=event.TYPE,
        source=f"/logs/{log_id}/verdicts",
        time=time,
        subject=subject,
        data={
            "fact_seq": answers.fact_seq,
            "fact_chain": answers.fact_chain.hex(),
            "part": answers.part,
            "parts": answers.parts,
            "formula": answers.formula,
            "engine": answers.engine,
            **event.to_json(),
        },
    )


def decode_verdict(body: bytes) -> Verdict:
    """Read a verdict. Raises UnreadableRecord or UnknownEventType."""
    envelope = _read_envelope(body)
    event_type = text(envelope, "type")
    read = READ_VERDICT.get(event_type)
    if read is None:
        raise _unknown("verdict", event_type)
    data = envelope["data"]
    return Verdict(
        time=utc_time(envelope, "time"),
        subject=text(envelope, "subject"),
        answers=_read_answers(data),
        event=read(data),
    )


def fact_answered(body: bytes) -> int:
    """Return the seq of the fact that a verdict answers, without reading the rest of it."""
    answered = _ANSWERED.search(body, 0, _HEAD_BYTES)
    assert answered is not None, "The rater writes the id of each verdict."
    return int(answered[1])


def _read_answers(data: dict[str, Any]) -> Answers:
    chain, formula, engine = text_fields(data, ("fact_chain", "formula", "engine"))
    try:
        fact_chain = bytes.fromhex(chain)
    except ValueError:
        raise UnreadableRecord("The field fact_chain is not hexadecimal text.") from None
    return Answers(
        fact_seq=whole(data, "fact_seq"),
        fact_chain=fact_chain,
        part=whole(data, "part"),
        parts=whole(data, "parts"),
        formula=formula,
        engine=engine,
    )


def _encode(
    *, record_id: str, event_type: str, source: str, time: str, subject: str, data: dict[str, Any]
) -> bytes:
    return orjson.dumps(
        {
            "specversion": "1.0",
            "id": record_id,
            "type": event_type,
            "source": source,
            "time": time,
            "subject": subject,
            "datacontenttype": "application/json",
            "data": data,
        }
    )


def _read_envelope(body: bytes) -> dict[str, Any]:
    try:
        envelope = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise UnreadableRecord(f"The record is not JSON: {error.msg}.") from None
    if not isinstance(envelope, dict) or not isinstance(envelope.get("data"), dict):
        raise UnreadableRecord("The record is not a CloudEvents object with data.")
    return envelope


def _unknown(kind: str, event_type: str) -> UnknownEventType:
    return UnknownEventType(
        f"The {kind} type {event_type!r} is not known to this program. Stop it, and run a version "
        "that knows the type; the record must not be skipped."
    )
