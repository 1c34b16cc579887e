"""Files of scores are read as the original program read them, and refused with the same lines.

The files in tests/vectors/hk and RESULTS.txt there were recorded from the original (a Python scorer
for Hong Kong rules, MIT-0) at the commit that the rule book in docs/scoring.md describes.
"""

import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.scoring.games import ScoredGames
from shared.scoring.hong_kong_file import read_hong_kong
from shared.scoring.lines import read_text
from shared.scoring.mistakes import InvalidScores, ScoreFileMistake
from shared.scoring.table import table_of, table_tsv

VECTORS = Path(__file__).parents[1] / "vectors" / "hk"
RECORDED = {
    name: (code, message)
    for name, code, message in re.findall(
        r"(?m)^(\S+) rc=(\d) ?(.*)$", (VECTORS / "RESULTS.txt").read_text()
    )
}
SCORED = sorted(name for name, (code, _) in RECORDED.items() if code == "0")
REFUSED = sorted(name for name, (code, _) in RECORDED.items() if code == "1")
HEAD = "name\tgame_count\twin_count\twin_fraction\tnet_score\tnet_score_per_game\n"
TABLE = "A B C D\n"


def scored(text: str) -> ScoredGames:
    return read_hong_kong(read_text(text.encode()))


def table(text: str) -> str:
    return table_tsv(table_of(scored(text)))


def last_points(text: str) -> dict[str, float]:
    """Return what the last game of a file brings."""
    return {name: float(points) for name, points in scored(text).games[-1].points.items()}


def mistakes(text: str) -> list[tuple[int | None, str]]:
    """Return line and code of everything that is wrong with a file."""
    with pytest.raises(InvalidScores) as refused:
        scored(text)
    return [(each.line, each.code) for each in refused.value.mistakes]


def test_seventeen_files_and_one_that_broke_the_original_are_recorded() -> None:
    assert (len(SCORED), len(REFUSED)) == (9, 8)
    inputs = {file.name for file in VECTORS.glob("*.txt")} - {"RESULTS.txt"}
    assert inputs == {*SCORED, *REFUSED, "zero_games.txt"}


@pytest.mark.parametrize("name", SCORED)
def test_the_table_is_that_of_the_original_byte_for_byte(name: str) -> None:
    games = read_hong_kong(read_text((VECTORS / name).read_bytes()))
    written = table_tsv(table_of(games)).encode()
    assert written == (VECTORS / f"{name}.tsv").read_bytes()


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_original_refuses_is_refused_on_the_same_line(name: str) -> None:
    (line,) = re.findall(r"line (\d+)\)", RECORDED[name][1])
    with pytest.raises(InvalidScores) as refused:
        read_hong_kong(read_text((VECTORS / name).read_bytes()))
    assert [each.line for each in refused.value.mistakes] == [int(line)]


def test_a_player_without_games_has_no_averages_and_comes_last() -> None:
    """The original breaks at this file, and writes such a table since."""
    text = (VECTORS / "zero_games.txt").read_text()
    assert table(text) == HEAD + (
        "A\t1\t1\t1\t4\t4\n"
        "C\t1\t0\t0\t0\t0\n"
        "D\t1\t0\t0\t0\t0\n"
        "B\t1\t0\t0\t-4\t-4\n"
        "E\t0\t0\tnan\t0\tnan\n"
        "*\t4\t1\t0.25\t0\t0\n"
    )


def test_a_file_without_games_has_a_table_without_averages() -> None:
    assert table("") == HEAD + "*\t0\t0\tnan\t0\tnan\n"
    assert table("Z Y X W") == HEAD + (
        "W\t0\t0\tnan\t0\tnan\nX\t0\t0\tnan\t0\tnan\nY\t0\t0\tnan\t0\tnan\nZ\t0\t0\tnan\t0\tnan\n"
        "*\t0\t0\tnan\t0\tnan\n"
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("- - - -", {"A": 0, "B": 0, "C": 0, "D": 0}),
        ("- - - f", {"A": 48, "B": 48, "C": 48, "D": -144}),
        ("3 - - -", {"A": 24, "B": -8, "C": -8, "D": -8}),
        ("3 - - d", {"A": 16, "B": -4, "C": -4, "D": -8}),
        ("3 - - g", {"A": 24, "B": 0, "C": 0, "D": -24}),
        ("3 - - S", {"A": 24, "B": 0, "C": 0, "D": -24}),
        ("3 - - D", {"A": 16, "B": 0, "C": 0, "D": -16}),
        ("- d 3 -", {"A": -4, "B": -8, "C": 16, "D": -4}),
    ],
)
def test_each_of_the_results_is_read(line: str, expected: dict[str, float]) -> None:
    assert last_points(f"R=half\nM=4\n{TABLE}{line}") == expected


def test_what_is_declared_holds_for_the_games_below_it() -> None:
    games = scored(
        f"{TABLE}5 - - d\nS=spicy\n5 - - d\nB=0.5\n5 - - d\nR=half\n5 - - d\nM=5\n- f - -\n"
    ).games
    assert [float(game.points["A"]) for game in games] == [48, 64, 32, 32, 48]
    assert [game.winner for game in games] == ["A", "A", "A", "A", None]


@pytest.mark.parametrize(
    ("base", "points"), [("0.5", 1), (".5", 1), ("2.", 4), ("02", 4), ("0", 0), ("0.25", 0.5)]
)
def test_base_points_may_have_decimals(base: str, points: float) -> None:
    assert last_points(f"B={base}\n{TABLE}0 - - d")["A"] == points


def test_base_points_are_exact() -> None:
    games = scored(f"B=0.1\n{TABLE}" + "0 - - d\n" * 3).games
    assert sum(game.points["A"] for game in games) == Fraction(6, 10)


@pytest.mark.parametrize(
    "text",
    [
        "A B C D\n3 - - d\n",
        "A B C D\n3 - - d",
        "A B C D\r\n3 - - d\r\n",
        "A B C D\r3 - - d\r",
        "A\tB  C\tD\n  3\t-\t-\td  \n",
        "\ufeffA B C D\n3 - - d\n",
        "A B C D# friends\n\n   \n# 2 - - -\n3 - - d#8\n",
        "A\u3000B\u00a0C D\n03 - - d\n",
    ],
    ids=["plain", "no end", "CRLF", "CR", "tabs", "BOM", "comments", "other spaces"],
)
def test_it_does_not_matter_how_the_file_was_typed(text: str) -> None:
    assert table(text) == HEAD + (
        "A\t1\t1\t1\t16\t16\nB\t1\t0\t0\t0\t0\nC\t1\t0\t0\t0\t0\nD\t1\t0\t0\t-16\t-16\n"
        "*\t4\t1\t0.25\t0\t0\n"
    )


def test_names_win_over_results() -> None:
    assert scored("d f g S\n1 - - -").players == ("d", "f", "g", "S")
    assert mistakes(f"{TABLE}- f g S") == [(2, "two_blamed")]


def test_a_name_may_look_like_a_declaration_and_hold_any_letters() -> None:
    names = ("B=1", "陳大文", "O'Brien-2", "x\u0301.")
    assert scored(" ".join(names)).players == names


def test_a_name_with_a_quotation_mark_is_quoted_as_in_tables_of_the_original() -> None:
    assert '"Bo ""the"" B"'.replace(" ", "") in table('Bo"the"B Al Cy Di\n')


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("A B C A", "player_twice"),
        ("A B C", "unknown_line"),
        ("A B C D E", "unknown_line"),
        ("A B *C D", "unknown_line"),
        ("A B C* D", "unknown_line"),
        ("A B C -D", "unknown_line"),
        ("A B C 4D", "unknown_line"),
        ("3 - -", "unknown_line"),
        ("3 - - x", "unknown_line"),
        ("3f - - -", "unknown_line"),
        ("-3 - - -", "unknown_line"),
        ("3.0 - - -", "unknown_line"),
        ("\uff13 - - -", "unknown_line"),
        ("\u0663 - - -", "unknown_line"),
        ("\u00b2 - - -", "unknown_line"),
        ("M=1\uff13", "unknown_line"),
        ("M=-1", "unknown_line"),
        ("M=101", "out_of_range"),
        ("M=1" + "0" * 5000, "out_of_range"),
        ("B=", "unknown_line"),
        ("B=-1", "unknown_line"),
        ("B=1e3", "unknown_line"),
        ("B= 1", "unknown_line"),
        ("B=.", "invalid_base"),
        ("B=1.2.3", "invalid_base"),
        ("B=1234567890123", "out_of_range"),
        ("B=0.1234567890123", "out_of_range"),
        ("R=none", "unknown_line"),
        ("R=halffull", "unknown_line"),
        ("S=hot", "unknown_line"),
        ("2026-1-31", "unknown_line"),
        ("\uff12\uff10\uff12\uff16-01-31", "unknown_line"),
        ("2026-01-31 2026-02-01", "unknown_line"),
        ("14 - - -", "faan_over_maximum"),
        ("1" + "0" * 5000 + " - - -", "faan_over_maximum"),
        ("3 3 - -", "two_winners"),
        ("3 d d -", "two_blamed"),
        ("- f f -", "two_blamed"),
        ("- - - d", "blame_without_win"),
        ("- - - g", "blame_without_win"),
        ("- - - S", "blame_without_win"),
        ("- - - D", "blame_without_win"),
        ("3 - - f", "win_and_false_win"),
        ("3 - - D", "guarantee_not_needed"),
    ],
)
def test_what_no_line_may_be_is_refused_with_its_number(line: str, code: str) -> None:
    text = f"# Our night\n{TABLE}1 - - -\n{line}\n"
    assert mistakes(text) == [(4, code)]


def test_every_mistake_is_told_at_once() -> None:
    text = "3 - - -\nM=4\nA B C C\n5 - - -\n9 9 - -\nx\n"
    assert mistakes(text) == [
        (1, "no_players"),
        (3, "player_twice"),
        (4, "faan_over_maximum"),
        (5, "two_winners"),
        (6, "unknown_line"),
    ]


def test_a_digit_that_is_none_of_ours_is_named() -> None:
    with pytest.raises(InvalidScores) as refused:
        scored(f"{TABLE}\uff13 - - d")
    assert "`\uff13`" in refused.value.mistakes[0].message


def test_text_in_another_encoding_is_refused_where_it_begins() -> None:
    with pytest.raises(InvalidScores) as refused:
        read_text("A B C D\r\nÉva B C D\n".encode("cp1252"))
    assert [(each.line, each.code) for each in refused.value.mistakes] == [(2, "not_utf_8")]


def test_a_date_of_no_calendar_is_scored_and_remembered() -> None:
    games = scored(f"2026-01-31\n{TABLE}3 - - d\n2023-13-45\n- - - -\n2026-02-28\n- - - -")
    assert [str(game.date) for game in games.games] == ["2026-01-31", "None", "2026-02-28"]
    assert [(each.line, each.code) for each in games.impossible_dates] == [(4, "invalid_date")]


NAMES = st.permutations(["A", "B", "C", "D", "E", "陳"]).map(lambda names: names[:4])
FAAN = st.integers(0, 8).map(str)
RESULTS = (
    st.tuples(FAAN, st.sampled_from(["-", "d", "g", "S", "D"]))
    .map(lambda said: [*said, "-", "-"])
    .flatmap(st.permutations)
) | st.sampled_from([["-"] * 4, ["f", "-", "-", "-"], ["-", "-", "f", "-"]])
DECLARED = st.sampled_from(["B=0.5", "B=0.3", "B=2", "M=8", "M=13", "S=half", "S=spicy"])
LINES = st.lists(NAMES.map(" ".join) | RESULTS.map(" ".join) | DECLARED, max_size=40)


@settings(max_examples=50)
@given(LINES)
def test_every_file_sums_to_zero_and_counts_each_game_once_for_its_players(
    lines: list[str],
) -> None:
    games = scored("\n".join(["R=half", "A B C D", *lines]))
    results = [line for line in lines if re.search(r"(^| )[0-9-]", line)]
    assert len(games.games) == len(results)
    assert all(sum(game.points.values()) == 0 for game in games.games)
    *players, everybody = table_of(games)
    assert everybody.net_score == sum(row.net_score for row in players) == 0
    assert everybody.game_count == 4 * len(results)
    won = sum(any(word.isdigit() for word in line.split()) for line in results)
    assert everybody.win_count == sum(row.win_count for row in players) == won


@given(st.text(alphabet="AB01-dDgSf #*=M\n\r\t\uff13\ufeff", max_size=60))
def test_any_text_is_scored_or_refused_with_lines_that_are_there(text: str) -> None:
    found: tuple[ScoreFileMistake, ...] = ()
    try:
        assert table_of(scored(text))[-1].net_score == 0
    except InvalidScores as refused:
        found = refused.mistakes
    count = len(re.split(r"\r\n|\r|\n", text))
    assert all(1 <= (each.line or 0) <= count for each in found)
