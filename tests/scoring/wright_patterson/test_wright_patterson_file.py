"""Rounds of Wright-Patterson, as they are written down at the table."""

from collections.abc import Sequence
from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.scoring.games import Game
from shared.scoring.mistakes import InvalidScores
from shared.scoring.wright_patterson.file import read_wright_patterson

NAMES = "Ada Bo Cy Di"
NOTHING = "13579d 24689b 123c"  # A hand without points.
OTHERS = f"hand Ada {NOTHING}\nhand Cy {NOTHING}\nhand Di {NOTHING}\n"
BO_WINS = f"round E\nwin Bo 10\n{OTHERS}"


def moved(text: str) -> list[list[Fraction]]:
    """Return what each round of a file brings its players, in seating order."""
    return [
        [game.points[name] for name in game.players] for game in read_wright_patterson(text).games
    ]


def mistakes(text: str) -> list[tuple[int | None, str]]:
    with pytest.raises(InvalidScores) as refused:
        read_wright_patterson(text)
    return [(mistake.line, mistake.code) for mistake in refused.value.mistakes]


# A whole game. `Z` stands for a hand without points: 13579d 24689b 123c.
#
# Round 1, prevailing East. Ada is East. Nobody declares flowers: 50 each into the Flower Pot, 200.
#   Bo wins with 300: East 600, Cy 300, Di 300; Bo +1200.
#   Ada 0. Cy (West): open Pung of R 4, one double, 8, rounded 10.
#   Di (North): concealed Pung of N 8 + pair of G 2 = 10, one double for the seat wind, 20.
#   Ada, East, pays Cy 2 x 10 and Di 2 x 20; Cy pays Di 10.
#   Ada -50 -600 -20 -40 = -710; Bo -50 +1200 = 1150; Cy -50 -300 +20 -10 = -340;
#   Di -50 -300 +40 +10 = -300. Sum -200, which is in the pot. First pass: Bo is East.
# Round 2. Nobody declares flowers, nobody wins: -50 and -50 each. Flower Pot 400, Wall Pot 200.
# Round 3, prevailing West. Di makes a bouquet: 500 from each. Cy declares the first flower after
#   the Charleston: 400. Bo, East, wins with 500: 1000 from each, and the Wall Pot of 200.
#   Ada (North): concealed Kong of 9c 32 + concealed Pung of R 8 = 40, one double, 80.
#   Cy (South): concealed Pung of 2c 4 + flower 4 = 8, own flower (2), one double, 16, rounded 20.
#   Di (West): open Kong of W 16, seat wind and prevailing wind, two doubles, 64, rounded 60.
#   Cy pays Ada 60 and Di 40, Di pays Ada 20.
#   Ada -500 -1000 +60 +20 = -1420; Bo -500 +3000 +200 = 2700; Cy -500 +400 -1000 -60 -40 = -1200;
#   Di +1500 -1000 +40 -20 = 520. Sum 600, out of both pots. East won: Bo stays East.
# Round 4, prevailing East. No flowers: Flower Pot 200. Cy wins off East's first discard: Bo 3000,
#   Ada 1500, Di 1500; Cy +6000.
#   Ada 0. Bo (East): pair of E, seat and prevailing, 4, rounded 0. Di (West): Pungs of R and G 16 +
#   pair of P 2 = 18, Triplets 2 and Little Three Dragons 3, 18 x 32 = 576, rounded 580.
#   Ada pays Di the limit of 500; Bo, East, pays Di the limit of 1000.
#   Ada -50 -1500 -500 = -2050; Bo -50 -3000 -1000 = -4050; Cy -50 +6000 = 5950;
#   Di -50 -1500 +500 +1000 = -50. Sum -200. Second pass: Cy is East.
# Round 5, prevailing North. Cy, East, wins immediately after the Charleston: 3000 from each; +9000.
#   Ada 0. Bo (North): three concealed Pungs 12, one double, 24, rounded 20.
#   Di (South): pairs of S (seat), N (prevailing), R, G, P 10, that of W 0, All Honors 3, 80.
#   Ada pays Di 80 and Bo 20; Bo pays Di 60.
#   Ada -3000 -80 -20 = -3100; Bo -3000 +20 -60 = -3040; Cy 9000; Di -3000 +80 +60 = -2860. Sum 0.
# Round 6. No flowers: Flower Pot 400. Di wins with 100: Cy, East, 200. All Z from here on.
#   Ada -150; Bo -150; Cy -250; Di -50 +400 = 350. Sum -200. Third pass: Di is East.
# Round 7. Ada wins with 100: 400, -100, -100, and Di, East, -200. Fourth pass: Ada is East.
# Round 8. Bo wins with 1500: Ada, East, -3000, 6000, -1500, -1500. Fifth pass: Bo is East.
# Round 9. Cy wins with 50: -50, Bo, East, -100, 200, -50. Sixth pass: Cy is East.
# Round 10. Ada wins with 20: 80, -20, Cy, East, -40, -20. Seventh pass: Di is East.
# Round 11. Nobody wins: -50 each. Wall Pot 200.
# Round 12. Bo wins with 10 and gets the Wall Pot: -10, 30 + 10 + 200, -10, Di, East, -20. Eighth
#   pass: the Flower Pot of 400 is split, 100 each. 90, 340, 90, 80. Sum 600, out of both pots.
A_GAME = f"""\
# League night
2026-01-31
Ada Bo Cy Di        # Ada is East

round E             # 1
no-flowers
win Bo 300
hand Ada {NOTHING}
hand Cy [RRR] 13579d 2468b 9c
hand Di NNN GG 1357d 2468b

round S             # 2
no-flowers
wall

round W             # 3
bouquet Di seasons
flower-pot Cy
win Bo 500
hand Ada (9999c) RRR 1357d 246b
hand Cy 2f 222c 13579d 24689b
hand Di [WWWW] 13579d 24689b

round E             # 4
hand Ada {NOTHING}
hand Bo EE 13579d 24689b 8c
hand Di RRR GGG PP 1357d 9c
no-flowers
win Cy first-discard

2026-02-07
round N             # 5
win Cy charleston
hand Ada {NOTHING}
hand Bo 222c 444d 666b 1379d
hand Di SS WW NN RR GG PP E

round E             # 6
no-flowers
win Di 100
hand Ada {NOTHING}
hand Bo {NOTHING}
hand Cy {NOTHING}

round E             # 7
win Ada 100
hand Bo {NOTHING}
hand Cy {NOTHING}
hand Di {NOTHING}

round E             # 8
win Bo 1500
hand Ada {NOTHING}
hand Cy {NOTHING}
hand Di {NOTHING}

round E             # 9
win Cy 50
hand Ada {NOTHING}
hand Bo {NOTHING}
hand Di {NOTHING}

round E             # 10
win Ada 20
hand Bo {NOTHING}
hand Cy {NOTHING}
hand Di {NOTHING}

round E             # 11
wall

round E             # 12
win Bo 10
hand Ada {NOTHING}
hand Cy {NOTHING}
hand Di {NOTHING}
"""

BY_HAND = [
    [-710, 1150, -340, -300],
    [-100, -100, -100, -100],
    [-1420, 2700, -1200, 520],
    [-2050, -4050, 5950, -50],
    [-3100, -3040, 9000, -2860],
    [-150, -150, -250, 350],
    [400, -100, -100, -200],
    [-3000, 6000, -1500, -1500],
    [-50, -100, 200, -50],
    [80, -20, -40, -20],
    [-50, -50, -50, -50],
    [90, 340, 90, 80],
]


def test_a_whole_game_comes_out_as_by_hand() -> None:
    assert moved(A_GAME) == BY_HAND


def test_a_whole_game_ends_with_the_totals_by_hand() -> None:
    # -710 -100 -1420 -2050 -3100 -150 +400 -3000 -50 +80 -50 +90 = -10060, and so on.
    totals = [sum(column) for column in zip(*moved(A_GAME), strict=True)]
    assert totals == [-10_060, 2580, 11_660, -4180]
    assert [10_000 + total for total in totals] == [-60, 12_580, 21_660, 5820]


def test_a_whole_game_knows_its_players_dates_and_winners() -> None:
    scored = read_wright_patterson(A_GAME)
    assert scored.players == ("Ada", "Bo", "Cy", "Di")
    days = [game.date for game in scored.games]
    assert days == [date(2026, 1, 31)] * 4 + [date(2026, 2, 7)] * 8
    winners = ["Bo", None, "Bo", "Cy", "Cy", "Di", "Ada", "Bo", "Cy", "Ada", None, "Bo"]
    assert [game.winner for game in scored.games] == winners
    assert scored.games[0].line == 5


def test_a_game_that_is_over_takes_no_round_and_another_one_begins_with_names() -> None:
    assert mistakes(f"{A_GAME}round E\nwall\nround E\nwall\n") == [
        (A_GAME.count("\n") + 1, "game_over")
    ]
    assert moved(f"{A_GAME}Bo Ada Di Cy\nround E\nwall\n")[-1] == [-50] * 4


def test_whoever_is_named_first_is_east() -> None:
    assert moved(f"{NAMES}\n{BO_WINS}") == [[-20, 40, -10, -10]]
    assert moved(f"Cy Di Ada Bo\n{BO_WINS}") == [[-20, -10, -10, 40]]


def test_end_splits_the_pots_with_the_last_round_of_the_game() -> None:
    # 100 each went into the pots; all 400 + 400 come back.
    dry = "round E\nno-flowers\nwall\n"
    assert moved(f"{NAMES}\n{dry}{dry}") == [[-100] * 4, [-100] * 4]
    assert moved(f"{NAMES}\n{dry}{dry}end\n") == [[-100] * 4, [100] * 4]


def test_a_game_that_goes_on_keeps_its_pots() -> None:
    dry = "round E\nno-flowers\nwall\n"
    assert sum(map(sum, moved(f"{NAMES}\n{dry}"))) == -400


def test_a_game_with_points_in_its_pots_is_ended_before_another_begins() -> None:
    wall = f"{NAMES}\nround E\nwall\n"
    assert mistakes(f"{wall}{NAMES}\n") == [(4, "pots_left")]
    assert moved(f"{wall}end\n{NAMES}\nround E\nwall\nend\n") == [[0] * 4, [0] * 4]


def test_a_game_without_points_in_its_pots_needs_no_end() -> None:
    assert moved(f"{NAMES}\n{BO_WINS}{NAMES}\n{BO_WINS}") == [[-20, 40, -10, -10]] * 2


def test_being_ready_is_written_behind_the_tiles() -> None:
    # Di's own wind is North: 8 points, a double for it and one, two or three for being ready.
    tiles = "NNN 13579d 2468b 9c"
    others = f"win Ada 10\nhand Bo {NOTHING}\nhand Cy {NOTHING}\n"
    for ready, score in [("", 20), ("ready-limit", 30), ("ready-double-limit", 60)]:
        text = f"{NAMES}\nround E\n{others}hand Di {tiles} {ready}\n"
        assert moved(text) == [[60, -20 - score, -20 - score, -20 + 2 * score]]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param(["round X", "wall"], [(2, "unknown_wind")], id="no wind"),
        pytest.param(["round"], [(2, "wrong_form")], id="no wind at all"),
        pytest.param(["round E"], [(2, "no_outcome")], id="no outcome"),
        pytest.param(["round E", "wall", "wall"], [(4, "two_outcomes")], id="two outcomes"),
        pytest.param(["round E", "wall", "win Bo 20"], [(4, "two_outcomes")], id="win and wall"),
        pytest.param(["round E", "win Eve 20"], [(3, "unknown_player")], id="a stranger wins"),
        pytest.param(["round E", "flower-pot Eve"], [(3, "unknown_player")], id="collects"),
        pytest.param(["round E", "bouquet Eve flowers"], [(3, "unknown_player")], id="bouquet"),
        pytest.param(["round E", f"hand Eve {NOTHING}"], [(3, "unknown_player")], id="hand"),
        pytest.param(["round E", "win Bo"], [(3, "wrong_form")], id="not what a hand can be worth"),
        pytest.param(["round E", "win Bo -20"], [(3, "wrong_form")], id="negative worth"),
        pytest.param(["round E", "win Bo 12.5"], [(3, "wrong_form")], id="half a point"),
        pytest.param(["round E", "win Bo 0"], [(3, "out_of_range")], id="worth nothing"),
        pytest.param(["round E", "win Bo 5000"], [(3, "out_of_range")], id="worth too much"),
        pytest.param(["round E", "bouquet Bo roses"], [(3, "wrong_form")], id="roses"),
        pytest.param(["round E", "wall Bo"], [(3, "wrong_form")], id="a wall of somebody"),
        pytest.param(["round E", "hand Bo"], [(3, "wrong_form")], id="a hand of no tiles"),
        pytest.param(["round E", "hand Bo 123c"], [(3, "wrong_count")], id="three tiles"),
        pytest.param(["round E", "hand Bo ready-limit"], [(3, "wrong_count")], id="only ready"),
        pytest.param(["round E", "hand Bo 13579x"], [(3, "unknown_tile")], id="no tile"),
        pytest.param(
            ["round E", "win Bo charleston", *OTHERS.splitlines()], [(2, "not_east")], id="not East"
        ),
        pytest.param(["round E", "win Bo 20"], [(2, "hand_missing")], id="no hands"),
        pytest.param(
            ["round E", f"hand Bo {NOTHING}", f"hand Bo {NOTHING}"], [(4, "line_twice")], id="twice"
        ),
        pytest.param(["round E", "no-flowers", "no-flowers"], [(4, "line_twice")], id="dry twice"),
        pytest.param(
            ["round E", "flower-pot Bo", "flower-pot Cy"], [(4, "line_twice")], id="two collect"
        ),
        pytest.param(["wall"], [(2, "outside_round")], id="no round"),
        pytest.param(
            ["round E", "wall", "end", "wall"], [(5, "outside_round")], id="after the end"
        ),
        pytest.param(["end", "end"], [(3, "no_game")], id="ended twice"),
        pytest.param(["end now"], [(2, "wrong_form")], id="end and something"),
        pytest.param(["2026-02-30"], [(2, "invalid_date")], id="no day"),
        pytest.param(["Ada Bo Cy Ada"], [(2, "player_twice")], id="somebody twice"),
        pytest.param(["Ada Bo Cy"], [(2, "unknown_line")], id="three names"),
        pytest.param(["1 2 3 4"], [(2, "unknown_line")], id="digits"),
    ],
)
def test_a_line_that_cannot_be_is_refused_by_name(
    lines: list[str], expected: list[tuple[int, str]]
) -> None:
    assert mistakes("\n".join([NAMES, *lines])) == expected


def test_a_round_before_any_names_is_refused_and_its_lines_are_not() -> None:
    assert mistakes(f"{BO_WINS}{BO_WINS}") == [(1, "no_players"), (6, "no_players")]
    assert mistakes("end\n") == [(1, "no_game")]


def test_a_digit_of_another_script_is_named() -> None:
    digit = "\N{FULLWIDTH DIGIT THREE}"
    assert f"`{digit}` is not one of the digits" in first_message(f"{NAMES}\nx {digit}\n")
    assert "This is not a date" in first_message(f"{NAMES}\nx 3\n")


def first_message(text: str) -> str:
    with pytest.raises(InvalidScores) as refused:
        read_wright_patterson(text)
    return refused.value.mistakes[0].message


def test_all_mistakes_of_a_file_are_told_together_in_its_order() -> None:
    text = f"{NAMES}\nround E\nround E\nwin Bo x\nround Q\n{BO_WINS}round E\nwin Bo 20\n"
    assert mistakes(text) == [
        (2, "no_outcome"),
        (4, "wrong_form"),
        (5, "unknown_wind"),
        (11, "hand_missing"),
    ]


def test_an_empty_file_has_no_games() -> None:
    assert read_wright_patterson("# Nothing yet.\n").games == ()


LINES = (
    *("round E", "round W", "no-flowers", "flower-pot Cy", "bouquet Di seasons", "wall", "end"),
    *("win Bo 300", "win Ada charleston", "hand Bo 222c", "2026-01-31", NAMES, "roses"),
    *OTHERS.splitlines(),
    *(BO_WINS, "round S\nno-flowers\nwall"),
)


@given(st.lists(st.sampled_from(LINES), max_size=12))
def test_any_lines_are_games_that_sum_to_zero_or_are_refused_with_their_place(
    lines: list[str],
) -> None:
    text = "\n".join([NAMES, *lines, "end"])
    games, refused_on = games_or_places(text)
    assert sum(sum(game.points.values()) for game in games) == 0
    assert all(place in range(2, text.count("\n") + 2) for place in refused_on)


def games_or_places(text: str) -> tuple[Sequence[Game], list[int | None]]:
    """Return the games of a file, or the lines on which it is refused."""
    try:
        return read_wright_patterson(text).games, []
    except InvalidScores as refused:
        return (), [mistake.line for mistake in refused.mistakes]


def test_an_end_below_a_refused_line_says_nothing_wrong_of_its_own() -> None:
    assert mistakes("Ada Bo Cy Di\nnonsense\nend\nend\n") == [(2, "unknown_line")]
