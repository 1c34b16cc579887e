"""The replays by hand give the numbers of tests/vectors/rating_history.json, too."""

from dataclasses import replace

from shared.events.facts import FactEvent, SessionSubmitted
from tests.rater.test_vectors import ROUNDS, STEPS, facts_of
from tests.replay_by_hand.replay import SeatRated, played_through


def test_every_number_of_every_round_comes_out() -> None:
    facts = [(seq, named(fact, seq)) for seq, fact in enumerate(facts_of(STEPS), start=1)]
    _, rated = played_through(facts)
    rounds = [played for session in rated.values() for played in session]
    assert len(rounds) == len(ROUNDS) == 400
    for number, (played, step) in enumerate(zip(rounds, ROUNDS, strict=True)):
        assert [told(seat) for seat in played] == step["expect"], f"round {number}"


def named(fact: FactEvent, seq: int) -> FactEvent:
    """Give a session a name of its own; those of the vectors all have the same."""
    return replace(fact, session_id=f"s-{seq}") if isinstance(fact, SessionSubmitted) else fact


def told(seat: SeatRated) -> dict[str, int]:
    """Return what the vectors tell of a seat."""
    before, after = seat.before, seat.after
    return {
        "rating_before": before.rating_centi,
        "rating_change": after.rating_centi - before.rating_centi,
        "rating_after": after.rating_centi,
        "games_total": after.games,
        "verified_rating_before": before.verified_rating_centi,
        "verified_rating_change": after.verified_rating_centi - before.verified_rating_centi,
        "verified_rating_after": after.verified_rating_centi,
        "verified_games_total": after.verified_games,
    }
