"""A band begins at its exact hundredth."""

import pytest

from shared.rating.bands import band_of


@pytest.mark.parametrize(
    ("rating_centi", "name"),
    [
        (400_000, "Expert"),
        (180_000, "Expert"),
        (179_999, "Advanced"),
        (160_000, "Advanced"),
        (159_999, "Intermediate"),
        (150_000, "Intermediate"),
        (140_000, "Intermediate"),
        (139_999, "Beginner"),
        (120_000, "Beginner"),
        (119_999, "Newcomer"),
        (0, "Newcomer"),
        (-50_000, "Newcomer"),
    ],
)
def test_a_rating_is_in_the_band_of_its_exact_hundredth(rating_centi: int, name: str) -> None:
    assert band_of(rating_centi).name == name


@pytest.mark.parametrize(
    ("rating_centi", "text"),
    [
        (180_000, "Consistently wins against strong competition"),
        (160_000, "Solid fundamentals, reads the card well"),
        (140_000, "Understands strategy, improving"),
        (120_000, "Learning the game, building skills"),
        (119_999, "Just getting started"),
    ],
)
def test_a_band_says_what_it_means(rating_centi: int, text: str) -> None:
    assert band_of(rating_centi).text == text
