"""The client's formula gives the published numbers, and the service's, to the last digit."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mahjic_client import Ratings, Result, Seat, rate
from mahjic_client.expected import expected_nano
from mahjic_client.formula import GAME_TYPES, GameType
from mahjic_client.history import Moved, Rated
from shared.rating import formula as service
from shared.rating.registry import FORMULAS, Formula
from tests.rating.rounds import tables

VECTORS = Path(__file__).parents[2] / "vectors"
ORIGINAL: list[dict[str, Any]] = json.loads(
    (VECTORS / "original_elo.json").read_text(), parse_float=Decimal
)["vectors"]
STEPS: list[dict[str, Any]] = json.loads((VECTORS / "rating_history.json").read_text())["steps"]


def test_all_rounds_of_the_original_come_out() -> None:
    assert len(ORIGINAL) == 200
    for vector in ORIGINAL:
        seats = [
            Seat(
                int(seat["rating"] * 100),
                seat["games_before"],
                seat["mahjongs"],
                int(seat.get("points", 0) * 100),
            )
            for seat in vector["players"]
        ]
        expected = tuple(int(change * 100) for change in vector["changes"])
        assert rate(seats, "league" if vector["points_bonus"] else "social") == expected, vector[
            "name"
        ]


def test_every_number_of_the_history_comes_out_in_both_pools() -> None:
    ratings = Ratings()
    rounds = 0
    for step in STEPS:
        if step["op"] == "verify":
            ratings.verify(step["player"])
        elif step["op"] == "unverify":
            ratings.end_verification(step["player"])
        else:
            rated = played(ratings, step)
            assert [told(each) for each in rated] == step["expect"], f"round {rounds}"
            rounds += 1
    assert rounds == 400


def played(ratings: Ratings, step: dict[str, Any]) -> tuple[Rated, ...]:
    return ratings.play(
        [Result(**seat) for seat in step["players"]],
        game_type=step["game_type"],
        games_played=step["games_played"],
    )


def told(rated: Rated) -> dict[str, int]:
    return numbers("", rated.mahjic) | numbers("verified_", rated.verified)


def numbers(pool: str, moved: Moved) -> dict[str, int]:
    return {
        f"{pool}rating_before": moved.before.rating_centi,
        f"{pool}rating_change": moved.change_centi,
        f"{pool}rating_after": moved.after.rating_centi,
        f"{pool}games_total": moved.after.games,
    }


@given(tables, st.sampled_from(GAME_TYPES), st.sampled_from(FORMULAS))
@settings(max_examples=500)
def test_any_round_comes_out_as_in_the_service(
    table: list[service.Seat], game_type: GameType, formula: Formula
) -> None:
    seats = [Seat(*seat) for seat in table]
    changes = rate(seats, game_type, formula=formula.name)
    assert changes == formula.rate_round(table, points_count=game_type != "social")


@pytest.mark.parametrize(
    ("ahead_centi", "score_nano"),
    # From the page on the rating: equals, 100 points ahead, and where a win is sure.
    [(0, 500_000_000), (10_000, 640_065_000), (-10_000, 359_935_000), (372_042, 1_000_000_000)],
)
def test_expected_scores_are_those_of_the_page(ahead_centi: int, score_nano: int) -> None:
    assert expected_nano(ahead_centi) == score_nano


def test_the_scaled_formula_takes_the_average() -> None:
    seats = [Seat(160_000, 0, 2), Seat(155_000, 0, 2), Seat(150_000, 0, 1), Seat(145_000, 0, 0)]
    changes = rate(seats, "social", formula="mahjic-elo/2-scaled")
    assert changes == (624, 917, -384, -1157)  # The example of the page on the rating.


def test_a_formula_a_game_type_or_a_table_that_does_not_exist_is_refused() -> None:
    pair = [Seat(150_000, 0, 1), Seat(150_000, 0, 0)]
    with pytest.raises(ValueError, match="Unknown formula 'elo'"):
        rate(pair, "social", formula="elo")
    friendly: Any = "friendly"
    with pytest.raises(ValueError, match="Unknown game type 'friendly'"):
        rate(pair, friendly)
    for seats in (pair[:1], [*pair, *pair, *pair]):
        with pytest.raises(ValueError, match="A round has 2 to 4 players"):
            rate(seats, "social")


def test_a_refused_round_changes_nothing() -> None:
    ratings = Ratings()
    for results in ([Result("ada", 1), Result("ada", 0)], [Result("ada", 1)]):
        with pytest.raises(ValueError, match=r"twice|2 to 4 players"):
            ratings.play(results, game_type="social", games_played=1)
    assert ratings.mahjic("ada") == (150_000, 0)


def test_bob_is_never_verified() -> None:
    with pytest.raises(ValueError, match="Bob is imaginary"):
        Ratings().verify("BOB")
