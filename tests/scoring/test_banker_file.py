"""Hands under the banker rule book, as they are written down at the table."""

from collections.abc import Sequence
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.scoring.banker_file import read_banker
from shared.scoring.games import Game
from shared.scoring.mistakes import InvalidScores

NAMES = "Ada Bo Cy Di"


def moved(text: str) -> list[tuple[int, ...]]:
    """Return what each hand of a file brings its players, in seating order."""
    games = read_banker(text).games
    return [tuple(int(game.points[name]) for name in game.players) for game in games]


def mistakes(text: str) -> list[tuple[int | None, str]]:
    with pytest.raises(InvalidScores) as refused:
        read_banker(text)
    return [(mistake.line, mistake.code) for mistake in refused.value.mistakes]


def message(text: str) -> str:
    with pytest.raises(InvalidScores) as refused:
        read_banker(text)
    return refused.value.mistakes[0].message


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        pytest.param("bw - - -", (12, -4, -4, -4), id="5.1.1"),
        pytest.param("w b - -", (8, -4, -2, -2), id="5.1.2"),
        pytest.param("bw d - -", (8, -8, 0, 0), id="6.1"),
        pytest.param("w bd - -", (6, -6, 0, 0), id="6.2"),
        pytest.param("w b d -", (5, 0, -5, 0), id="6.3"),
        pytest.param("b - - -", (0, 0, 0, 0), id="a drawn hand moves nothing"),
        pytest.param("- - bwsi -", (-16, -16, 48, -16), id="both bonuses, G=4"),
        pytest.param("d ws - b", (-10, 10, 0, 0), id="standup alone"),
        pytest.param("- d b iw", (0, -10, 0, 10), id="letters in any order"),
    ],
)
def test_a_line_of_results_is_a_hand(hand: str, expected: tuple[int, ...]) -> None:
    assert moved(f"{NAMES}\n{hand}\n") == [expected]


def test_an_evening_is_read_with_its_dates_names_and_comments() -> None:
    # Worked by hand. First game: 5 from Cy to Bo; Ada, banker, draws with both bonuses: 3 x 16.
    # Then the same four begin again, in other seats, with 100 each; Di wins off Ada, banker.
    scored = read_banker(
        "\ufeff# League night\r\n"
        "2026-01-31\r\n"
        "\r\n"
        "Ada Bo Cy Di   # everybody has 100\r\n"
        "b w d -        # Bo off Cy\r\n"
        "bwsi - - -\r\n"
        "- b - -\r\n"
        "2026-02-07 # the week after\r\n"
        "Di Ada Cy Bo\r\n"
        "w bd - -\r\n"
        "Eve Flo Gus Hal\r\n"
    )
    assert scored.players == ("Ada", "Bo", "Cy", "Di", "Eve", "Flo", "Gus", "Hal")
    assert [(game.date, game.winner, game.line) for game in scored.games] == [
        (date(2026, 1, 31), "Bo", 5),
        (date(2026, 1, 31), "Ada", 6),
        (date(2026, 1, 31), None, 7),
        (date(2026, 2, 7), "Di", 10),
    ]
    assert [dict(game.points) for game in scored.games] == [
        {"Ada": 0, "Bo": 5, "Cy": -5, "Di": 0},
        {"Ada": 48, "Bo": -16, "Cy": -16, "Di": -16},
        {"Ada": 0, "Bo": 0, "Cy": 0, "Di": 0},
        {"Di": 6, "Ada": -6, "Cy": 0, "Bo": 0},
    ]


# Bo discards three times to the banker with both bonuses: 3 x 32 = 96, so Bo has 4 left.
FOUR_LEFT = f"{NAMES}\n" + "bwsi d - -\n" * 3


def test_with_0_points_the_game_goes_on() -> None:
    # Di draws, Ada is banker: Ada 4, Bo 2, Cy 2. Twice, and Bo has 4 - 4 = 0.
    assert moved(FOUR_LEFT + "b - - w\nb - - w\nb - - -\n")[-1] == (0, 0, 0, 0)


def test_a_hand_after_the_end_of_the_game_is_refused_on_its_line() -> None:
    over = FOUR_LEFT + "b d - w\n"  # 5 from Bo, who has 4.
    assert len(moved(over)) == 4
    assert mistakes(over + "b - - -\nb - - -\n") == [(6, "game_over")]
    assert message(over + "b - - -\n").startswith("The game is over: Bo is at -1, below 0.")


def test_the_names_written_again_begin_another_game() -> None:
    over = FOUR_LEFT + "b d - w\n"
    assert moved(over + f"{NAMES}\nbw d - -\n")[-1] == (8, -8, 0, 0)


@pytest.mark.parametrize(
    ("hand", "code"),
    [
        ("b bw d -", "two_bankers"),
        ("w - d -", "no_banker"),
        ("- - - -", "no_banker"),
        ("bw w - -", "two_winners"),
        ("bw d d -", "two_discarders"),
        ("b wd - -", "winner_as_discarder"),
        ("b d - -", "discard_without_win"),
        ("bs - - -", "bonus_without_win"),
        ("bw di - -", "bonus_without_win"),
        ("b ww - -", "letter_twice"),
        ("b - W -", "unknown_result"),
        ("b 8 - d", "unknown_result"),
        ("b w d s", "bonus_without_win"),
        ("b w d", "unknown_line"),
        ("- b w d -", "unknown_line"),
        ("b\N{FULLWIDTH DIGIT THREE} x", "unknown_line"),
        ("2026-02-30", "invalid_date"),
        ("Ada Bo Ada Di", "player_twice"),
        ("Ada *Bo Cy Di", "unknown_line"),
    ],
)
def test_a_line_that_cannot_be_is_refused_by_name(hand: str, code: str) -> None:
    assert mistakes(f"{NAMES}\n{hand}\n") == [(2, code)]


def test_a_digit_of_another_script_is_named() -> None:
    digit = "\N{FULLWIDTH DIGIT THREE}"
    assert message(f"{NAMES}\nb w {digit}\n").startswith(f"`{digit}` is not one of the digits")
    assert message(f"{NAMES}\nb w\n").startswith("This is not a date")


def test_a_hand_before_any_names_is_refused() -> None:
    assert mistakes("b w d -\nb - - -\n") == [(1, "no_players")]


def test_all_mistakes_of_a_file_are_told_together() -> None:
    text = f"{NAMES}\nb wd - -\nb - - -\nb b - -\nAda Ada Cy Di\nw - - -\n"
    assert mistakes(text) == [
        (2, "winner_as_discarder"),
        (4, "two_bankers"),
        (5, "player_twice"),
        (6, "no_banker"),
    ]


def test_an_empty_file_has_no_games() -> None:
    assert read_banker("").games == ()


WORDS = ("b", "w", "d", "s", "i", "-", "bw", "bd", "wsi", "Ada", "Bo", "Cy", "Di")


@given(st.lists(st.lists(st.sampled_from(WORDS), min_size=3, max_size=5)))
def test_any_lines_are_zero_sum_games_or_refused_with_their_place(lines: list[list[str]]) -> None:
    text = "\n".join([NAMES, *map(" ".join, lines)])
    games, refused_on = games_or_places(text)
    assert all(sum(game.points.values()) == 0 for game in games)
    assert all(place in range(2, len(lines) + 2) for place in refused_on)


def games_or_places(text: str) -> tuple[Sequence[Game], list[int | None]]:
    """Return the games of a file, or the lines on which it is refused."""
    try:
        return read_banker(text).games, []
    except InvalidScores as refused:
        return (), [mistake.line for mistake in refused.mistakes]
