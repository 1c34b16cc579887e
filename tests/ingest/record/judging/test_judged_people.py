"""What a fact holds of a session, and how merged and private people are judged."""

import pytest

from services.ingest.record.judging.identified import submitted_as
from services.ingest.record.judging.judgment import Accepted
from services.ingest.record.judging.refusing import DuplicateSession
from shared.errors import ClaimRefused
from tests.ingest.claims import a_round, a_session
from tests.ingest.record.judging.desk import AWAY, HOME, Desk, code_of


def test_a_fact_holds_ids_seats_in_the_order_sent_and_who_is_new() -> None:
    desk = Desk()
    desk.judge(a_session(a_round(ada=1, bo=0)))
    accepted = desk.judge(
        a_session(
            a_round(
                {"cy": 0, "bob@mahjic.org": 1, "ada": 2, "ANON:Dee": 1}, points=[1, 2, 3, -4.5]
            ),
            a_round({"erin": 1, "cy": 0}, points=[0.25, 0]),
            game_type="league",
        )
    )
    assert isinstance(accepted, Accepted)
    first, second = accepted.fact.rounds
    cy, ada, dee, erin = (
        "MJ-/cy@example.com",
        "MJ-/ada@example.com",
        "MJ-home-club/dee",
        "MJ-/erin@example.com",
    )
    assert first.players == (cy, "BOB", ada, dee)
    assert first.mahjongs == (0, 1, 2, 1)
    assert first.points_centi == (100, 200, 300, -450)
    assert second.players == (erin, cy)
    assert accepted.fact.new_players == (cy, dee, erin)


def test_the_points_of_social_games_are_not_on_the_log() -> None:
    accepted = Desk().judge(a_session(a_round(ada=1, bo=0, points=[5, 6])))
    assert isinstance(accepted, Accepted)
    assert accepted.fact.rounds[0].points_centi is None


def test_private_wins_until_the_player_or_the_operator_has_spoken() -> None:
    desk = Desk()
    ada = ("", "ada@example.com")
    hidden = a_round({"PRIVATE:ada@example.com": 1, "bo": 0})
    desk.judge(a_session(a_round(ada=1, bo=0)))
    assert not desk.record.people[ada].is_private
    desk.judge(a_session(hidden, on="2026-01-02"))
    assert desk.record.people[ada].is_private
    desk.judge(a_session(a_round(ada=1, bo=0), on="2026-01-03"))
    assert desk.record.people[ada].is_private
    for by, day in (("player", "2026-01-04"), ("operator", "2026-01-05")):
        desk.record.people[ada].is_private = False
        desk.record.people[ada].privacy_by = by
        assert code_of(desk.judge(a_session(hidden, on=day))) == "accepted"
        assert not desk.record.people[ada].is_private


@pytest.mark.parametrize("key", [None, "k"])
def test_a_repeat_that_says_private_is_heard(key: str | None) -> None:
    desk = Desk()
    desk.judge(a_session(a_round(ada=1, bo=0)), key=key)
    desk.record.changed_people.clear()
    repeated = desk.judge(a_session(a_round({"PRIVATE:ada@example.com": 1, "bo": 0})), key=key)
    assert code_of(repeated) == f"session-1 by {'content' if key is None else 'key'}"
    assert desk.record.people["", "ada@example.com"].is_private
    assert desk.record.changed_people == {("", "ada@example.com")}


ADA, BO = "MJ-/ada@example.com", "MJ-/bo@example.com"


def test_merged_people_count_as_one_among_all_that_comes_twice() -> None:
    desk = Desk(survivors={ADA: BO})
    desk.judge(a_session(a_round(ada=2, cy=1)))
    by_bo = a_session(a_round(bo=2, cy=1))
    with_another = a_session(a_round(bo=2, dee=1), a_round(bo=2, cy=1))
    # The source never had Bo: that Bo is Ada is not for it to know.
    for claim in (by_bo, with_another):
        refused = desk.judge(claim)
        assert isinstance(refused, DuplicateSession)
        assert {each["held_by"] for each in refused.extra["rounds"]} == {"another source"}
    assert code_of(desk.judge(by_bo, source=AWAY)) == "duplicate_session"
    # The round that nobody holds is a guess as well.
    assert desk.record.foreign_refusals == {HOME: 3, AWAY: 1}
    desk.judge(a_session(a_round(bo=5, eve=1)))
    assert code_of(desk.judge(by_bo)) == "session-1 by content"
    refused = desk.judge(with_another)
    assert isinstance(refused, DuplicateSession)
    assert {each["held_by"] for each in refused.extra["rounds"]} == {"your own session"}


def test_a_key_tells_the_addresses_of_one_player_apart() -> None:
    desk = Desk(survivors={ADA: BO})
    desk.judge(a_session(a_round(ada=2, cy=1)), key="k")
    assert code_of(desk.judge(a_session(a_round(cy=1, ada=2)), key="k")) == "session-1 by key"
    by_bo = a_session(a_round(bo=2, cy=1))
    assert code_of(desk.judge(by_bo, key="k")) == "idempotency_key_reused"
    assert code_of(desk.judge(by_bo, key="another")) == "duplicate_session"
    desk.judge(a_session(a_round(bo=5, eve=1)))
    assert code_of(desk.judge(by_bo, key="another")) == "session-1 by content"


def test_one_player_at_one_table_by_two_addresses_is_refused_and_leaves_nothing_behind() -> None:
    desk = Desk(survivors={ADA: BO})
    desk.judge(a_session(a_round({"PRIVATE:cy@example.com": 0, "dee": 1})))
    desk.record.changed_people.clear()
    both = a_session(a_round({"ada": 1, "PRIVATE:dee@example.com": 0, "bo": 0}))
    # Who has not had both of them is told of neither.
    assert code_of(desk.judge(both, key="k")) == "ask_the_operator"
    assert desk.record.foreign_refusals == {HOME: 1}
    for won, name in enumerate(("ada", "bo")):
        desk.judge(a_session(a_round({name: won, "eve": 7})))
    desk.record.changed_people.clear()
    refused = desk.judge(both, key="k")
    assert isinstance(refused, ClaimRefused)
    assert [(each.pointer, each.code) for each in refused.mistakes] == [
        ("/rounds/0/players/2/email", "player_twice")
    ]
    assert desk.record.changed_people == set()
    assert desk.record.kept_keys == {}
    assert not desk.record.people["", "dee@example.com"].is_private


def test_a_fact_keeps_the_ids_of_addresses_and_its_answer_names_the_survivor() -> None:
    accepted = Desk(survivors={ADA: BO}).judge(a_session(a_round({"ADA@example.com": 1, "cy": 0})))
    assert isinstance(accepted, Accepted)
    assert accepted.fact.rounds[0].players == (ADA, "MJ-/cy@example.com")
    names = submitted_as(accepted.submission, accepted.identified.survivor_ids)
    assert names == {BO: "ADA@example.com", "MJ-/cy@example.com": "cy@example.com"}
