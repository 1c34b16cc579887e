"""What holds for every event: it comes back from its bytes, and newer fields do no harm."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from shared.events.codec import (
    Fact,
    Verdict,
    decode_fact,
    decode_verdict,
    encode_fact,
    encode_verdict,
)
from shared.events.facts import FactEvent
from shared.events.verdicts import Answers, VerdictEvent
from tests.events.samples import answers, fact_events, json_values, texts, times, verdict_events


@given(fact_events, st.integers(1, 2**63 - 1), times)
def test_a_fact_comes_back_from_its_bytes(event: FactEvent, seq: int, time: str) -> None:
    body = encode_fact(event, log_id="log", seq=seq, time=time)
    assert decode_fact(body) == Fact(seq, time, event.subject, event)
    assert encode_fact(event, log_id="log", seq=seq, time=time) == body


@given(verdict_events, answers, times, texts)
def test_a_verdict_comes_back_from_its_bytes(
    event: VerdictEvent, answers: Answers, time: str, subject: str
) -> None:
    body = encode_verdict(event, answers, log_id="log", time=time, subject=subject)
    assert decode_verdict(body) == Verdict(time, subject, answers, event)
    assert encode_verdict(event, answers, log_id="log", time=time, subject=subject) == body


def with_more_fields(value: Any, more: dict[str, Any]) -> Any:
    """Add fields to every object of a record, as a newer program might."""
    if isinstance(value, dict):
        return more | {name: with_more_fields(inner, more) for name, inner in value.items()}
    if isinstance(value, list):
        return [with_more_fields(inner, more) for inner in value]
    return value


new_fields = st.dictionaries(texts.map(lambda name: f"new {name}"), json_values, max_size=3)


@given(fact_events, new_fields)
def test_fields_that_a_reader_of_facts_does_not_know_are_ignored(
    event: FactEvent, more: dict[str, Any]
) -> None:
    body = encode_fact(event, log_id="log", seq=7, time="2026-01-02T03:04:05.000006Z")
    newer = json.loads(body)
    parameters = newer["data"].get("parameters")
    newer = with_more_fields(newer, more)
    if parameters is not None:  # The object of a formula's parameters is theirs alone.
        newer["data"]["parameters"] = parameters
    assert decode_fact(json.dumps(newer).encode()) == decode_fact(body)


@given(verdict_events, answers, new_fields)
def test_fields_that_a_reader_of_verdicts_does_not_know_are_ignored(
    event: VerdictEvent, answers: Answers, more: dict[str, Any]
) -> None:
    time = "2026-01-02T03:04:05.000006Z"
    body = encode_verdict(event, answers, log_id="log", time=time, subject="it")
    newer = json.loads(body)
    noted = newer["data"].get("data")
    newer = with_more_fields(newer, more)
    if noted is not None:  # The data of a noted fact are as they stand on the log of facts.
        newer["data"]["data"] = noted
    assert decode_verdict(json.dumps(newer).encode()) == decode_verdict(body)
