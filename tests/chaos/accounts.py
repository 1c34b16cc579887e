"""Settles accounts after the faults: what was promised is on the logs, and the logs are right."""

from collections import Counter
from collections.abc import Sequence

from tests.chaos.by_hand import (
    Logs,
    Replay,
    answer_by_hand,
    assert_chained,
    numbers_in,
    replayed,
)
from tests.chaos.clients import Answer

ACCEPTED = {200, 201, 202}


def accepted(answers: Sequence[Answer]) -> list[Answer]:
    """Return the answers that promise that a session is on record."""
    return [answer for answer in answers if answer.status in ACCEPTED]


def assert_settled(answers: Sequence[Answer], logs: Logs) -> None:
    """Check all that follows: each promise was kept once, and every number told is right."""
    replay = replayed(logs.facts)
    assert_recorded_once(answers, logs)
    assert_each_fact_has_its_verdict(logs)
    assert_rated_by_the_rules(logs, replay)
    assert_answered_truly(answers, logs, replay)


def assert_recorded_once(answers: Sequence[Answer], logs: Logs) -> None:
    """Check that each session that was promised is on the log once, and no other is."""
    recorded = Counter(fact["session_id"] for fact in logs.session_facts)
    assert set(recorded.values()) == {1}
    assert set(recorded) == {answer.body["session_id"] for answer in accepted(answers)}


def assert_each_fact_has_its_verdict(logs: Logs) -> None:
    """Check both chains, and that the verdicts answer the facts one by one in their order."""
    assert_chained(logs.log_id, "facts", logs.facts)
    assert_chained(logs.log_id, "verdicts", logs.verdicts)
    assert [line.data["fact_seq"] for line in logs.verdicts] == [line.seq for line in logs.facts]
    for fact, verdict in zip(logs.facts, logs.verdicts, strict=True):
        assert verdict.data["fact_chain"] == fact.chain.hex()
        assert (verdict.data["part"], verdict.data["parts"]) == (1, 1)
        is_session = fact.says["type"] == "session-submitted.v1"
        assert verdict.says["type"] == ("session-rated.v1" if is_session else "fact-noted.v1")


def assert_rated_by_the_rules(logs: Logs, replay: Replay) -> None:
    """Check that every published number is that of a replay by hand."""
    rated = [line.data for line in logs.verdicts if "rounds" in line.data]
    assert len(rated) == len(replay.sessions) > 0
    for verdict in rated:
        numbers = [numbers_in(each) for each in verdict["rounds"]]
        assert numbers == replay.sessions[verdict["session_id"]]


def assert_answered_truly(answers: Sequence[Answer], logs: Logs, replay: Replay) -> None:
    """Check every number in every answer; one that came before the rating holds no numbers."""
    facts = {fact["session_id"]: fact for fact in logs.session_facts}
    for answer in accepted(answers):
        session_id = answer.body["session_id"]
        told = {name: answer.body[name] for name in ("session_id", "status", "results", "rounds")}
        if answer.status == 202:
            pending = {"status": "accepted", "results": [], "rounds": []}
            assert told == {"session_id": session_id, **pending}
        else:
            numbers = replay.sessions[session_id]
            assert told == answer_by_hand(facts[session_id], answer.errand.claim, numbers)
