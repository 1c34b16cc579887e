"""The rules for repeats, keys and duplicates (spec 4, Submit), on a record made by hand."""

import pytest

from services.ingest.record.judging.judgment import IdempotencyKeyReused, Replayed
from services.ingest.record.judging.refusing import DuplicateSession
from tests.ingest.claims import Claim, a_round, a_session
from tests.ingest.record.judging.desk import AWAY, HOME, Desk, code_of

ROUND = a_round(ada=2, bo=1, cy=0, wall_games=1)
SAME_IN_ANOTHER_ORDER = a_round(cy=0, ada=2, bo=1, wall_games=1)
SAME_SPELLED_OTHERWISE = a_round(
    {"ADA@example.com": 2, "PRIVATE:bo@EXAMPLE.com": 1, " cy@example.com": 0}, wall_games=1
)
OTHER = a_round(ada=1, dee=2)
LEAGUE = a_round(ada=2, bo=1, cy=0, wall_games=1, points=[10, 5, -15])
LEAGUE_WITH_OTHER_POINTS = a_round(ada=2, bo=1, cy=0, wall_games=1, points=[11, 4, -15])


@pytest.mark.parametrize(
    ("second", "decided"),
    [
        (a_session(ROUND), "session-1 by content"),
        (a_session(SAME_IN_ANOTHER_ORDER), "session-1 by content"),
        (a_session(SAME_SPELLED_OTHERWISE), "session-1 by content"),
        (a_session(ROUND, OTHER), "duplicate_session"),
        (a_session(OTHER, SAME_SPELLED_OTHERWISE), "duplicate_session"),
        (a_session(LEAGUE, game_type="league"), "duplicate_session"),
        (a_session(LEAGUE, game_type="tournament"), "duplicate_session"),
        (a_session({**ROUND, "ref": "T1"}), "duplicate_session"),
        (a_session(ROUND, on="2026-01-30"), "accepted"),
        (a_session(a_round(ada=1, bo=2, cy=0, wall_games=1)), "accepted"),
        (a_session(a_round(ada=2, bo=1, cy=0)), "accepted"),
        (a_session(a_round(ada=2, bo=1, cy=0, wall_games=2)), "accepted"),
        (a_session(a_round(ada=2, bo=1, wall_games=1)), "accepted"),
        (a_session(a_round(ada=2, bo=1, cy=0, dee=0, wall_games=1)), "accepted"),
        (a_session(a_round({"ada": 2, "bo": 1, "ANON:cy": 0}, wall_games=1)), "accepted"),
    ],
)
def test_what_the_same_source_says_after_a_social_round(second: Claim, decided: str) -> None:
    desk = Desk()
    assert code_of(desk.judge(a_session(ROUND))) == "accepted"
    assert code_of(desk.judge(second)) == decided


@pytest.mark.parametrize(
    ("first", "second", "decided"),
    [
        (a_session(ROUND), a_session(SAME_SPELLED_OTHERWISE), "duplicate_session"),
        (a_session(ROUND), a_session(LEAGUE, game_type="league"), "duplicate_session"),
        (
            a_session(LEAGUE, game_type="league"),
            a_session(LEAGUE, game_type="tournament"),
            "duplicate_session",
        ),
        (a_session(LEAGUE, game_type="league"), a_session(ROUND), "duplicate_session"),
        (
            a_session(LEAGUE, game_type="league"),
            a_session(LEAGUE_WITH_OTHER_POINTS, game_type="league"),
            "accepted",
        ),
        # Refs are a source's own names, so those of two sources say nothing about each other.
        (a_session({**ROUND, "ref": "1"}), a_session({**ROUND, "ref": "2"}), "duplicate_session"),
        (a_session({**ROUND, "ref": "1"}), a_session({**OTHER, "ref": "1"}), "accepted"),
        # Nicknames are local to their source.
        (
            a_session(a_round({"ANON:x": 1, "bo": 0})),
            a_session(a_round({"ANON:x": 1, "bo": 0})),
            "accepted",
        ),
    ],
)
def test_what_another_source_says_after(first: Claim, second: Claim, decided: str) -> None:
    desk = Desk()
    assert code_of(desk.judge(first, source=AWAY)) == "accepted"
    assert code_of(desk.judge(second, source=HOME)) == decided


@pytest.mark.parametrize(
    ("first_ref", "second_ref", "second_round", "decided"),
    [
        ("T1", "T1", ROUND, "session-1 by content"),
        ("T1", "T2", ROUND, "accepted"),
        ("T1", None, ROUND, "duplicate_session"),
        (None, "T1", ROUND, "duplicate_session"),
        ("T1", "T1", OTHER, "duplicate_session"),
        ("T1", "t1", OTHER, "accepted"),
    ],
)
def test_refs_of_one_source_tell_rounds_apart_and_name_them(
    first_ref: str | None, second_ref: str | None, second_round: Claim, decided: str
) -> None:
    first, second = (
        {**played, **({} if ref is None else {"ref": ref})}
        for played, ref in ((ROUND, first_ref), (second_round, second_ref))
    )
    desk = Desk()
    assert code_of(desk.judge(a_session(first))) == "accepted"
    assert code_of(desk.judge(a_session(second))) == decided


def test_a_ref_holds_on_another_day_too() -> None:
    desk = Desk()
    desk.judge(a_session({**ROUND, "ref": "T1"}, on="2026-01-01"))
    assert code_of(desk.judge(a_session({**OTHER, "ref": "T1"}))) == "duplicate_session"


def test_equal_rounds_inside_one_session_are_fine_and_a_repeat_of_it_is_one() -> None:
    desk = Desk()
    assert code_of(desk.judge(a_session(ROUND, ROUND, ROUND))) == "accepted"
    assert code_of(desk.judge(a_session(ROUND, ROUND, ROUND))) == "session-1 by content"
    assert code_of(desk.judge(a_session(ROUND, ROUND))) == "duplicate_session"


def test_a_duplicate_names_the_rounds_and_ones_own_sessions_but_not_those_of_others() -> None:
    desk = Desk()
    desk.judge(a_session(ROUND, ROUND), source=AWAY)
    desk.judge(a_session(OTHER))
    own = {"pointer": "/rounds/2", "session_id": "session-2", "held_by": "your own session"}
    other = {"pointer": "/rounds/1", "session_id": None, "held_by": "another source"}
    nobodys = a_round(x=1, y=0)
    # With an own round on record nothing is told of what another source holds.
    for rest, told in (([OTHER], own), ([], other)):
        refused = desk.judge(a_session(nobodys, ROUND, *rest))
        assert isinstance(refused, DuplicateSession)
        assert refused.status == 409
        assert refused.extra["rounds"] == [told]
        assert f"round {str(told['pointer'])[-1]} of" in refused.detail
        assert AWAY not in f"{refused.detail}{refused.extra}"
        assert "session-1" not in f"{refused.detail}{refused.extra}"
    # The round that nobody holds was asked about as well.
    assert desk.record.foreign_refusals == {HOME: 2}


@pytest.mark.parametrize(("held", "guessed"), [(1, 0), (1, 1), (1, 2), (3, 2), (2, 3), (50, 50)])
def test_rounds_of_others_are_named_where_they_are_half_and_every_guess_counts(
    held: int, guessed: int
) -> None:
    desk = Desk()
    known = [a_round({f"known{number}": 1, "di": 0}) for number in range(held)]
    desk.judge(a_session(*known), source=AWAY)
    guesses = [a_round({f"guess{number}": 1, "di": 0}) for number in range(guessed)]
    refused = desk.judge(a_session(*known, *guesses))
    assert isinstance(refused, DuplicateSession)
    pointers = [each["pointer"] for each in refused.extra["rounds"]]
    if guessed > held:
        assert pointers == ["/rounds"]
        assert "round 0" not in refused.detail
    else:
        assert pointers == [f"/rounds/{number}" for number in range(held)]
    # Of a hundred refusals no more than a hundred guesses are answered.
    assert desk.record.foreign_refusals == {HOME: 1 if guessed > held else 1 + guessed}


def test_how_many_other_sources_hold_a_round_is_not_told() -> None:
    desk = Desk()
    for number in range(3):
        desk.judge(a_session(ROUND) | {"allow_duplicate": True}, source=f"{AWAY}-{number}")
    refused = desk.judge(a_session(ROUND))
    assert isinstance(refused, DuplicateSession)
    assert refused.extra["rounds"] == [
        {"pointer": "/rounds/0", "session_id": None, "held_by": "another source"}
    ]


def test_a_refused_duplicate_leaves_nothing_behind() -> None:
    desk = Desk()
    desk.judge(a_session(ROUND), source=AWAY)
    desk.record.changed_people.clear()
    new_and_hidden = a_round({"new": 1, "PRIVATE:ada@example.com": 0})
    assert code_of(desk.judge(a_session(ROUND, new_and_hidden), key="k")) == "duplicate_session"
    assert desk.record.changed_people == set()
    assert desk.record.kept_keys == {}
    assert not desk.record.people["", "ada@example.com"].is_private
    assert desk.record.people["", "new@example.com"].is_new
    assert code_of(desk.judge(a_session(new_and_hidden), key="k")) == "accepted"


def test_a_duplicate_that_is_allowed_is_recorded_once_without_a_key() -> None:
    desk = Desk()
    again = a_session(ROUND, allow_duplicate=True)
    assert code_of(desk.judge(a_session(ROUND))) == "accepted"
    assert code_of(desk.judge(again)) == "accepted"
    assert code_of(desk.judge(again)) == "session-2 by content"
    assert code_of(desk.judge(a_session(ROUND))) == "session-1 by content"


def test_a_duplicate_that_is_allowed_is_recorded_once_per_key() -> None:
    desk = Desk()
    again = a_session(ROUND, allow_duplicate=True)
    assert code_of(desk.judge(again, key="1")) == "accepted"
    assert code_of(desk.judge(again, key="2")) == "accepted"
    assert code_of(desk.judge(again, key="1")) == "session-1 by key"
    assert code_of(desk.judge(again, key="2")) == "session-2 by key"


def test_permission_for_a_duplicate_is_no_need_of_one() -> None:
    desk = Desk()
    assert code_of(desk.judge(a_session(ROUND, allow_duplicate=True))) == "accepted"
    assert code_of(desk.judge(a_session(ROUND), source=AWAY)) == "duplicate_session"


@pytest.mark.parametrize("status", ["voided", "corrected"])
def test_a_file_sent_again_never_brings_a_voided_or_corrected_mistake_back(status: str) -> None:
    desk = Desk()
    desk.judge(a_session(ROUND), key="k")
    desk.take_back("session-1", status)
    for key, how in ((None, "content"), ("k", "key"), ("another", "content")):
        repeated = desk.judge(a_session(SAME_IN_ANOTHER_ORDER), key=key)
        assert code_of(repeated) == f"session-1 by {how}"
        assert isinstance(repeated, Replayed)
        assert repeated.status == status


def test_the_rounds_of_a_voided_session_are_free_for_others_and_for_other_sessions() -> None:
    desk = Desk()
    desk.judge(a_session({**ROUND, "ref": "T1"}))
    desk.take_back("session-1", "voided")
    assert code_of(desk.judge(a_session({**OTHER, "ref": "T1"}))) == "accepted"
    assert code_of(desk.judge(a_session(ROUND), source=AWAY)) == "accepted"


def test_a_key_gives_the_first_answer_for_the_same_content_and_refuses_other() -> None:
    desk = Desk()
    assert code_of(desk.judge(a_session(ROUND), key="k")) == "accepted"
    assert code_of(desk.judge(a_session(SAME_SPELLED_OTHERWISE), key="k")) == "session-1 by key"
    for other in (
        a_session(a_round(ada=1, bo=2, cy=0, wall_games=1)),
        a_session(ROUND, on="2026-01-30"),
        a_session(ROUND, ROUND),
        a_session(LEAGUE, game_type="league"),
        a_session(ROUND, allow_duplicate=True),
    ):
        reused = desk.judge(other, key="k")
        assert isinstance(reused, IdempotencyKeyReused)
        assert reused.status == 422
    assert code_of(desk.judge(a_session(OTHER), key="k", source=AWAY)) == "accepted"


def test_a_key_that_repeats_a_session_by_content_stands_for_it_from_then_on() -> None:
    desk = Desk()
    desk.judge(a_session(ROUND))
    assert code_of(desk.judge(a_session(ROUND), key="k")) == "session-1 by content"
    assert code_of(desk.judge(a_session(ROUND), key="k")) == "session-1 by key"
    assert code_of(desk.judge(a_session(OTHER), key="k")) == "idempotency_key_reused"
