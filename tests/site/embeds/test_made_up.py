"""What somebody types in the calculator moves as the formula says, or is told to be wrong."""

import random
from decimal import Decimal
from typing import Final

import pytest

from services.site.embeds.made_up import read_round
from services.site.words.example import TABLE
from shared.rating.registry import formula_named
from tests.site.words.plain_formula import PlainRules, PlainSeat, change

SEED: Final = 20261130
FORMULA: Final = formula_named("mahjic-elo/1")
FIELDS: Final = ("rating", "games", "won", "points")


def typed(*players: tuple[str, str, str, str], kind: str = "league") -> dict[str, str]:
    """Return what a browser sends of a form in which these players were typed."""
    sent = {"kind": kind}
    for place, texts in enumerate(players):
        sent |= {f"{name}-{place}": text for name, text in zip(FIELDS, texts, strict=True)}
    return sent


def test_rounds_move_as_the_formula_in_decimal_numbers_moves_them() -> None:
    rng = random.Random(SEED)
    for _ in range(200):
        players = [
            (
                f"{rng.randint(900, 2100)}.{rng.randint(0, 99):02}",
                str(rng.choice([0, 29, 30, 100, 101])),
                str(rng.randint(0, 4)),
                f"{rng.choice('-+')}{rng.randint(0, 400)}.5",
            )
            for _ in range(rng.randint(2, 4))
        ]
        seats = [
            PlainSeat(Decimal(rating), int(games), int(won), Decimal(points))
            for rating, games, won, points in players
        ]
        moves = read_round(typed(*players)).moves(FORMULA)
        right = [100 * change(PlainRules(), seats, place) for place in range(len(seats))]
        assert [each.change_centi for each in moves] == right, (SEED, players)
        assert [each.after_centi for each in moves] == [
            100 * seat.rating + each for seat, each in zip(seats, right, strict=True)
        ]


def test_nothing_typed_is_the_round_of_the_page_of_the_formula() -> None:
    moves = read_round({}).moves(FORMULA)
    seats = [
        PlainSeat(
            Decimal(each.rating_centi) / 100,
            each.games_before,
            each.won,
            Decimal(each.points_centi) / 100,
        )
        for each in TABLE
    ]
    right = [int(100 * change(PlainRules(), seats, place)) for place in range(len(seats))]
    assert [(each.name, each.change_centi) for each in moves] == list(
        zip(("Alice", "Bea", "Carol", "Dave"), right, strict=True)
    )


def test_who_has_no_rating_is_left_out_whatever_else_is_typed() -> None:
    made_up = read_round(typed(("1500", "0", "2", ""), ("", "x", "x", "x"), ("1500", "0", "1", "")))
    assert [each.name for each in made_up.moves(FORMULA)] == ["Alice", "Carol"]


def test_points_count_for_nothing_in_social_games_even_if_they_make_no_sense() -> None:
    players = (("1500", "0", "2", "good"), ("1500", "0", "1", "900"))
    social = read_round(typed(*players, kind="social"))
    assert [each.change_centi for each in social.moves(FORMULA)] == [1600, -1600]
    assert read_round(typed(*players)).is_wrong


@pytest.mark.parametrize(
    ("place", "text"),
    [
        *((0, each) for each in ("good", "1e3", "1500.001", "٣", "--1", "123456", "1,500")),
        *((1, each) for each in ("-1", "1.5", "12345678", "x")),
        *((2, each) for each in ("-1", "1000", "½")),
        *((3, each) for each in ("12345678", "1.234", "<b>")),
    ],
)
def test_what_is_no_number_is_marked_and_moves_nobody(place: int, text: str) -> None:
    one = ["1500", "0", "2", "0"]
    one[place] = text
    first, second, third, fourth = one
    made_up = read_round(typed((first, second, third, fourth), ("1500", "0", "1", "0")))
    assert [each.is_wrong for each in made_up.players[0].fields] == [at == place for at in range(4)]
    assert made_up.moves(FORMULA) == ()


def test_one_player_alone_moves_nobody() -> None:
    made_up = read_round(typed(("1500", "0", "2", "0")))
    assert made_up.has_too_few
    assert made_up.moves(FORMULA) == ()


def test_an_unknown_kind_is_a_league() -> None:
    assert read_round(typed(("1500", "0", "2", "0"), kind="x")).kind == "league"
