"""Games under the American rules, as they are written down at the table."""

from collections.abc import Sequence
from datetime import date
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.scoring.american_file import read_american
from shared.scoring.games import Game, sessions_of
from shared.scoring.mistakes import InvalidScores, ScoreFileMistake

NAMES: Final = "Ann Bea Cy Di"


def moved(text: str) -> list[tuple[int, ...]]:
    """Return what each game of a file brings its players, in seating order."""
    games = read_american(text).games
    return [tuple(int(game.points[name]) for name in game.players) for game in games]


def mistakes(text: str) -> list[ScoreFileMistake]:
    with pytest.raises(InvalidScores) as refused:
        read_american(text)
    return list(refused.value.mistakes)


@pytest.mark.parametrize(
    ("line", "by_payment", "by_points"),
    [
        ("25 - - d", (100, -25, -25, -50), (25, 0, 0, -10)),
        ("- 25e1 d -", (-25, 100, -50, -25), (0, 25, -10, 0)),
        ("- 25e2 d -", (-25, 100, -50, -25), (0, 25, -20, 0)),
        ("- 25e3q d -", (-25, 100, -50, -25), (0, 25, -25, 0)),
        ("- - 30n -", (-120, -120, 360, -120), (0, 0, 60, 0)),
        ("- - 30ne2 d", (-60, -60, 240, -120), (0, 0, 50, -20)),
        ("- - 30e2n d", (-60, -60, 240, -120), (0, 0, 50, -20)),
        ("50pn - - d", (200, -50, -50, -100), (50, 0, 0, -10)),
        ("50p - - -", (300, -100, -100, -100), (60, 0, 0, 0)),
        ("- m - 40", (0, -160, 0, 160), (0, -25, 0, 40)),
        ("x d 25 -", (-25, -50, 100, -25), (0, -10, 25, 0)),
        ("- - - -", (0, 0, 0, 0), (10, 10, 10, 10)),
        ("- x - -", (0, 0, 0, 0), (10, 0, 10, 10)),
        ("x x x x", (0, 0, 0, 0), (0, 0, 0, 0)),
        ("025 - - -", (150, -50, -50, -50), (35, 0, 0, 0)),
    ],
)
def test_a_line_of_results_is_a_game_either_way(
    line: str, by_payment: tuple[int, ...], by_points: tuple[int, ...]
) -> None:
    assert moved(f"{NAMES}\n{line}\n") == [by_payment]
    assert moved(f"payment\n{NAMES}\n{line}\n") == [by_payment]
    assert moved(f"tournament\n{NAMES}\n{line}\n") == [by_points]


def test_an_evening_is_read_with_its_dates_names_penalties_and_comments() -> None:
    scored = read_american(
        "\ufefftournament   # at the library\r\n"
        "2026-01-31\r\n"
        f"{NAMES}\r\n"
        "25 - - d\r\n"
        "penalty Di 10   # looked at a blind pass\r\n"
        "penalty Ann 25\r\n"
        "penalty Di 25\r\n"
        "- - - -\r\n"
        "2026-02-07\r\n"
        "Eve Di Cy Bea\r\n"
        "- - 20 -\r\n"
    )
    assert scored.players == ("Ann", "Bea", "Cy", "Di", "Eve")
    assert [(game.line, game.date, game.winner) for game in scored.games] == [
        (4, date(2026, 1, 31), "Ann"),
        (8, date(2026, 1, 31), None),
        (11, date(2026, 2, 7), "Cy"),
    ]
    assert [list(map(int, game.points.values())) for game in scored.games] == [
        [25 - 25, 0, 0, -10 - 10 - 25],
        [10, 10, 10, 10],
        [0, 0, 30, 0],
    ]


def test_penalties_count_in_the_session_and_are_no_games() -> None:
    text = f"tournament\n2026-01-31\n{NAMES}\n25 - - -\npenalty Bea 25\npenalty Bea 10\n- - - -\n"
    addresses = {name: f"{name.lower()}@example.com" for name in NAMES.split()}
    (session,) = sessions_of(read_american(text), addresses, game_type="tournament")
    (played,) = session["rounds"]
    assert played["wall_games"] == 1
    assert [(each["games_played"], each["points"]) for each in played["players"]] == [
        (2, 45),
        (2, -25),
        (2, 10),
        (2, 10),
    ]


def test_numbers_that_are_set_hold_below_until_they_are_changed() -> None:
    text = (
        f"tournament\nexposed-2-quint=25\n{NAMES}\n45e2q - - d\n45e2 - - d\n"
        "exposed-2-quint=0\nwall-game=5\n45e2q - - d\n- - - x\n"
    )
    assert moved(text) == [(45, 0, 0, -25), (45, 0, 0, -20), (45, 0, 0, 0), (5, 5, 5, 0)]


def test_each_way_keeps_its_own_numbers() -> None:
    text = (
        f"self-picked=3\ntournament\nself-picked=7\n{NAMES}\n20 - - -\n"
        "payment\n20 - - -\ntournament\n20 - - -\n"
    )
    assert moved(text) == [(27, 0, 0, 0), (180, -60, -60, -60), (27, 0, 0, 0)]


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("26 - - d", "no_such_value", "No hand on the card is worth 26; the values are 20 to 100"),
        ("25000000000 - - d", "no_such_value", "is worth 25000000000; the values"),
        ("25 30 - d", "two_winners", "only one player may have the value of a hand"),
        ("25 m - d", "two_blamed", "Only one player can have discarded the winning tile"),
        ("- m - -", "blame_without_win", "`m` discards to a winner, but no one won; write the"),
        ("25w - - d", "unknown_result", "`25w` is not a result. Use -, d, m or x, or the value"),
        ("25 - - D", "unknown_result", "`D` is not a result."),
        ("25 -5 - d", "unknown_result", "`-5` is not a result."),
        ("25e - - d", "unknown_result", "`25e` is not a result."),
        ("25nn - - d", "letter_twice", "`25nn` has `n` twice; once is enough."),
        ("25e1e2 - - d", "letter_twice", "`25e1e2` has `e` twice"),
        ("25e5 - - d", "impossible_hand", "at most 4 exposures, but this one has 5. Count"),
        ("25q - - d", "impossible_hand", "say how many there are, or leave the quint out"),
        ("50pe1 - - d", "impossible_hand", "leave out one or the other"),
        ("25 - d", "unknown_line", "This is not a date (YYYY-MM-DD), payment, tournament"),
        ("\uff12\uff15 - - d", "unknown_result", "is not a result."),
        ("2026-02-30", "invalid_date", "2026-02-30 is not in the calendar."),
        ("Ann Bea Ann Di", "player_twice", "Ann is named twice"),
        ("penalty Bea", "wrong_form", "Write `penalty`, a name, and how many points"),
        ("penalty Bea -10", "wrong_form", "without a minus sign: penalty Ann 25"),
        ("penalty Bea 10 late", "wrong_form", "Write `penalty`, a name"),
        ("penalty Bea 0", "out_of_range", "A penalty is 1 to 1000 points."),
        ("penalty Bea 1001", "out_of_range", "A penalty is 1 to 1000 points."),
        ("penalty Eve 10", "unknown_player", "Eve is not one of the four names above the games."),
        ("others=1", "unknown_setting", "`others=` is not a number of the tournament rules; they"),
        ("wall-game=ten", "wrong_form", "Write `wall-game=` and a whole number"),
        ("wall-game=-1", "wrong_form", "Write `wall-game=` and a whole number"),
        ("wall-game=1001", "out_of_range", "`wall-game` may be at most 1000."),
    ],
)
def test_every_mistake_is_told_with_its_line_and_what_to_do(
    line: str, code: str, said: str
) -> None:
    (mistake,) = mistakes(f"tournament\n{NAMES}\n- - - -\n{line}\n")
    assert (mistake.line, mistake.code) == (4, code)
    assert said in mistake.message


def test_a_penalty_by_payment_is_refused() -> None:
    (mistake,) = mistakes(f"{NAMES}\n25 - - -\npenalty Ann 25\n")
    assert (mistake.line, mistake.code) == (3, "penalty_by_payment")
    assert "Write `tournament` above the games" in mistake.message


@pytest.mark.parametrize(
    "lines",
    [
        "penalty Ann 25\n",
        f"{NAMES}\npenalty Ann 25\n",
        f"2026-01-30\n{NAMES}\n25 - - -\n2026-01-31\npenalty Ann 25\n",
        f"{NAMES}\n25 - - -\nEve Flo Gus Ann\npenalty Ann 25\n",
    ],
)
def test_a_penalty_without_a_game_of_its_table_above_is_refused(lines: str) -> None:
    (mistake,) = mistakes(f"tournament\n{lines}")
    assert (mistake.line, mistake.code) == (1 + lines.count("\n"), "penalty_without_game")
    assert "Write the penalty below the game." in mistake.message


def test_a_game_before_the_names_is_refused() -> None:
    (mistake,) = mistakes("25 - - d\n")
    assert (mistake.line, mistake.code) == (1, "no_players")
    assert "name its four players above it" in mistake.message


def test_all_mistakes_are_told_at_once_and_cause_no_others() -> None:
    told = mistakes(f"tournament\n{NAMES}\n26 - - -\npenalty Ann 10\nscore=1\nAnn Ann Cy Di\n25\n")
    assert [(each.line, each.code) for each in told] == [
        (3, "no_such_value"),
        (5, "unknown_setting"),
        (6, "player_twice"),
        (7, "unknown_line"),
    ]


def test_an_empty_file_has_no_games() -> None:
    assert read_american("").games == ()


WORDS: Final = ("-", "d", "m", "x", "25", "30n", "50p", "25e2", "26", "Ann", "Bea", "penalty", "10")


@given(st.lists(st.lists(st.sampled_from(WORDS), min_size=3, max_size=5)))
def test_any_lines_are_games_that_pay_out_evenly_or_are_refused_with_their_place(
    lines: list[list[str]],
) -> None:
    games, refused_on = games_or_places("\n".join([NAMES, *map(" ".join, lines)]))
    assert all(sum(game.points.values()) == 0 for game in games)
    assert all(place in range(2, len(lines) + 2) for place in refused_on)


def games_or_places(text: str) -> tuple[Sequence[Game], list[int | None]]:
    """Return the games of a file, or the lines on which it is refused."""
    try:
        return read_american(text).games, []
    except InvalidScores as refused:
        return (), [mistake.line for mistake in refused.mistakes]
