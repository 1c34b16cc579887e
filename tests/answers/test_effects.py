"""The effect of a change of the past: who is listed, for whom, and with which numbers."""

from pydantic import TypeAdapter

from shared.answers.effects import EffectAnswer, effect_answer
from shared.events.verdicts import FactNoted, FactRefused, RatingsCorrected


def a_verdict(*players: str, moved: int) -> RatingsCorrected:
    """Return a first part: the n-th player falls by n hundredths; in the other pool it rises."""
    places = range(len(players))
    return RatingsCorrected(
        fact_type="sessions-voided.v1",
        data={},
        session=None,
        moved=moved,
        players=players,
        rating_before=tuple(150_000 + place for place in places),
        rating_change=tuple(-place for place in places),
        games_before=tuple(8 for _ in places),
        games_after=tuple(4 for _ in places),
        verified_rating_before=tuple(140_000 for _ in places),
        verified_rating_change=tuple(place for place in places),
        verified_games_before=tuple(3 for _ in places),
        verified_games_after=tuple(2 for _ in places),
    )


def test_a_change_is_told_in_points_with_what_was_before_and_after() -> None:
    effect = effect_answer(17, a_verdict("AN-1", "MJ-2", moved=2), shown_to=None)
    assert TypeAdapter(EffectAnswer).validate_python(effect, extra="forbid") == effect
    assert (effect["fact_seq"], effect["players_moved"], effect["others_moved"]) == (17, 2, 0)
    nickname, player = effect["changes"]
    assert (nickname["player_id"], nickname["mahjic_id"]) == ("AN-1", None)
    assert player == {
        "player_id": "MJ-2",
        "mahjic_id": "MJ-2",
        "rating_before": 1500.01,
        "rating_after": 1500.0,
        "rating_change": -0.01,
        "games_before": 8,
        "games_after": 4,
        "verified_rating_before": 1400.0,
        "verified_rating_after": 1400.01,
        "verified_rating_change": 0.01,
        "verified_games_before": 3,
        "verified_games_after": 2,
    }


def test_a_source_is_shown_its_own_players_and_how_many_others_there_are() -> None:
    verdict = a_verdict("MJ-1", "MJ-2", "MJ-3", moved=7_000)
    effect = effect_answer(17, verdict, shown_to={"MJ-3", "MJ-1", "MJ-9"})
    assert [each["player_id"] for each in effect["changes"]] == ["MJ-1", "MJ-3"]
    assert effect["others_moved"] == 6_998
    nobody = effect_answer(17, verdict, shown_to=frozenset())
    assert (nobody["changes"], nobody["others_moved"]) == ([], 7_000)


def test_the_operator_is_shown_the_first_hundred() -> None:
    players = [f"MJ-{number}" for number in range(150)]
    effect = effect_answer(17, a_verdict(*players, moved=7_000), shown_to=None)
    assert [each["player_id"] for each in effect["changes"]] == players[:100]
    assert effect["others_moved"] == 6_900


def test_what_moved_nobody_says_so() -> None:
    for verdict in (FactNoted("formula-adopted.v1", {}), FactRefused("impossible_merge", None)):
        for shown_to in (None, {"MJ-1"}):
            assert effect_answer(17, verdict, shown_to=shown_to) == {
                "fact_seq": 17,
                "players_moved": 0,
                "changes": [],
                "others_moved": 0,
            }
