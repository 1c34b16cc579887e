"""How freely a sheet may be laid out, and where each mistake in it is found."""

import io

import openpyxl
import pytest

from shared.errors import Mistake
from shared.sheets.cells import SheetMistake
from tests.sheets.sheets import at, found, lines, night, points_of, read, refusal, workbook

ROUND = "ROUND 1 | Games Played: 4 | Wall Games: 0"
NO_HEADING = (4, None, "heading_missing")
NO_MAHJONGS = NO_POINTS = NO_HEADING
SLIP = (4, "B", "unknown_heading")
PLAYERS = ("a@x.example,2,5", "b@x.example,2,-5")


@pytest.mark.parametrize(
    "headings",
    [
        "Player Email,Mahjongs,Points",
        "Email,Wins,Score",
        "e-mail,Mahjong,PTS",
        "Player,MAHJONGS ,points",
        "Name,Mah-Jongg,Score",
        "player_email,wins,score",
        "E-Mail Address:,Wins:,Points:",
    ],
)
def test_headings_are_known_in_several_spellings(headings: str) -> None:
    content = night(*PLAYERS).replace(b"Player Email,Mahjongs,Points", headings.encode())
    assert read(content).claim == read(night(*PLAYERS)).claim


def test_where_two_columns_may_name_the_player_the_address_stands_in_the_one_called_email() -> None:
    head = ["Date: 2026-01-31", "Game Type: Social", ROUND, "Player,Mahjongs,Email"]
    sheet = read(lines(*head, "Al,2,a@x.example", "Total,2,b@x.example"))
    assert sheet.located() == []
    first, second = sheet.claim["rounds"][0]["players"]
    assert (first["email"], first["name"]) == ("a@x.example", "Al")
    # Somebody of that name is a player, not a row of totals.
    assert (second["email"], second["name"]) == ("b@x.example", "Total")


@pytest.mark.parametrize(
    "line",
    [
        ROUND,
        "ROUND 1 , Games Played: 4 , Wall Games: 0",
        "Round 1,Games Played,4,Wall Games,0",
        "round,1,games:,4,walls:,0",
        "Rd. 1 | Table 3 | Wall: 0 | Games: 4",
        '"ROUND 1, Games Played: 4, Wall Games: 0"',
        "ROUND1|Games Played:4|Wall Games:0",
        "Round #1: Games Played: 4; Wall Games: 0",
        "ROUND 1\r\nGames Played: 4\r\nWall Games: 0",
    ],
)
def test_the_line_of_a_round_may_be_one_cell_or_several(line: str) -> None:
    sheet = read(night(*PLAYERS, line=line))
    assert sheet.located() == []
    assert sheet.claim == read(night(*PLAYERS)).claim


@pytest.mark.parametrize(
    "head",
    [
        "MAHJIC SCORE SHEET                    Date: 2026-01-31\r\nGame Type: League",
        "MAHJIC SCORE SHEET,,Date: 2026-01-31\r\nGame Type: League",
        "MAHJIC SCORE SHEET,Date:,2026-01-31\r\nGame Type:,League",
        "Columbus League\r\n\r\nDate,2026-01-31,Game Type,league",
        "Date: 2026-01-31 | Game Type: LEAGUE",
        "Contact: jane@x.example\r\nSession Date: 2026-01-31\r\nType: League",
        "Organizer,jane@x.example\r\nDate of play: 2026-01-31\r\nType: League",
    ],
)
def test_date_and_game_type_stand_in_a_title_beside_it_or_below(head: str) -> None:
    sheet = read(lines(head, ROUND, "Player Email,Mahjongs,Points", *PLAYERS))
    assert sheet.located() == []
    assert (sheet.claim["session_date"], sheet.claim["game_type"]) == ("2026-01-31", "league")


@pytest.mark.parametrize("word", ["Open Play", "lessons", "SOCIAL"])
def test_open_play_and_lessons_are_social(word: str) -> None:
    content = night(*PLAYERS).replace(b"League", word.encode())
    assert read(content).claim["game_type"] == "social"


def test_headings_hold_until_others_come_and_blank_rows_are_skipped() -> None:
    more = ["", "ROUND 2,Games: 1,Walls: 0", ",,", "a@x.example,1,1", "", "c@x.example,0,-1"]
    sheet = read(night(*PLAYERS, *more))
    assert sheet.located() == []
    assert [len(each["players"]) for each in sheet.claim["rounds"]] == [2, 2]
    assert sheet.place_of("/rounds/1/players/1/mahjongs") == at(12, "B")


@pytest.mark.parametrize(
    ("totals", "wrong"),
    [
        ("Total,4,2", []),  # Of the second round alone.
        ("Total,8,2", []),  # Mahjongs of both rounds: each column may be either.
        ("Total,4,3", []),
        ("Total,8,3", []),
        ("Total,7,3", [(12, "B", "totals_differ")]),
        ("Total,8,1", [(12, "C", "totals_differ")]),  # Of the first round, which is no running sum.
    ],
)
def test_totals_may_be_of_the_last_round_or_run_on_from_the_first(
    totals: str, wrong: list[tuple[int, str, str]]
) -> None:
    second = (ROUND.replace("ROUND 1", "ROUND 2"), "Player Email,Mahjongs,Points")
    content = night("a@x.example,2,4", "b@x.example,2,-3", "Total,4,1", *second)
    played = lines("a@x.example,1,6", "b@x.example,3,-4", totals)
    assert found(read(content + played)) == wrong


def test_a_totals_row_is_skipped_when_it_agrees_and_a_mistake_when_it_does_not() -> None:
    assert found(read(night(*PLAYERS, "Total,4,0"))) == []
    assert found(read(night(*PLAYERS, "TOTALS:,,"))) == []
    assert found(read(night(*PLAYERS, "Sum,3,0"))) == [(7, "B", "totals_differ")]
    # What cannot be read has no sum.
    assert found(read(night("a@x.example,two,5", "b@x.example,2,-5", "Total,4,0"))) == [
        (5, "B", "invalid_number")
    ]


def test_two_tables_of_one_round_are_two_rounds_and_a_round_told_twice_is_a_mistake() -> None:
    heads = ["ROUND 1 | Games Played: 4 | Wall Games: 0"]
    assert found(read(night(*PLAYERS, *heads, "c@x.example,4,5", "d@x.example,0,-5"))) == []
    again = [*heads, "PRIVATE: A@x.example,4,5", "d@x.example,0,-5"]
    assert found(read(night(*PLAYERS, *again))) == [(7, None, "round_repeated")]


def test_a_number_that_is_left_out_among_the_rounds_is_no_mistake() -> None:
    heads = ["ROUND 5 | Games Played: 4 | Wall Games: 0", *PLAYERS]
    assert found(read(night(*PLAYERS, *heads, "ROUND | Games: 4 | Walls: 0", *PLAYERS))) == []


def test_every_mistake_is_told_at_once_each_in_its_cell() -> None:
    sheet = read(
        lines(
            "MAHJIC SCORE SHEET,,Date: 1/2/2026",
            "Game Type: Legue",
            "ROUND 1 | Games Played: four",
            "Player Email,Mahjongs,Points",
            "a@x.example,1.5,125",
            ",1,80",
            "c@x.example,,12,5",
            "ROUND 2 | Games Played: 4 | Wall Games: 0 | Table 2 | 17",
            "Player Email,Mahjongs,Points,Place",
            "a@x.example,2,1.250,1",
        )
    )
    assert found(sheet) == [
        (1, "C", "ambiguous_date"),
        (2, "A", "unknown_game_type"),
        (3, None, "missing"),
        (3, "A", "invalid_number"),
        (5, "B", "invalid_number"),
        (6, "A", "missing"),
        (7, "B", "missing"),
        (7, "D", "stray_cell"),
        (8, None, "too_few_players"),
        (8, "A", "stray_cell"),
        (9, "D", "unknown_heading"),
        (10, "C", "ambiguous_number"),
    ]


def test_a_sheet_without_date_game_type_or_rounds_says_so() -> None:
    sheet = read(lines("Hello", "Players,Mahjongs", "a@x.example,1"))
    assert found(sheet) == [
        (None, None, "date_missing"),
        (None, None, "game_type_missing"),
        (None, None, "no_rounds"),
        (3, "A", "outside_round"),
    ]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (["Player Email,Points", "a@x.example,5", "b@x.example,-5"], [NO_HEADING]),
        (["Mahjongs,Points", "2,5", "2,-5"], [NO_HEADING]),
        (
            ["Player Email,Mahjongs", "a@x.example,2", "b@x.example,2"],
            [NO_HEADING],
        ),
        (["Email,Mahjongs,Points,Score", *PLAYERS], [(4, "D", "heading_repeated")]),
        (
            ["Email,Mahjngs,Points", *PLAYERS],
            [NO_MAHJONGS, SLIP],
        ),
        ([*PLAYERS], [NO_HEADING]),
        (["Player Email,0", "a@x.example,2", "b@x.example,2"], [NO_MAHJONGS, NO_POINTS, SLIP]),
        (
            ["Email,Wins,Score,Notes", "a@x.example,2,5,good", "b@x.example,2,-5,250"],
            [(6, "D", "stray_cell")],
        ),
    ],
)
def test_wrong_headings_are_one_mistake_each_and_not_one_for_every_player(
    rows: list[str], expected: list[tuple[int, str | None, str]]
) -> None:
    sheet = read(lines("Date: 2026-01-31", "Game Type: League", ROUND, *rows))
    assert found(sheet) == expected


def test_headings_below_players_without_the_line_of_a_round_never_make_one_table_of_two() -> None:
    sheet = read(night(*PLAYERS, "", "Player Email,Mahjongs,Points", *PLAYERS))
    assert found(sheet) == [(8, None, "round_line_missing")]


def test_what_is_said_twice_and_differently_is_a_mistake() -> None:
    sheet = read(night(*PLAYERS, "Date: 2026-02-07", "Wall Games: 1"))
    assert found(sheet) == [(7, "A", "contradiction"), (8, "A", "contradiction")]


def test_one_session_stands_in_a_file_and_a_workbook_of_several_says_their_names() -> None:
    book = workbook(["x"])
    assert refusal(book, sheet_name="Other").code == "unknown_sheet"
    assert 'It has "Night"' in refusal(book, sheet_name="Other").message
    assert refusal(night(*PLAYERS), sheet_name="Night").code == "unknown_sheet"
    assert refusal(workbook()).code == "empty_sheet"
    assert refusal(b" \r\n,,\r\n").code == "empty_sheet"
    assert refusal(b"").code == "empty_sheet"


def test_a_ref_is_a_text_and_is_kept_as_it_stands() -> None:
    line = "ROUND 1 | Games Played: 4 | Wall Games: 0"
    sheet = read(night(*PLAYERS, line=f"{line},Ref: 0012 | b"))
    assert sheet.claim["rounds"][0]["ref"] == "0012 | b"
    book = workbook(
        ["Date: 2026-01-31"], ["Game Type: Social"], ["ROUND", "Games: 1", "Walls: 0", "Ref:", 12]
    )
    assert (3, "E", "wrong_type") in found(read(book))


def test_mistakes_in_the_claim_are_brought_back_to_where_they_stand() -> None:
    sheet = read(night("a@x.example,9,5", "b@x.example,x,-5", "ROUND 2 | Games: 4 | Walls: 0"))
    located = sheet.located(
        [
            Mistake("/rounds/0", "round_does_not_add_up", "9 are not 4."),
            Mistake("/rounds/0/players/0/email", "invalid_email", "No."),
            Mistake("/rounds/0/players/0/name", "invalid_name", "No."),
            Mistake("/rounds/0/players/0/games_played", "out_of_range", "Too many."),
            Mistake("/rounds/0/players/1/games_played", "out_of_range", "Too many."),
            Mistake("/rounds/0/players/1/mahjongs", "missing", "Told already."),
            Mistake("/rounds/1/players", "too_short", "Told already."),
            Mistake("/source_id", "source_mismatch", "No."),
        ]
    )
    assert [(each.place.row, each.place.column, each.code) for each in located] == [
        (None, None, "source_mismatch"),
        (3, None, "round_does_not_add_up"),
        (3, "A", "out_of_range"),
        (5, None, "invalid_name"),
        (5, "A", "invalid_email"),
        (6, "B", "invalid_number"),
        (7, None, "too_few_players"),
    ]
    assert isinstance(located[0], SheetMistake)


def test_a_cell_merged_over_two_rows_names_the_first_player_only() -> None:
    book = openpyxl.load_workbook(io.BytesIO(workbook(*merged())))
    book["Night"].merge_cells("A5:A6")
    content = io.BytesIO()
    book.save(content)
    assert found(read(content.getvalue())) == [(6, "A", "missing")]


def merged() -> list[list[object]]:
    head: list[list[object]] = [["Date: 2026-01-31"], ["Game Type: Social"], [ROUND]]
    return [*head, ["Player", "Mahjongs"], ["a@x.example", 2], ["b@x.example", 2]]


def test_a_thousand_mistakes_are_told_and_no_more() -> None:
    sheet = read(night(*["x,y,z"] * 900))
    assert len(sheet.mistakes) == 1001
    assert sheet.mistakes[-1].code == "more_mistakes"


def test_points_may_be_left_out_of_social_games_only() -> None:
    social = night("a@x.example,2,", "b@x.example,2,").replace(b"League", b"Social")
    assert found(read(social)) == []
    assert points_of(read(social)) == [None, None]
