"""The bytes of every type of event are the same forever."""

import pytest

from shared.events.codec import decode_fact, decode_verdict, encode_fact, encode_verdict
from shared.events.facts import READ_FACT
from shared.events.verdicts import READ_VERDICT
from tests.events.golden import FACTS, LOG_ID
from tests.events.golden_verdicts import VERDICTS


@pytest.mark.parametrize("name", FACTS)
def test_a_fact_is_written_and_read_as_it_always_was(name: str) -> None:
    fact, body = FACTS[name]
    assert encode_fact(fact.event, log_id=LOG_ID, seq=fact.seq, time=fact.time) == body
    assert decode_fact(body) == fact


@pytest.mark.parametrize("name", VERDICTS)
def test_a_verdict_is_written_and_read_as_it_always_was(name: str) -> None:
    verdict, body = VERDICTS[name]
    written = encode_verdict(
        verdict.event,
        verdict.answers,
        log_id=LOG_ID,
        time=verdict.time,
        subject=verdict.subject,
    )
    assert written == body
    assert decode_verdict(body) == verdict


def test_every_type_has_a_golden_record() -> None:
    assert {fact.event.TYPE for fact, _ in FACTS.values()} == set(READ_FACT)
    assert {verdict.event.TYPE for verdict, _ in VERDICTS.values()} == set(READ_VERDICT)
