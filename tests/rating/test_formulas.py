"""Formulas are found by name, and nobody can change one by holding it."""

import hashlib
import json
from dataclasses import FrozenInstanceError

import pytest

from shared.rating.parameters import Parameters, read_parameters
from shared.rating.registry import (
    MAHJIC_ELO_1,
    START_CENTI,
    UnknownFormula,
    formula_named,
    formula_of,
)
from tests.rating.rounds import a_seat

# The formula as adopted on every log that exists: a change here is a new formula with a new name.
PARAMETERS_OF_MAHJIC_ELO_1 = {
    "start_centi": 150000,
    "scale_centi": 40000,
    "certain_centi": 372042,
    "expected_table_sha256": "1c252a22bb2016f0dde672fcf3419721746247211900006a1f9f14c8dc4eb150",
    "k_bands": [
        {"games_min": 0, "k": 32},
        {"games_min": 30, "k": 24},
        {"games_min": 101, "k": 16},
    ],
    "points_per_bonus_point": 50,
    "bonus_max_nano": 5000000000,
    "rounding": "half-even",
}


# As it is adopted: the parameters of mahjic-elo/1, and that sums are divided.
PARAMETERS_OF_MAHJIC_ELO_2_SCALED = {
    "start_centi": 150000,
    "scale_centi": 40000,
    "k_bands": [
        {"games_min": 0, "k": 32},
        {"games_min": 30, "k": 24},
        {"games_min": 101, "k": 16},
    ],
    "points_per_bonus_point": 50,
    "bonus_max_nano": 5000000000,
    "is_scaled": True,
    "rounding": "half-even",
}


def test_everybody_starts_at_1500() -> None:
    assert START_CENTI == 150_000


def test_mahjic_elo_1_is_found_by_its_name() -> None:
    formula = formula_named("mahjic-elo/1")
    assert formula.name == "mahjic-elo/1"
    assert formula.rate_round([a_seat(mahjongs=1), a_seat()], points_count=False) == (1600, -1600)


def test_the_parameters_are_those_on_the_log_also_after_json() -> None:
    assert MAHJIC_ELO_1.parameters == PARAMETERS_OF_MAHJIC_ELO_1
    assert json.loads(json.dumps(MAHJIC_ELO_1.parameters)) == PARAMETERS_OF_MAHJIC_ELO_1


def test_the_k_bands_of_the_parameters_are_the_ones_it_rates_by() -> None:
    for band in MAHJIC_ELO_1.parameters["k_bands"]:
        newest_of_the_band = a_seat(games=band["games_min"], mahjongs=1)
        change_centi, _ = MAHJIC_ELO_1.rate_round(
            [newest_of_the_band, a_seat()], points_count=False
        )
        assert change_centi == band["k"] * 50  # Half of K against an equal.


def test_whoever_holds_a_formula_cannot_change_it() -> None:
    MAHJIC_ELO_1.parameters["k_bands"].clear()
    assert MAHJIC_ELO_1.parameters == PARAMETERS_OF_MAHJIC_ELO_1
    with pytest.raises(FrozenInstanceError):
        MAHJIC_ELO_1.name = "mahjic-elo/2"  # type: ignore[misc]


@pytest.mark.parametrize("name", ["mahjic-elo/2", "", "MAHJIC-ELO/1", "mahjic-elo/1 "])
def test_an_unknown_name_is_answered_with_the_known_ones(name: str) -> None:
    with pytest.raises(UnknownFormula) as refusal:
        formula_named(name)
    assert (refusal.value.code, refusal.value.status) == ("unknown_formula", 404)
    assert refusal.value.extra == {
        "formula": name,
        "known": ["mahjic-elo/1", "mahjic-elo/2-scaled"],
    }
    assert "mahjic-elo/1" in refusal.value.detail


def test_the_bytes_of_mahjic_elo_1_are_those_of_every_log() -> None:
    digest = hashlib.sha256(json.dumps(MAHJIC_ELO_1.parameters).encode()).hexdigest()
    assert digest == "502e11ac2f9be7413f9d87782bc9b4edbf15fd2768067266a159c994e00e0a9e"


def test_the_scaled_formula_is_found_by_its_name_with_its_parameters() -> None:
    formula = formula_named("mahjic-elo/2-scaled")
    assert formula.parameters == PARAMETERS_OF_MAHJIC_ELO_2_SCALED
    # Carol of docs/rating.md loses 11.517920000 to three opponents: a third of it is -3.84.
    table = [a_seat(160_000, 0, 2), a_seat(155_000, 0, 2), a_seat(150_000, 0, 1), a_seat(145_000)]
    assert formula.rate_round(table, points_count=False) == (624, 917, -384, -1157)


def test_a_formula_of_parameters_writes_what_a_parameter_file_reads() -> None:
    rules = Parameters(1_000, ((0, 500), (7, 3)), 64, 0, is_scaled=True)
    formula = formula_of(rules, "ours/1")
    assert (formula.name, formula.rules) == ("ours/1", rules)
    assert read_parameters(json.dumps(formula.parameters)) == rules
