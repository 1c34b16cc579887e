"""The formula page shows the numbers of whichever formula applies, in both of its tellings."""

from dataclasses import replace
from decimal import Decimal

import pytest

from services.site.kit import figures
from services.site.kit.origin import Origin
from services.site.kit.pages import PageHead, SitePages
from services.site.words import example
from services.site.words.formula import told
from services.site.words.promises import promises_of
from shared.rating.bands import BANDS
from shared.rating.registry import FORMULAS, PUBLISHED, Formula, formula_of
from shared.settings import Settings
from tests.site.words.html import ReadPage
from tests.site.words.plain_formula import PlainRules, PlainSeat, change, expected, gain

ODD = formula_of(
    replace(
        PUBLISHED,
        scale_centi=35_000,
        k_bands=((0, 40), (50, 20)),
        points_per_bonus_point=25,
        bonus_max_nano=2_500_000_000,
        is_scaled=True,
    ),
    "an-odd-one",
)
ODD_RULES = PlainRules(
    scale=Decimal(350),
    k_bands=((0, 40), (50, 20)),
    points_per_point=Decimal(25),
    points_max=Decimal("2.5"),
    is_averaged=True,
)
PLAIN = formula_of(
    replace(PUBLISHED, k_bands=((0, 24),), bonus_max_nano=0), "without-points-or-experience"
)
PLAIN_RULES = PlainRules(k_bands=((0, 24),), points_max=Decimal(0))
CASES = [
    (FORMULAS[0], PlainRules()),
    (FORMULAS[1], PlainRules(is_averaged=True)),
    (ODD, ODD_RULES),
    (PLAIN, PLAIN_RULES),
]


def page_of(formula: Formula) -> ReadPage:
    """Return the page that tells a formula."""
    pages = SitePages(Origin(None, 8000))
    head = PageHead(title="t", description="d", path="/formula")
    return ReadPage(
        pages.html(
            "words/formula.html",
            head=head,
            current="formula",
            told=told(formula),
            parameters=formula.parameters,
            example_games=example.GAMES,
            example_wall_games=example.WALL_GAMES,
            promises=promises_of(Settings(_env_file=None)),
            proposal=None,
            f=figures,
        )
    )


def test_the_table_of_the_example_adds_up() -> None:
    # Every game is won by someone or is a wall game, and league points are zero-sum.
    assert sum(each.won for each in example.TABLE) + example.WALL_GAMES == example.GAMES
    assert sum(each.points_centi for each in example.TABLE) == 0


@pytest.mark.parametrize(("formula", "rules"), CASES, ids=lambda each: getattr(each, "name", ""))
def test_the_example_is_what_a_second_implementation_makes_of_it(
    formula: Formula, rules: PlainRules
) -> None:
    words = page_of(formula).words
    seats = [
        PlainSeat(
            Decimal(each.rating_centi) / 100,
            each.games_before,
            each.won,
            Decimal(each.points_centi) / 100,
        )
        for each in example.TABLE
    ]
    for place, sitter in enumerate(example.TABLE):
        moved = change(rules, seats, place)
        after = seats[place].rating + moved
        assert f"{moved:+}".replace("-", "−") in words
        assert f"{after:.2f}" in words
        for at, other in enumerate(example.TABLE):
            if at != place:
                ahead = seats[place].rating - seats[at].rating
                assert f"{sitter.name}{other.name}{expected(rules, ahead)}" in words
                assert f"{gain(rules, seats[place], seats[at]):+.9f}".replace("-", "−") in words


@pytest.mark.parametrize(("formula", "rules"), CASES, ids=lambda each: getattr(each, "name", ""))
def test_the_rules_are_told_with_their_own_numbers(formula: Formula, rules: PlainRules) -> None:
    words = page_of(formula).words
    assert f"The formula in force is {formula.name}." in words
    assert f"{rules.k_bands[-1][1]} from {rules.k_bands[-1][0]} games on" in words
    assert f"/{rules.scale.normalize():f}" in words  # The scale, in the exponent.
    if rules.points_max:
        assert f"each {rules.points_per_point} points that you are ahead" in words
        assert f"up to {rules.points_max.normalize():f} for each opponent" in words
    else:
        assert "Not the points." in words
        assert "Her lead of" not in words
    assert ("divided by the number of your opponents" in words) == rules.is_averaged
    assert ("Divided by 3 opponents" in words) == rules.is_averaged
    assert ("the newcomer’s rating moves the furthest" in words) == (len(rules.k_bands) > 1)


def test_the_bands_are_those_of_the_code() -> None:
    words = page_of(FORMULAS[0]).words
    for band in BANDS:
        assert band.name in words
        assert band.text in words
    # By hand, from the specification.
    for told_range in (
        "Expert1800 and above",
        "Advanced1600 to 1799.99",
        "Intermediate1400 to 1599.99",
        "Beginner1200 to 1399.99",
        "Newcomerbelow 1200",
    ):
        assert told_range in words


def test_the_published_table_is_named_by_its_hash_and_no_other_is() -> None:
    sha256 = "1c252a22bb2016f0dde672fcf3419721746247211900006a1f9f14c8dc4eb150"
    assert f"SHA-256 {sha256}" in page_of(FORMULAS[0]).words
    assert "3720.42 points ahead" in page_of(FORMULAS[0]).words
    assert sha256 not in page_of(ODD).words


def test_halves_go_to_the_even_neighbor_as_the_specification_says() -> None:
    words = page_of(FORMULAS[0]).words
    for half in (
        "0.015 becomes 0.02",
        "0.045 becomes 0.04",
        "−0.005 becomes 0.00",
        "−0.015 becomes −0.02",
    ):
        assert half in words
