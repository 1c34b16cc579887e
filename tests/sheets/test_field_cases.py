"""What people upload, as told in the bug reports of other projects; `files/README.md` has each."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from shared.sheets.writing import csv_bytes, sheet_rows, xlsx_bytes
from tests.sheets.sheets import (
    FIELD,
    FIELD_CSV,
    FILES,
    at,
    found,
    lines,
    night,
    points_of,
    read,
    read_file,
    refusal,
)

DATED = ["openpyxl-date-1900.xlsx", "openpyxl-date-1904.xlsx", "xlsxwriter.xlsx"]
DATED += ["libreoffice.xlsx", "libreoffice-1904.xlsx"]


def test_case_35_a_sheet_that_excel_saves_as_csv_utf8_is_read_with_its_first_heading() -> None:
    sheet = read_file("excel-csv-utf8.csv")
    assert (FILES / "excel-csv-utf8.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    assert sheet.located() == []
    assert sheet.claim == FIELD


def test_case_35_a_heading_in_the_very_first_cell_is_known_behind_the_mark() -> None:
    rows = ["Player Email,Mahjongs", "ROUND 1 | Games Played: 1 | Wall Games: 0"]
    rows += ["a@x.example,1", "b@x.example,0", "Date: 2026-01-31", "Game Type: Social"]
    assert read(b"\xef\xbb\xbf" + lines(*rows)).located() == []


@pytest.mark.parametrize("name", ["excel-unicode-text.txt", "windows-1252.csv"])
def test_case_36_letters_of_each_encoding_and_a_name_of_two_lines_are_read(name: str) -> None:
    sheet = read_file(name)
    assert sheet.located() == []
    zoe, jose = sheet.claim["rounds"][0]["players"]
    assert zoe["email"] == "ANON:Zoë"
    assert (jose["email"], jose["name"]) == ("josé@example.com", "José García")
    # The line break within the name begins no row of the sheet.
    assert sheet.place_of("/rounds/0/players/1/mahjongs") == at(7, "C")


def test_case_36_an_encoding_that_cannot_be_told_is_refused_and_not_guessed() -> None:
    mistake = refusal((FILES / "windows-1251.csv").read_bytes())
    assert mistake.code == "unknown_encoding"
    assert "CSV UTF-8" in mistake.message


def test_case_38_minus_signs_brackets_and_thousands_are_read_with_lone_cr_line_ends() -> None:
    content = (FILES / "minus-signs-cr.csv").read_bytes()
    assert b"\n" not in content
    sheet = read(content)
    assert sheet.located() == []
    assert points_of(sheet) == [-50, -50, -50, 1250]


def test_case_38_decimals_stay_decimals() -> None:
    sheet = read(night("a@x.example,2,1.33", "b@x.example,2,-1.33"))
    assert points_of(sheet) == [1.33, -1.33]


def test_case_38_a_comma_that_shifts_the_columns_is_a_mistake_in_its_row() -> None:
    assert found(read_file("shifted-by-comma.csv")) == [(5, "D", "stray_cell")]


def test_case_38_a_comma_that_may_be_a_decimal_one_is_refused_by_name() -> None:
    sheet = read_file("semicolons.csv")
    assert found(sheet) == [(7, "C", "decimal_comma"), (8, "C", "ambiguous_number")]
    assert points_of(sheet) == [-50, 12.5, None, None]


@pytest.mark.parametrize("time_zone", ["America/New_York", "Pacific/Kiritimati"])
def test_case_39_a_date_cell_is_the_same_day_in_every_time_zone(time_zone: str) -> None:
    program = (
        "import sys, time; from pathlib import Path; time.tzset()\n"
        "from shared.sheets.opening import open_workbook\n"
        "from shared.sheets.reading import read_score_sheet\n"
        "for name in sys.argv[1:]:\n"
        "    sheet = read_score_sheet(open_workbook(Path(name).read_bytes()))\n"
        "    print(time.tzname[0], sheet.claim['session_date'])\n"
    )
    names = [str(FILES / name) for name in DATED]
    result = subprocess.run(
        [sys.executable, "-c", program, *names],
        env={**os.environ, "TZ": time_zone, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=True,
    )
    zone = {"America/New_York": "EST", "Pacific/Kiritimati": "+14"}[time_zone]
    assert result.stdout.splitlines() == [f"{zone} 2026-01-31"] * len(names)


def test_case_39_a_date_that_may_be_two_is_refused_by_name_and_one_that_may_not_is_read() -> None:
    assert found(read_file("dates-month-first.csv")) == [(1, "A", "ambiguous_date")]
    sheet = read_file("dates-day-first.csv")
    assert (sheet.located(), sheet.claim["session_date"]) == ([], "2026-01-31")


def test_case_40_a_serial_number_is_a_date_where_a_date_is_required() -> None:
    sheet = read_file("openpyxl-date-general.xlsx")
    assert sheet.located() == []
    assert sheet.claim["session_date"] == "2026-01-31"
    assert sheet.place_of("/session_date") == at(1, "D", "Night")


def test_case_40_a_serial_number_in_a_csv_file_is_refused_for_nobody_knows_its_first_day() -> None:
    assert found(read_file("serial.csv")) == [(1, "B", "ambiguous_date")]


def test_case_42_the_score_sheet_of_the_field_is_read_with_pipes_and_with_cells() -> None:
    for content in (FIELD_CSV, xlsx_bytes(sheet_rows(FIELD)), (FILES / "piped.txt").read_bytes()):
        sheet = read(content)
        assert sheet.located() == []
        assert sheet.claim == FIELD


def test_case_42_a_merged_title_other_order_totals_and_trailing_rows_are_no_hindrance() -> None:
    sheet = read_file("openpyxl-merged-title.xlsx")
    assert sheet.located() == []
    (only,) = sheet.claim["rounds"]
    assert [seat["email"] for seat in only["players"]] == [
        "alice@example.com",
        "bob@example.com",
        "carol@example.com",
    ]
    assert [seat["mahjongs"] for seat in only["players"]] == [2, 1, 1]
    assert points_of(sheet) == [125, 80, -205]
    assert sheet.place_of("/rounds/0/players/2/points") == at(8, "A", "Night")


def test_case_42_rounds_out_of_order_and_a_fifth_player_are_located_both_at_once() -> None:
    sheet = read_file("openpyxl-rounds-astray.xlsx")
    assert found(sheet) == [(8, None, "rounds_out_of_order"), (14, None, "too_many_players")]
    assert {each.place.sheet for each in sheet.located()} == {"Night"}


def test_case_44_what_is_exported_is_the_same_session_when_it_is_sent_again() -> None:
    claim = read_file("libreoffice.xlsx").claim
    for content in (csv_bytes(sheet_rows(claim)), xlsx_bytes(sheet_rows(claim))):
        again = read(content)
        assert again.located() == []
        assert again.claim == claim


def test_case_46_more_rounds_than_a_session_has_are_refused_at_the_row_at_which_to_split() -> None:
    assert found(read(rounds(150))) == [(304, None, "too_many_rounds")]


def test_case_46_ten_thousand_rounds_are_refused_without_reading_them_to_their_end() -> None:
    mistake = refusal(rounds(10_000))
    assert (mistake.code, mistake.place) == ("too_large", at(5_001))
    assert "send other sessions in separate files" in mistake.message


def test_case_46_a_file_of_50_mb_is_refused_before_it_is_read() -> None:
    content = night("a@x.example,2,50") + b"b@x.example,2,-50\r\n" * 3_000_000
    assert len(content) > 50_000_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert refusal(content).code == "too_large"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 10_000


def test_case_46_one_bad_row_at_the_end_is_found_and_nothing_else() -> None:
    begun = [f"ROUND {number},Games Played: 1,Wall Games: 0" for number in range(1, 101)]
    rows = [row for line in begun for row in (line, "a@x.example,1,5", "b@x.example,0,-5")]
    rows[-1] = "b@x.example,O,-5"
    content = lines("Date: 2026-01-31", "Game Type: League", "Player,Wins,Score", *rows)
    assert found(read(content)) == [(303, "B", "invalid_number")]


def rounds(count: int) -> bytes:
    """Return a sheet of so many rounds, whose first line stands in row 4."""
    head = ["Date: 2026-01-31", "Game Type: Social", "Player Email,Mahjongs"]
    one = ["ROUND | Games Played: 1 | Wall Games: 0", "a@x.example,1", "b@x.example,0"]
    return lines(*head, *one * count)
