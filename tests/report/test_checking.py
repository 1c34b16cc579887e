"""The same log gives the same bytes, and a check finds every byte that was altered."""

import random
from datetime import timedelta
from pathlib import Path

import orjson
import pytest

from services.report.checking import check_report
from services.report.folder import COUNTED, PAGE, REPORT, bytes_of, sha256_of, write_file
from services.report.page.whole import page_of
from shared.events.facts import FactEvent
from tests.cli.running import end_of, mahjic, start
from tests.log.adapters import LOG_ID, Logs, new_memory_logs
from tests.log.chances import seeded_chance
from tests.rater.stories import ADOPTED, a_round, a_session
from tests.report.conftest import MadeUpYears
from tests.report.made_up import YEAR, Dated, bodies_of, let_rate
from tests.report.years import NEXT_YEAR, logs_of, no_progress, report_of, some_counted

FILES = (COUNTED, PAGE, REPORT)


def a_small_year() -> list[Dated]:
    """Return a year that is read in no time."""
    people = [f"MJ-{at}" for at in range(8)]
    played = [
        a_session(a_round({people[at % 8]: 2, people[(at + 1 + at // 8) % 8]: 1}), name=f"s-{at}")
        for at in range(24)
    ]
    day = NEXT_YEAR - timedelta(days=200)
    facts: list[FactEvent] = [ADOPTED, *played]
    return [(day + timedelta(hours=at), each) for at, each in enumerate(facts)]


@pytest.fixture
async def small() -> Logs:
    logs = new_memory_logs()
    bodies = bodies_of(a_small_year())
    await let_rate(logs, bodies, len(bodies))
    return logs


@pytest.fixture
async def folder(small: Logs, tmp_path: Path) -> Path:
    """Return a folder with the report of a small year."""
    report = await report_of(small)
    content = bytes_of(report)
    write_file(tmp_path, COUNTED, some_counted())
    write_file(tmp_path, REPORT, content)
    write_file(tmp_path, PAGE, page_of(report, sha256_of(content)))
    return tmp_path


async def found_in(logs: Logs, folder: Path, year: int | None = None) -> str | None:
    return await check_report(await logs_of(logs), folder, year, no_progress)


async def test_whatever_byte_is_altered_is_found(small: Logs, folder: Path) -> None:
    assert await found_in(small, folder, YEAR) is None
    chance = seeded_chance()
    for name in FILES:
        file = folder / name
        whole = file.read_bytes()
        for _ in range(60):
            altered = bytearray(whole)
            at = chance.randrange(len(whole))
            altered[at] ^= chance.choice((1, 2, 16, 32, 128))
            file.write_bytes(altered)
            assert await found_in(small, folder) is not None, (
                name,
                at,
                bytes(altered[at : at + 9]),
            )
        for other in (whole[:-1], whole + b"\n", b""):
            file.write_bytes(other)
            assert await found_in(small, folder) is not None
        file.unlink()
        assert await found_in(small, folder) == f"{name} is missing."
        file.write_bytes(whole)
    assert await found_in(small, folder) is None


async def test_a_check_says_what_is_wrong_and_where(small: Logs, folder: Path) -> None:
    report = orjson.loads((folder / REPORT).read_bytes())
    assert await found_in(small, folder, 2025) == "report.json is of 2024, not of 2025."
    report["figures"]["played"]["total"]["games"] += 1
    (folder / REPORT).write_bytes(bytes_of(report))
    assert await found_in(small, folder) == (
        "report.json is not what the log gives: /figures/played/total/games is 73 there, and the "
        "log gives 72."
    )
    (folder / COUNTED).write_bytes(some_counted() + b" ")
    found = await found_in(small, folder)
    assert found == "figures.json is not the file whose hash report.json states."


async def test_another_log_gives_another_report(small: Logs, folder: Path) -> None:
    fewer = new_memory_logs()
    bodies = bodies_of(a_small_year())[:-1]
    await let_rate(fewer, bodies, len(bodies))
    found = await found_in(fewer, folder)
    assert found == "report.json stands on 25 verdicts, and the log here has 24."
    other = new_memory_logs("another-log")
    on = await logs_of(small)
    moved = type(on)(on.facts, on.verdicts, "another-log", on.verdicts_end)
    found = await check_report(moved, folder, None, no_progress)
    assert found == "report.json is of another log than the one here."
    assert await other.verdicts.last() is None


async def test_a_draft_stands_on_the_log_of_its_day(tmp_path: Path) -> None:
    bodies = bodies_of(a_small_year())
    logs = new_memory_logs()
    await let_rate(logs, bodies[:20], 20)
    report = await report_of(logs, so_far=True)
    content = bytes_of(report)
    page = page_of(report, sha256_of(content))
    assert b"A draft, not to be published." in page
    for name, written in zip(FILES, (some_counted(so_far=True), page, content), strict=True):
        write_file(tmp_path, name, written)
    await let_rate(logs, bodies[20:], len(bodies))
    assert await found_in(logs, tmp_path) is None
    # The months that have not come are not told.
    assert report["figures"]["mean_ratings"][-1]["month"] == 6


@pytest.fixture
def on_years(years: MadeUpYears, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands work on the made-up years."""
    monkeypatch.setenv("MAHJIC_DATABASE_URL", years.database.dsn)


@pytest.mark.usefixtures("on_years")
async def test_the_command_writes_the_same_bytes_twice(years: MadeUpYears, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    # With another order of sets than in this process.
    program = ("report", "--year", str(YEAR), "--out", str(one))
    environment = {"MAHJIC_DATABASE_URL": years.database.dsn, "PYTHONHASHSEED": "7"}
    written = await end_of(await start(*program, **environment))
    assert (written.exit_code, written.stderr) == (0, "")
    assert written.stdout == f"The report of {YEAR} is in {one / PAGE}.\n"
    two.mkdir()
    (two / COUNTED).write_bytes((one / COUNTED).read_bytes())
    again = await mahjic("report", "--year", str(YEAR), "--out", str(two))
    assert again.exit_code == 0, again.stderr
    assert sorted(each.name for each in two.iterdir()) == sorted(FILES)
    for name in FILES:
        assert (one / name).read_bytes() == (two / name).read_bytes()
    report = orjson.loads((one / REPORT).read_bytes())
    expected = await report_of(years.logs)
    assert report["figures"] == orjson.loads(bytes_of(expected["figures"]))
    checked = await mahjic("report", "--check", str(one))
    assert (checked.exit_code, checked.stderr) == (0, "")
    assert checked.stdout.startswith("The report is what the log gives, to the byte;")
    page = bytearray((one / PAGE).read_bytes())
    page[random.Random(5).randrange(len(page))] ^= 1
    (one / PAGE).write_bytes(page)
    differs = await mahjic("report", "--check", str(one))
    assert (differs.exit_code, differs.stdout) == (1, "")
    assert differs.stderr == "report.html does not show what report.json says.\n"


@pytest.mark.usefixtures("on_years")
async def test_the_command_refuses_what_it_cannot_do(tmp_path: Path) -> None:
    out = ("--out", str(tmp_path))
    (tmp_path / COUNTED).write_bytes(some_counted(2023))
    for arguments, code, words in (
        (("--year", "2024"), 2, "Give --year and --out"),
        (("--check", str(tmp_path), *out), 2, "Give it without --out"),
        (("--year", "9000", *out), 2, "year_not_over: 9000 is not over in UTC."),
        (("--year", "2024", "--so-far", *out), 2, "year_not_over: 2024 is over."),
        (("--year", "2024", *out), 2, "figures_of_another_report: figures.json is not of 2024"),
        (("--year", "2011", "--out", str(tmp_path / "new")), 1, "nothing_in_year: "),
        (("--check", str(tmp_path)), 1, "report.json is missing."),
        (("--check", str(tmp_path / "none")), 2, "none cannot be used: there is no such folder."),
    ):
        ended = await mahjic("report", *arguments)
        assert (ended.exit_code, ended.stdout) == (code, ""), arguments
        assert words in ended.stderr
    assert not (tmp_path / "new").exists()
    assert LOG_ID not in ended.stderr
