"""A parameter file becomes a formula, or every mistake in it is told at once with what to do."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.rating.parameters import Parameters, ParametersRefused, read_parameters
from shared.rating.registry import MAHJIC_ELO_1, MAHJIC_ELO_2_SCALED

GOOD: dict[str, Any] = {
    "scale_centi": 35_000,
    "k_bands": [{"games_min": 0, "k": 40}, {"games_min": 50, "k": 20}],
    "points_per_bonus_point": 25,
    "bonus_max_nano": 2_500_000_000,
}


def mistakes(text: str) -> list[tuple[str, str]]:
    with pytest.raises(ParametersRefused) as refusal:
        read_parameters(text)
    found = refusal.value.mistakes
    assert f" {len(found)} mistake" in refusal.value.detail
    assert refusal.value.extra["errors"] == [
        {"pointer": each.pointer, "code": each.code, "message": each.message} for each in found
    ]
    return [(each.pointer, each.code) for each in found]


def test_a_file_with_all_parameters_is_read() -> None:
    assert read_parameters(json.dumps(GOOD)) == Parameters(
        scale_centi=35_000,
        k_bands=((0, 40), (50, 20)),
        points_per_bonus_point=25,
        bonus_max_nano=2_500_000_000,
        is_scaled=False,
    )
    assert read_parameters(json.dumps(GOOD | {"is_scaled": True})).is_scaled


def test_the_parameters_of_a_fact_are_read_once_what_follows_from_them_is_left_out() -> None:
    assert read_parameters(json.dumps(MAHJIC_ELO_2_SCALED.parameters)) == MAHJIC_ELO_2_SCALED.rules
    published = MAHJIC_ELO_1.parameters
    assert mistakes(json.dumps(published)) == [
        ("/certain_centi", "unknown_field"),
        ("/expected_table_sha256", "unknown_field"),
    ]
    del published["certain_centi"], published["expected_table_sha256"]
    assert read_parameters(json.dumps(published)) == MAHJIC_ELO_1.rules


def test_every_mistake_is_told_at_once() -> None:
    text = """{
        "scale_centi": 400,
        "k_bands": [{"games_min": 5, "k": 0}, {"games_min": 9, "k": 8}, {"games_min": 9, "k": 8}],
        "points_per_bonus_point": 30,
        "is_scaled": 1,
        "start_centi": 100000,
        "rounding": "down",
        "bonus_divisor": 50
    }"""
    assert mistakes(text) == [
        ("/bonus_divisor", "unknown_field"),
        ("/bonus_max_nano", "missing"),
        ("/start_centi", "unknown_value"),
        ("/rounding", "unknown_value"),
        ("/scale_centi", "out_of_range"),
        ("/k_bands/0/k", "out_of_range"),
        ("/k_bands/0/games_min", "invalid_value"),
        ("/k_bands/2/games_min", "invalid_value"),
        ("/points_per_bonus_point", "invalid_value"),
        ("/is_scaled", "wrong_type"),
    ]


@pytest.mark.parametrize(
    ("changed", "mistake"),
    [
        ({"scale_centi": 999}, ("/scale_centi", "out_of_range")),
        ({"scale_centi": 400_001}, ("/scale_centi", "out_of_range")),
        ({"scale_centi": 40_000.0}, ("/scale_centi", "out_of_range")),
        ({"scale_centi": True}, ("/scale_centi", "out_of_range")),
        ({"scale_centi": None}, ("/scale_centi", "out_of_range")),
        ({"points_per_bonus_point": 0}, ("/points_per_bonus_point", "out_of_range")),
        ({"points_per_bonus_point": 3}, ("/points_per_bonus_point", "invalid_value")),
        ({"points_per_bonus_point": 10_000_001}, ("/points_per_bonus_point", "out_of_range")),
        ({"bonus_max_nano": -1}, ("/bonus_max_nano", "out_of_range")),
        ({"bonus_max_nano": 10**12 + 1}, ("/bonus_max_nano", "out_of_range")),
        ({"k_bands": []}, ("/k_bands", "invalid_value")),
        ({"k_bands": {"games_min": 0, "k": 32}}, ("/k_bands", "invalid_value")),
        ({"k_bands": [32]}, ("/k_bands/0", "wrong_type")),
        ({"k_bands": [{"games_min": 0}]}, ("/k_bands/0", "wrong_type")),
        ({"k_bands": [{"games_min": 1, "k": 32}]}, ("/k_bands/0/games_min", "invalid_value")),
        ({"k_bands": [{"games_min": 0, "k": 1_001}]}, ("/k_bands/0/k", "out_of_range")),
        ({"k_bands": [{"games_min": -1, "k": 1}]}, ("/k_bands/0/games_min", "out_of_range")),
        (
            {"k_bands": [{"games_min": 0, "k": 1, "a/b~": 2}]},
            ("/k_bands/0/a~1b~0", "unknown_field"),
        ),
        (
            {"k_bands": [{"games_min": at, "k": 1} for at in range(101)]},
            ("/k_bands", "invalid_value"),
        ),
        ({"is_scaled": "true"}, ("/is_scaled", "wrong_type")),
        ({"start_centi": 150_000.0}, ("/start_centi", "unknown_value")),
    ],
)
def test_a_wrong_parameter_is_named(changed: dict[str, Any], mistake: tuple[str, str]) -> None:
    assert mistakes(json.dumps(GOOD | changed)) == [mistake]


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("", ("", "wrong_format")),
        ('{"scale_centi": 40000,}', ("", "wrong_format")),
        ("[" * 100_000, ("", "wrong_format")),
        ('{"scale_centi": ' + "9" * 10_000 + "}", ("", "wrong_format")),
        ("[]", ("", "wrong_type")),
        ("null", ("", "wrong_type")),
    ],
)
def test_a_file_without_a_json_object_is_told_so(text: str, mistake: tuple[str, str]) -> None:
    assert mistakes(text) == [mistake]


def test_a_parameter_given_twice_is_not_guessed() -> None:
    text = json.dumps(GOOD)[:-1] + ', "scale_centi": 40000}'
    assert mistakes(text) == [("/scale_centi", "invalid_value")]


def test_a_divisor_that_would_lose_a_rest_is_told_the_next_ones() -> None:
    with pytest.raises(ParametersRefused) as refusal:
        read_parameters(json.dumps(GOOD | {"points_per_bonus_point": 30}))
    (mistake,) = refusal.value.mistakes
    assert "Write 25, 32, for example" in mistake.message


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*GOOD, "is_scaled", "rounding", "k"]), json_values))
def test_whatever_a_file_holds_is_read_or_refused(changed: dict[str, Any]) -> None:
    with contextlib.suppress(ParametersRefused):
        assert read_parameters(json.dumps(GOOD | changed)).k_bands[0][0] == 0
