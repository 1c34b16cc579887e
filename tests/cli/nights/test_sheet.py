"""The commands about score sheets: what they send and show, and against a service that runs."""

import csv
import io
import re
from pathlib import Path

import openpyxl
import pytest

from shared.settings import Settings
from shared.sheets.limits import Limits
from shared.sheets.template import template_csv
from tests.cli.running import ROOT, Ended, mahjic
from tests.cli.scripted import ScriptedService, Told
from tests.conftest import Database
from tests.processes import serving

POINTS = (125, 80, 45, -50, 60, 110, 40, -10)
PEOPLE = ("alice", "bob", "carol", "dave", "eve", "frank", "george")
PROBLEM = "application/problem+json"
MISTAKES = {
    "type": "https://mahjic.org/docs/errors#invalid_sheet",
    "title": "The score sheet has mistakes",
    "status": 422,
    "code": "invalid_sheet",
    "detail": "2 mistakes found; nothing was recorded.",
    "errors": [
        {"sheet": "Night", "row": 7, "column": "B", "code": "invalid_number", "message": "No."},
        {"sheet": None, "row": None, "column": None, "code": "too_large", "message": "Too\nbig."},
    ],
}


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "anna@example.com.csv"
    path.write_bytes(b"Date: 2026-01-31")
    return str(path)


async def test_mistakes_are_a_table_of_cells(service: ScriptedService, file: str) -> None:
    service.told = [Told(422, MISTAKES, PROBLEM)]
    ended = await mahjic("sheet", file)
    assert ended.exit_code == 1
    assert ended.rows == [
        ["sheet", "row", "column", "what"],
        ["Night", "7", "B", "No."],
        ["-", "-", "-", "Too\\u000abig."],
    ]
    assert ended.stderr == "invalid_sheet: 2 mistakes found; nothing was recorded.\n"
    as_json = await mahjic("sheet", file, "--json")
    assert (as_json.exit_code, as_json.stdout) == (1, "")
    assert "  sheet Night, row 7, column B: invalid_number: No.\n" in as_json.stderr


async def test_a_file_is_sent_as_it_is_without_its_name(
    service: ScriptedService, file: str
) -> None:
    service.told = [Told(422, MISTAKES, PROBLEM)]
    await mahjic("sheet", file, "--dry-run", "--sheet", "Night 1&2", "--allow-duplicate")
    (asked,) = service.asked
    assert asked.path == "/v1/sheets?dry_run=true&sheet=Night+1%262&allow_duplicate=true"
    assert asked.body == b"Date: 2026-01-31"
    assert asked.headers["Content-Type"] == "application/octet-stream"
    assert "anna" not in str(asked.headers) + asked.path


async def test_the_same_file_has_the_same_key_and_another_question_another(
    service: ScriptedService, file: str
) -> None:
    service.told = [Told(422, MISTAKES, PROBLEM)]
    for options in ((), (), ("--sheet", "A"), ("--allow-duplicate",)):
        await mahjic("sheet", file, *options)
    keys = [asked.headers["Idempotency-Key"] for asked in service.asked]
    assert keys[0] == keys[1]
    assert len(set(keys)) == 3


@pytest.mark.parametrize("name", ["night", "night.xls", "night.txt"])
async def test_a_template_needs_a_name_that_says_what_it_is(tmp_path: Path, name: str) -> None:
    ended = await mahjic("template", str(tmp_path / name))
    assert (ended.exit_code, (tmp_path / name).exists()) == (1, False)
    assert "It must end in .xlsx or .csv." in ended.stderr


async def test_a_template_takes_no_file_s_place(tmp_path: Path) -> None:
    path = tmp_path / "night.csv"
    path.write_text("mine")
    ended = await mahjic("template", str(path))
    assert (ended.exit_code, path.read_text()) == (1, "mine")
    assert "Choose another name." in ended.stderr
    nowhere = await mahjic("template", str(tmp_path / "none" / "night.csv"))
    assert nowhere.exit_code == 1
    assert nowhere.stderr.startswith("unwritable_file: ")


def test_the_picture_in_the_document_is_the_template() -> None:
    page = (ROOT / "docs" / "sheets.md").read_text()
    drawn = re.findall(r"(?m)^ *\d+ │(.*)│(.*)│(.*)│$", page)
    rows = list(csv.reader(io.StringIO(template_csv().decode("utf-8-sig"))))
    assert [[cell.strip() for cell in row] for row in drawn] == [
        [*row, "", "", ""][:3] for row in rows
    ]


def test_the_document_tells_the_limits_of_a_file() -> None:
    page = " ".join((ROOT / "docs" / "sheets.md").read_text().split())
    limits = Limits()
    told = f"{limits.rows_max:,} rows, {limits.columns_max} columns and {limits.cells_max:,} cells "
    assert f"At most {Settings().sheet_bytes_max >> 20} MiB, {told}with something in them" in page


def fill_in(file: Path) -> None:
    """Write the points of the field over those of the example; the people stay the same."""
    points = dict(zip([*range(6, 10), *range(13, 17)], POINTS, strict=True))
    if file.suffix == ".xlsx":
        book = openpyxl.load_workbook(file)
        for row, value in points.items():
            book.worksheets[0][f"C{row}"] = value
        book.save(file)
        return
    write_cells(file, {(row, 2): str(value) for row, value in points.items()})


def write_cells(file: Path, cells: dict[tuple[int, int], str]) -> None:
    """Write over cells of a sheet in CSV: rows count from 1, as people see them, columns from 0."""
    rows = list(csv.reader(io.StringIO(file.read_text("utf-8-sig"))))
    for (row, column), value in cells.items():
        rows[row - 1][column] = value
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    file.write_text(out.getvalue())


async def both_templates(name: Path) -> list[Path]:
    """Write the template under a name in both forms, the workbook first."""
    files = [name.with_name(f"{name.name}{ending}") for ending in (".xlsx", ".csv")]
    for each in files:
        written = await mahjic("template", str(each))
        assert written.exit_code == 0, written.stderr
    return files


def assert_tried(tried: Ended) -> None:
    assert tried.exit_code == 0, tried.stderr
    assert tried.rows[0] == [
        "round", "player", "games_played", "mahjongs", "wall_games", "points",
    ]  # fmt: skip
    assert tried.rows[1] == ["1", "alice@example.com", "4", "2", "0", "125.00"]
    assert tried.rows[-1] == ["2", "george@example.com", "4", "0", "1", "-10.00"]
    assert "row 4: points_do_not_sum_to_zero" in tried.stderr
    assert "A league session of 2026-01-31. Nothing was recorded." in tried.stderr


async def test_a_template_is_filled_in_tried_and_submitted_to_a_service(
    own_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = await both_templates(tmp_path / "anna@example.com")
    workbook, text = map(str, files)
    async with serving({"MAHJIC_DATABASE_URL": own_database.dsn}) as served:
        await mahjic("source", "add", "columbus", "--name", "Columbus", "--type", "league")
        key = (await mahjic("key", "create", "columbus")).stdout.strip()
        monkeypatch.setenv("MAHJIC_URL", served.url)
        monkeypatch.setenv("MAHJIC_KEY", key)

        untouched = await mahjic("sheet", workbook)
        assert untouched.exit_code == 1
        assert [row[:3] for row in untouched.rows[1:3]] == [
            ["Score sheet", "6", "-"], ["Score sheet", "7", "-"],
        ]  # fmt: skip
        for each in files:
            fill_in(each)

        assert_tried(await mahjic("sheet", workbook, "--dry-run"))
        count = "SELECT count(*) FROM mahjic.submissions"
        assert await own_database.pool.fetchval(count) == 0

        submitted = await mahjic("sheet", workbook)
        again = await mahjic("sheet", workbook)
        as_csv = await mahjic("sheet", text)
        assert submitted.exit_code == 0, submitted.stderr
        assert "row 11: points_do_not_sum_to_zero" in submitted.stderr
        assert [row[0] for row in submitted.rows[1:]] == [f"{each}@example.com" for each in PEOPLE]
        assert submitted.stdout == again.stdout == as_csv.stdout
        assert await own_database.pool.fetchval(count) == 1

        write_cells(files[1], {(6, 0): "alice at example.com"})
        wrong = await mahjic("sheet", text)
        assert wrong.exit_code == 1
        assert [row[:3] for row in wrong.rows[1:]] == [["-", "6", "A"]]
        assert await own_database.pool.fetchval(count) == 1
        # What the interface says of an address, the command says of its own option.
        write_cells(files[1], {(6, 0): "alice@example.com", (9, 2): "-51"})
        twice = await mahjic("sheet", text)
        assert (twice.exit_code, "--allow-duplicate" in twice.stderr) == (1, True)
        assert "?" not in twice.stderr
    assert '"route":"/v1/sheets"' in served.log
    assert not [each for each in ("example.com", "anna", "alice") if each in served.log]
