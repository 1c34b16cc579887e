"""A night that comes again: the same is replayed, a new one goes in, a grown one is named."""

from typing import Any

import pytest

from services.ingest.record.judging.judgment import Judgment
from services.ingest.record.judging.known_night import NightChanged
from services.ingest.record.judging.refusing import DuplicateSession
from tests.ingest.claims import Claim, a_round, a_session
from tests.ingest.record.judging.desk import AWAY, HOME, Desk, code_of

FIRST = a_round(ada=2, bo=1, cy=0, dee=0, wall_games=1)
SECOND = a_round(ada=0, bo=1, cy=2, dee=1)
THIRD = a_round(eve=2, fay=1, gus=0)
MENDED = a_round(ada=3, bo=1, cy=0, dee=0)


def night(*rounds: Claim, **more: Any) -> Claim:
    return a_session(*rounds, whole_night=True, **more)


def told(judgment: Judgment) -> dict[str, Any]:
    """Return what a refusal says of the night."""
    assert isinstance(judgment, DuplicateSession | NightChanged), code_of(judgment)
    found: dict[str, Any] = judgment.extra["night"]
    return found


def whats(judgment: Judgment) -> list[tuple[str | None, str]]:
    return [(each["pointer"], each["what"]) for each in told(judgment)["rounds"]]


@pytest.mark.parametrize("again", [a_session(FIRST, SECOND), night(FIRST, SECOND)])
def test_a_night_that_has_grown_is_named_with_what_is_new_before_anything_else(
    again: Claim,
) -> None:
    desk = Desk()
    desk.judge(night(FIRST))
    refused = desk.judge(again)
    assert code_of(refused) == "duplicate_session"
    assert (told(refused)["kind"], told(refused)["session_ids"]) == ("grown", ["session-1"])
    assert told(refused)["correct"] == "/v1/sessions/session-1/corrections"
    assert whats(refused) == [("/rounds/0", "same"), ("/rounds/1", "new")]
    assert isinstance(refused, DuplicateSession)
    words = refused.detail
    assert words.index("session-1") < words.index("correct") < words.index("allow_duplicate")


def test_a_changed_number_in_a_whole_night_is_told_in_words() -> None:
    desk = Desk()
    desk.judge(night(FIRST, SECOND))
    refused = desk.judge(night(MENDED, SECOND))
    assert told(refused)["kind"] == "changed"
    assert whats(refused) == [("/rounds/0", "changed"), ("/rounds/1", "same")]
    assert told(refused)["rounds"][0]["message"] == "ada@example.com has 3 mahjongs, and had 2."


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (MENDED, ["ada@example.com has 3 mahjongs, and had 2."]),
        (
            a_round(ada=2, bo=1, cy=0, dee=0, wall_games=3),
            ["It has 6 games, and had 4."],
        ),
        (
            a_round(ada=2, bo=1, cy=0, eve=0, wall_games=1),
            ["eve@example.com was not in it.", "1 of its players is no longer in it."],
        ),
    ],
)
def test_a_night_of_one_round_that_was_edited_is_not_rated_beside_the_old_one(
    changed: Claim, words: list[str]
) -> None:
    desk = Desk()
    desk.judge(night(FIRST))
    refused = desk.judge(night(changed))
    assert code_of(refused) == "night_changed"
    (only,) = told(refused)["rounds"]
    assert (only["what"], only["session_id"], only["message"]) == (
        "changed",
        "session-1",
        " ".join(words),
    )


def test_points_that_changed_are_told_too() -> None:
    desk = Desk()
    before = a_round(ada=2, bo=1, points=[10, -10])
    desk.judge(night(before, game_type="league"))
    after = a_round(ada=2, bo=1, points=[10.5, -10])
    (only,) = told(desk.judge(night(after, game_type="league")))["rounds"]
    assert only["message"] == "ada@example.com has 10.50 points, and had 10."


@pytest.mark.parametrize(
    "other",
    [
        a_session(MENDED),
        night(THIRD),
        night(a_round(ada=2, bo=1, wall_games=1)),
        night(a_round(ada=1, eve=1, fay=1)),
        night(a_round(ada=1, bo=2, cy=0, eve=0, wall_games=1)),
        night(a_round(ada=2, bo=1, cy=0, eve=0, wall_games=2)),
        night(MENDED, on="2026-01-30"),
        night(MENDED, allow_duplicate=True),
        night(FIRST, SECOND, allow_duplicate=True),
    ],
)
def test_what_is_another_night_goes_in(other: Claim) -> None:
    desk = Desk()
    desk.judge(night(FIRST))
    assert code_of(desk.judge(other)) == "accepted"


def test_refs_that_differ_tell_nights_apart_and_the_same_ref_tells_one() -> None:
    desk = Desk()
    desk.judge(night({**FIRST, "ref": "table 1"}))
    assert code_of(desk.judge(night({**MENDED, "ref": "table 2"}))) == "accepted"
    refused = desk.judge(night({**THIRD, "ref": "table 1"}))
    assert whats(refused) == [("/rounds/0", "changed")]


def test_several_sessions_of_the_same_four_on_one_date_are_no_whole_nights() -> None:
    desk = Desk()
    for won in range(1, 6):
        games = a_session(a_round(ada=won, bo=1, cy=0, dee=0))
        assert code_of(desk.judge(games)) == "accepted"


def test_another_source_s_night_is_neither_compared_nor_named() -> None:
    desk = Desk()
    desk.judge(night(FIRST), source=AWAY)
    assert code_of(desk.judge(night(MENDED), source=HOME)) == "accepted"
    refused = desk.judge(night(FIRST), source="third-club")
    assert isinstance(refused, DuplicateSession)
    assert "night" not in refused.extra


def test_a_round_that_is_gone_and_another_kind_of_game_are_changes() -> None:
    desk = Desk()
    desk.judge(night(FIRST, SECOND))
    shorter = desk.judge(night(SECOND))
    assert told(shorter)["kind"] == "changed"
    assert whats(shorter) == [("/rounds/0", "same"), (None, "missing")]
    assert told(shorter)["rounds"][1]["message"] == (
        "Round 1 of session-1 is not in what you sent."
    )
    lesson = a_session(
        *({**each, "players": [{**seat, "points": 0} for seat in each["players"]]}
          for each in (FIRST, SECOND)),
        game_type="tournament", whole_night=True,
    )  # fmt: skip
    refused = desk.judge(lesson)
    assert (told(refused)["kind"], {what for _, what in whats(refused)}) == ("changed", {"same"})
    assert isinstance(refused, DuplicateSession)
    assert "the game type was social" in refused.detail


def test_a_night_in_two_sessions_is_named_with_both_and_with_the_way_to_make_it_one() -> None:
    desk = Desk()
    desk.judge(night(FIRST))
    desk.judge(night(THIRD))
    refused = desk.judge(night(FIRST, THIRD, SECOND))
    assert (told(refused)["kind"], told(refused)["session_ids"]) == (
        "grown",
        ["session-1", "session-2"],
    )
    assert isinstance(refused, DuplicateSession)
    assert "void session-2 first, and then correct session-1" in refused.detail


def test_equal_rounds_are_found_once_each() -> None:
    desk = Desk()
    desk.judge(night(FIRST, FIRST))
    refused = desk.judge(night(FIRST, FIRST, FIRST))
    assert [what for _, what in whats(refused)] == ["same", "same", "new"]


def test_what_is_the_same_is_found_before_what_was_edited() -> None:
    desk = Desk()
    desk.judge(night(FIRST, MENDED))
    refused = desk.judge(night(a_round(ada=4, bo=0, cy=0, dee=0), MENDED, FIRST))
    assert [what for _, what in whats(refused)] == ["new", "same", "same"]


def test_whom_somebody_is_merged_with_is_not_told_by_a_night() -> None:
    desk = Desk(survivors={"MJ-/eve@example.com": "MJ-/ada@example.com"})
    desk.judge(night(FIRST))
    guessed = desk.judge(night(a_round(eve=3, bo=1, cy=0, dee=0)))
    # The source never named Eve: to it she is somebody else, with other numbers.
    assert code_of(guessed) == "accepted"


def test_rounds_in_another_order_are_a_change_and_other_refs_are_none() -> None:
    desk = Desk()
    desk.judge(night({**FIRST, "ref": "a"}, {**SECOND, "ref": "b"}))
    turned = desk.judge(night(SECOND, FIRST))
    assert told(turned)["kind"] == "changed"
    assert isinstance(turned, DuplicateSession)
    assert "in a different order" in turned.detail
    bare = desk.judge(night(FIRST, SECOND))
    assert told(bare)["kind"] == "same"
    between = desk.judge(night(FIRST, THIRD, SECOND))
    assert told(between)["kind"] == "grown"


def test_a_round_under_an_address_that_the_source_never_named_is_not_told_to_be_the_same() -> None:
    desk = Desk(survivors={"MJ-/eve@example.com": "MJ-/ada@example.com"})
    desk.judge(night(FIRST, SECOND))
    refused = desk.judge(night(a_round(eve=2, bo=1, cy=0, dee=0, wall_games=1), SECOND))
    assert whats(refused) == [("/rounds/0", "changed"), ("/rounds/1", "same")]
