"""A judgment changes nothing by itself; taken in, it is on record. What a submission replaces."""

import copy
from typing import Any

import pytest

from services.ingest.record.judging.identified import Identified
from services.ingest.record.judging.judge import Replaced, judge
from services.ingest.record.judging.judgment import Accepted, Judgment, Replayed
from services.ingest.record.judging.on_record import OnRecord
from services.ingest.record.judging.taking_in import take_in
from tests.ingest.claims import Claim, a_round, a_session
from tests.ingest.record.judging.desk import AWAY, HOME, Desk, code_of

ROUND = a_round(ada=2, bo=1, cy=0, dee=0)
HIDDEN = a_round({"PRIVATE:ada@example.com": 2, "bo": 1, "cy": 0, "dee": 0})
MENDED = a_round(ada=1, bo=2, cy=0, dee=0)
SECOND = a_round(ada=0, bo=1, cy=2, dee=0)
ABROAD = a_round(eve=2, fay=1)
# Ada and Gus, and Eve and Zoe, are read as one; the source never named Gus and Zoe.
SURVIVORS = {
    "MJ-/gus@example.com": "MJ-/ada@example.com",
    "MJ-/zoe@example.com": "MJ-/eve@example.com",
}

# All that a transaction writes down, and all that later judgments rest on.
KEPT = (
    "people",
    "keys",
    "sessions",
    "by_content",
    "by_base",
    "by_ref",
    "changed_people",
    "private_words",
    "kept_keys",
    "acquainted",
    "named_now",
    "foreign_refusals",
)


def kept_in(record: OnRecord) -> dict[str, Any]:
    """Return a copy of what is on record."""
    return {each: copy.deepcopy(getattr(record, each)) for each in KEPT}


def a_desk() -> Desk:
    """Return a desk with two sessions on record, and what others hold."""
    desk = Desk(survivors=SURVIVORS)
    desk.judge(a_session(ROUND), key="first")
    desk.judge(a_session(ABROAD), source=AWAY)
    return desk


def told(judgment: Judgment) -> object:
    """Return all that is told of a judgment."""
    match judgment:
        case Accepted() | Replayed():
            return judgment
        case _:
            return judgment.code, judgment.detail, judgment.extra


KINDS: list[tuple[str, Claim, str | None]] = [
    ("accepted", a_session(a_round({"PRIVATE:ada@example.com": 1, "ANON:new": 0})), "new"),
    ("accepted", a_session(MENDED), None),
    ("accepted", a_session(ROUND, allow_duplicate=True), "new"),
    ("session-1 by key", a_session(ROUND), "first"),
    ("session-1 by content", a_session(HIDDEN), "new"),
    ("idempotency_key_reused", a_session(MENDED), "first"),
    ("duplicate_session", a_session(ROUND, SECOND), "new"),
    ("night_changed", a_session(MENDED, whole_night=True), "new"),
    ("similar_round", a_session(MENDED, if_similar="refuse"), "new"),
    ("duplicate_session", a_session(ABROAD), "new"),
    ("duplicate_session", a_session(ABROAD, SECOND, a_round(hal=1, ian=0)), "new"),
    ("claim_refused", a_session(a_round(ada=1, gus=0), SECOND), "new"),
    ("ask_the_operator", a_session(a_round(eve=1, zoe=0)), "new"),
]  # fmt: skip


def received(decided: str, claim: Claim, key: str | None) -> tuple[Desk, Identified]:
    """Return a desk and a submission that it has received, about which this will be decided."""
    desk = a_desk()
    if decided == "claim_refused":
        desk.judge(a_session(a_round(gus=1, hal=0)))
    return desk, desk.receive(claim, key=key)


@pytest.mark.parametrize(("decided", "claim", "key"), KINDS)
def test_judging_changes_nothing_however_often_it_is_done(
    decided: str, claim: Claim, key: str | None
) -> None:
    desk, identified = received(decided, claim, key)
    before = kept_in(desk.record)
    first = judge(identified, desk.record, desk.sessions)
    assert code_of(first) == decided
    assert kept_in(desk.record) == before
    assert told(judge(identified, desk.record, desk.sessions)) == told(first)
    assert kept_in(desk.record) == before


@pytest.mark.parametrize(("decided", "claim", "key"), KINDS)
def test_of_a_refusal_nothing_is_taken_in_but_what_it_told_of_others(
    decided: str, claim: Claim, key: str | None
) -> None:
    desk, identified = received(decided, claim, key)
    before = kept_in(desk.record)
    judgment = judge(identified, desk.record, desk.sessions)
    take_in(identified, judgment, desk.record)
    after = kept_in(desk.record)
    told_of_others = after.pop("foreign_refusals") - before.pop("foreign_refusals")
    if isinstance(judgment, Accepted):
        assert after["sessions"].keys() - before["sessions"].keys() == {"session-3"}
        again = "session-3 by content" if key is None else "session-3 by key"
        assert code_of(judge(identified, desk.record, desk.sessions)) == again
    elif not isinstance(judgment, Replayed):
        assert after == before
    is_of_others = claim["rounds"][0] == ABROAD or decided == "ask_the_operator"
    assert bool(told_of_others) == is_of_others


def test_the_replaced_session_itself_is_not_repeated_but_what_stands_in_its_place() -> None:
    desk = a_desk()
    accepted = desk.judge(a_session(SECOND))
    assert isinstance(accepted, Accepted)
    again = desk.receive(a_session(SECOND), key="another")
    # It is the same as a session elsewhere, which is a duplicate and no repetition.
    elsewhere = Replaced("session-1", None)
    assert code_of(judge(again, desk.record, 9, replaces=elsewhere)) == "duplicate_session"
    # It corrects session-1 already: told again, and the new key is not kept.
    stands = Replaced("session-1", "session-3")
    judgment = judge(again, desk.record, 9, replaces=stands)
    assert code_of(judgment) == "session-3 by content"
    take_in(again, judgment, desk.record)
    assert [*desk.record.kept_keys] == [f"{HOME} first".encode()]


def test_a_correction_is_told_again_though_it_allows_a_duplicate_and_has_a_key_of_its_own() -> None:
    desk = a_desk()
    desk.judge(a_session(SECOND))
    claim = a_session(SECOND, allow_duplicate=True)
    again = desk.receive(claim, key="another")
    assert code_of(judge(again, desk.record, 9)) == "accepted"
    stands = Replaced("session-1", "session-3")
    assert code_of(judge(again, desk.record, 9, replaces=stands)) == "session-3 by content"


def test_the_operator_knows_whom_the_source_never_named() -> None:
    desk = a_desk()
    by_gus = desk.receive(a_session(a_round(gus=2, bo=1, cy=0, dee=0), SECOND))
    for_source = judge(by_gus, desk.record, 9)
    assert "another source" in str(told(for_source))
    for_operator = judge(by_gus, desk.record, 9, knows_all=True)
    assert code_of(for_operator) == "duplicate_session"
    assert "your own session" in str(told(for_operator))
    assert desk.record.acquainted == a_desk().record.acquainted
