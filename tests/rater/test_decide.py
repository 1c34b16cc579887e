"""Single verdicts, by the examples and the words of the spec."""

from dataclasses import replace

import pytest

from services.rater.decide import decide
from services.rater.state import State
from shared.events.facts import (
    FactEvent,
    FormulaAdopted,
    PlayerVerificationEnded,
    PlayerVerified,
)
from shared.events.verdicts import FactNoted, RatedRound, SessionRated
from shared.rating.registry import MAHJIC_ELO_1, UnknownFormula
from shared.replay.adoptions import FormulaDiffers
from shared.replay.session_rating import Standing
from tests.rater.stories import ADOPTED, a_rater, a_round, a_session, answered, verdicts_on

ADA, BO, CLEO, DREW = "MJ-ADA", "MJ-BO", "MJ-CLEO", "MJ-DREW"


def a_state() -> State:
    """Return what a rater knows that has read nothing."""
    return a_rater().state


def the_rounds(*events: FactEvent) -> tuple[RatedRound, ...]:
    """Return the rounds of the last event, which is a session."""
    event = verdicts_on([ADOPTED, *events])[-1].event
    assert isinstance(event, SessionRated)
    return event.rounds


def standing_after(player_id: str, *events: FactEvent) -> Standing:
    rater = a_rater()
    answered([ADOPTED, *events], rater)
    return rater.state.standing(player_id)


@pytest.mark.parametrize(("points_centi", "changes"), [(25, (0, 2, 0, 0)), (75, (-2, 4, -2, -2))])
def test_the_half_even_examples_of_the_rating_page(
    points_centi: int, changes: tuple[int, ...]
) -> None:
    table = {ADA: 1, BO: 1, CLEO: 1, DREW: 1}
    (rated,) = the_rounds(a_session(a_round(table, points_centi=(0, points_centi, 0, 0))))
    assert rated.rating_change == changes


def test_two_newcomers_move_by_half_of_k() -> None:
    (rated,) = the_rounds(a_session(a_round({ADA: 2, BO: 1}, wall_games=1)))
    assert rated.rating_before == (150_000, 150_000)
    assert rated.rating_change == (1_600, -1_600)
    assert rated.games_after == (4, 4)
    assert rated.verified_rating_change == (0, 0)
    assert rated.verified_games_after == (0, 0)


def test_the_second_round_sees_the_result_of_the_first() -> None:
    first, second = the_rounds(a_session(a_round({ADA: 1, BO: 0}), a_round({BO: 1, CLEO: 0})))
    assert first.rating_change == (1_600, -1_600)
    assert second.rating_before == (148_400, 150_000)
    assert second.games_before == (1, 0)


def test_a_session_counts_only_by_its_place_on_the_log() -> None:
    late = replace(a_session(a_round({ADA: 1, BO: 0})), session_date="1900-01-01")
    (rated,) = the_rounds(a_session(a_round({ADA: 1, BO: 0})), late)
    assert rated.rating_before == (151_600, 148_400)


def test_the_verified_pool_takes_two_and_knows_only_its_own() -> None:
    strangers = a_session(a_round({ADA: 5, CLEO: 0}))
    table = a_session(a_round({CLEO: 1, ADA: 1, "BOB": 0, BO: 0}))
    (alone,) = the_rounds(PlayerVerified(ADA), strangers, table)
    assert alone.is_verified == (0, 1, 0, 0)
    assert alone.verified_rating_change == (0, 0, 0, 0)
    assert alone.verified_games_after == (0, 0, 0, 0)
    (two,) = the_rounds(PlayerVerified(ADA), strangers, PlayerVerified(BO), table)
    assert two.is_verified == (0, 1, 0, 1)
    # In this pool both are new, whatever Ada did among all.
    assert two.verified_rating_before == (150_000, 150_000, 150_000, 150_000)
    assert two.verified_rating_change == (0, 1_600, 0, -1_600)
    assert two.verified_games_after == (0, 2, 0, 2)


def test_the_verified_numbers_stay_through_a_lapse_and_go_on_from_there() -> None:
    both = (PlayerVerified(ADA), PlayerVerified(BO))
    table = a_session(a_round({ADA: 1, BO: 0}))
    lapse, back = PlayerVerificationEnded(ADA), PlayerVerified(ADA)
    assert standing_after(ADA, *both, table, lapse, table) == Standing(
        150_000 + 1_600 + 1_453, 2, 151_600, 1, is_verified=False
    )
    (rated,) = the_rounds(*both, table, lapse, table, back, table)
    assert rated.verified_rating_before == (151_600, 148_400)
    assert rated.verified_games_before == (1, 1)


def test_bob_counts_as_an_opponent_and_stays_as_he_is() -> None:
    (first, second) = the_rounds(
        a_session(a_round({ADA: 0, "BOB": 3, BO: 0}), a_round({"BOB": 0, ADA: 1, BO: 1}))
    )
    # Ada ties with Bo and loses to Bob, 16 points.
    assert first.rating_change == (-1_600, 0, -1_600)
    assert first.games_after == (3, 0, 3)
    assert (second.rating_before[0], second.games_before[0]) == (150_000, 0)


def test_points_of_a_social_session_do_not_count_and_are_not_published() -> None:
    rich = a_round({ADA: 1, BO: 1}, points_centi=(40_000, -40_000))
    (rated,) = the_rounds(a_session(rich, game_type="social"))
    assert rated.rating_change == (0, 0)
    assert rated.points_centi is None


@pytest.mark.parametrize("game_type", ["league", "tournament"])
def test_points_of_a_league_and_a_tournament_count(game_type: str) -> None:
    rich = a_round({ADA: 1, BO: 1}, points_centi=(5_000, 0))
    (rated,) = the_rounds(a_session(rich, game_type=game_type))  # type: ignore[arg-type]
    assert rated.rating_change == (100, -100)


def test_a_fact_that_moves_nobody_is_noted_with_its_data() -> None:
    event = verdicts_on([ADOPTED, PlayerVerified(ADA)])[-1].event
    assert event == FactNoted("player-verified.v1", {"player_id": "MJ-ADA"})


def test_a_formula_that_this_program_does_not_have_is_no_verdict() -> None:
    with pytest.raises(UnknownFormula, match="mahjic-elo/99"):
        decide(a_state(), FormulaAdopted("mahjic-elo/99", {}))


def test_nothing_is_rated_before_a_formula_is_adopted() -> None:
    with pytest.raises(AssertionError, match="adopts a formula"):
        decide(a_state(), a_session(a_round({ADA: 1, BO: 0})))


def test_somebody_unknown_stands_at_1500() -> None:
    assert a_state().standing("MJ-NOBODY") == Standing(150_000, 0, 150_000, 0, is_verified=False)


def test_a_known_name_with_other_parameters_is_not_the_known_formula() -> None:
    changed = MAHJIC_ELO_1.parameters | {"scale_centi": 40_001}
    with pytest.raises(FormulaDiffers, match="mahjic-elo/1"):
        decide(a_state(), FormulaAdopted("mahjic-elo/1", changed))
