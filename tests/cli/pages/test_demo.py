"""The demo as a stranger meets it: it tells the truth, ends by itself, and leaves nothing."""

import asyncio
import contextlib
import os
import re
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

import httpx
import psutil  # type: ignore[import-untyped]
import pytest

from tests.cli.running import PROGRAM, ROOT, without_settings

PAGE = (ROOT / "docs" / "players.md").read_text()
DEADLINE_S = 240.0
LOOK_S = 0.01

# Worked out with a calculator, as docs/rating.md shows. All start at 1500 with K 32, so in the
# first round each win is +16, each draw 0, each loss -16; and a fiftieth of the points between two
# is added, 5 at most. Alice: 3 x 16 + 45/50 + 80/50 + 175/50 = +54.00. In the second round she is
# expected to score 1 / (1 + 10^(-54/400)) = 0.57710 against each of three at 1500, and scores 2:
# 32 x (2 - 3 x 0.57710) + (-50 + 20 + 70)/50 = +9.40.
LEAGUE_NIGHT_CHANGES = {
    "alice@ex.com": "+63.40",
    "bob@ex.com": "+2.40",
    "carol@ex.com": "-0.40",
    "dave@ex.com": "-56.00",
    "eve@ex.com": "+55.27",
    "frank@ex.com": "-30.33",
    "george@ex.com": "-34.33",
}


@dataclass(slots=True)
class Demo:
    """A demo that runs, the place where it makes its folder, and what it has written so far."""

    process: asyncio.subprocess.Process
    place: Path
    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    _readers: list["asyncio.Task[None]"] = field(default_factory=list)

    @classmethod
    async def start(cls, place: Path, *command: str, **environment: str) -> "Demo":
        """Start it; its temporary folder will be in `place`."""
        process = await asyncio.create_subprocess_exec(
            *(command or (*PROGRAM, "demo")),
            cwd=ROOT,
            env=without_settings() | {"TMPDIR": str(place)} | environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        demo = cls(process, place)
        for stream, text in ((process.stdout, demo.stdout), (process.stderr, demo.stderr)):
            assert stream is not None
            demo._readers.append(asyncio.create_task(_collect(stream, text)))
        return demo

    async def until(self, is_so: Callable[[], object]) -> None:
        """Wait until something is so, as long as the demo runs."""
        async with asyncio.timeout(DEADLINE_S):
            while not is_so():
                assert self.process.returncode is None, self.told
                await asyncio.sleep(LOOK_S)

    async def end(self) -> int:
        """Wait for its end, and return its exit code."""
        async with asyncio.timeout(DEADLINE_S):
            code = await self.process.wait()
            await asyncio.gather(*self._readers)
        return code

    @property
    def said(self) -> str:
        """All that it wrote for whoever asked for it."""
        return self.stdout.decode()

    @property
    def told(self) -> str:
        """What it wrote beside that."""
        return self.stderr.decode()

    @property
    def service(self) -> psutil.Process:
        """The service that it runs."""
        (child,) = psutil.Process(self.process.pid).children()
        return child


async def _collect(stream: asyncio.StreamReader, text: bytearray) -> None:
    while part := await stream.read(1 << 12):
        text += part


@pytest.fixture
def place() -> Iterator[Path]:
    """Return a place for the temporary folders of one test."""
    with temporary_place() as folder:
        yield folder


@contextlib.contextmanager
def temporary_place() -> Iterator[Path]:
    """Give an empty folder for temporary folders, which every account may come to."""
    folder = Path(tempfile.mkdtemp(prefix="mahjic-tests-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    # Whoever left something has failed its test already; nobody else is to stumble over it.
    for process in _left_running(folder):
        process.kill()
    shutil.rmtree(folder)


def _left_running(place: Path) -> list[psutil.Process]:
    """Return the processes that were started on something in a folder."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            if any(word.startswith(f"{place}/") for word in process.cmdline()):
                found.append(process)
    return found


def nothing_is_left(place: Path) -> bool:
    """Tell whether the demo removed all that it had made; PostgreSQL's helpers end a bit later."""
    assert _left_running(place) == []
    return list(place.iterdir()) == []


def chapter(said: str, title: str) -> list[str]:
    """Return the lines below a heading, up to the next one."""
    pattern = rf"(?ms)^{re.escape(title)} ─+\n(.*?)(?=^\w[^\n]* ─+$|\Z)"
    (found,) = re.findall(pattern, said)
    return [line.rstrip() for line in str(found).splitlines()]


def table(lines: Sequence[str]) -> list[list[str]]:
    """Return the cells of the table among some lines, without its head."""
    start = next(number for number, line in enumerate(lines) if line.startswith(" ────"))
    rows = lines[start + 1 :]
    return [re.split(r" {2,}", line.strip()) for line in rows[: rows.index("")]]


@pytest.fixture(scope="module")
async def story() -> AsyncIterator[str]:
    """Return what the demo says, among settings that are wrong for it and do not matter."""
    with temporary_place() as place:
        demo = await Demo.start(
            place,
            MAHJIC_DATABASE_URL="postgresql://nobody@192.0.2.1/nowhere",
            MAHJIC_URL="http://192.0.2.1",
            MAHJIC_KEY="none",
            MAHJIC_PUBLIC_LIMIT_PER_MINUTE="1",
            HTTP_PROXY="http://192.0.2.1:9",
        )
        assert (await demo.end(), demo.told) == (0, "")
        assert nothing_is_left(place)
        yield demo.said


async def test_the_league_night_is_rated_as_by_hand(story: str) -> None:
    night = table(chapter(story, "A league night"))
    assert {row[0]: row[4] for row in night} == LEAGUE_NIGHT_CHANGES
    assert {row[2] for row in night} == {"1500.00"}
    assert all(Decimal(row[2]) + Decimal(row[4]) == Decimal(row[3]) for row in night)


async def test_the_board_is_full_and_in_order(story: str) -> None:
    board = table(chapter(story, "The leaderboard"))
    assert [row[0] for row in board] == [str(place) for place in range(1, 11)]
    ratings = [Decimal(row[2]) for row in board]
    assert ratings == sorted(ratings, reverse=True)
    assert len({row[1] for row in board}) == 10


async def test_the_player_is_the_first_of_the_league_night(story: str) -> None:
    alice = table(chapter(story, "A league night"))[0][1]
    shown = chapter(story, "A player")
    assert shown[1].startswith(f"{alice} is Alice from the league night: verified, place ")
    assert sum("┤" in line for line in shown) == 9
    assert shown[-2].split() == ["2026-01-31", "2026-05-23"]


async def test_the_reason_adds_up_exactly(story: str) -> None:
    lines = chapter(story, "Why did it change?")
    gains = {row[0]: Decimal(row[-1]) for row in table(lines)}
    change, total = gains.pop("= change"), gains.pop("= sum")
    rounding = gains.pop("+ rounding")
    assert 1 <= len(gains) <= 3
    assert sum(gains.values()) == total
    assert total + rounding == change
    moved = re.search(r"by ([+-]?[\d.]+), from ([\d.]+) to ([\d.]+)\.", " ".join(lines))
    assert moved is not None
    by, before, after = map(Decimal, moved.groups())
    assert by == change
    assert before + by == after


async def test_who_is_private_is_seen_by_the_source_alone(story: str) -> None:
    assert re.search(r"tess|lucky|joker", story, re.IGNORECASE) is None
    assert "mjk_" not in story


async def test_the_readme_shows_what_it_prints(story: str) -> None:
    (sample,) = re.findall(
        r"(?ms)^## A season, as `make demo` shows it$.*?^```text$\n(.*?)^```$", PAGE
    )
    shown = [_without_chance(line) for line in sample.splitlines() if line not in {"", " ..."}]
    printed = iter([_without_chance(line) for line in story.splitlines()])
    assert len(shown) > 30
    # In the same order; `in` reads on from where it found the line before.
    assert [line for line in shown if line not in printed] == []


def _without_chance(line: str) -> str:
    """Return a line without the ids that each run draws anew."""
    return re.sub(r"MJ-[0-9A-Z]{8}", "MJ-", line).rstrip()


async def test_a_narrow_terminal_gets_it_all_in_lines_that_fit(place: Path) -> None:
    ours, theirs = os.openpty()
    process = await asyncio.create_subprocess_exec(
        *PROGRAM,
        "demo",
        cwd=ROOT,
        env=without_settings() | {"TMPDIR": str(place), "TERM": "xterm", "COLUMNS": "44"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    async with asyncio.timeout(DEADLINE_S):
        seen = await asyncio.to_thread(_read_terminal, ours, "until you press Enter.")
        (address,) = re.findall(r"http://localhost:\d+", seen)
        async with httpx.AsyncClient(trust_env=False) as client:
            page = await client.get(f"{address}/leaderboard", headers={"Accept": "text/html"})
        assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
        os.write(ours, b"\n")
        written = seen + await asyncio.to_thread(_read_terminal, ours)
        assert await process.wait() == 0
    os.close(ours)
    assert "Playing" in written  # The bar that is gone at the end.

    shown = _without_bars(written)
    too_long = [line for line in shown if len(line) > 44 and not line.startswith("  ")]
    assert too_long == []
    for title in ("A league night", "The leaderboard", "A player", "The site", "Where to go next"):
        assert any(line.startswith(f"{title} ─") for line in shown)
    assert sum("= change" in line for line in shown) == 1
    assert nothing_is_left(place)


def _read_terminal(descriptor: int, until: str | None = None) -> str:
    """Return what is written, up to some words in whatever lines, or to the end."""
    written = bytearray()
    # Linux tells the end of a terminal as an error.
    with contextlib.suppress(OSError):
        while part := os.read(descriptor, 1 << 12):
            written += part
            if until is not None and until in " ".join(written.decode(errors="replace").split()):
                break
    return written.decode()


def _without_bars(written: str) -> list[str]:
    """Return the lines that stay on the screen, without their colors."""
    lines = [line.rstrip("\r") for line in written.split("\n")]
    stays = [line for line in lines if "\x1b[2K" not in line]
    return [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line).rstrip() for line in stays]


async def test_without_a_stdout_it_works_as_well(place: Path) -> None:
    demo = await Demo.start(place, "sh", "-c", 'exec "$@" >&-', "sh", *PROGRAM, "demo")
    assert (await demo.end(), demo.said, demo.told) == (0, "", "")
    assert nothing_is_left(place)


async def test_a_reader_who_has_seen_enough_ends_it(place: Path) -> None:
    demo = await Demo.start(place, "sh", "-c", '"$@" | head -n 1', "sh", *PROGRAM, "demo")
    await demo.end()
    assert len(demo.said.splitlines()) == 1
    assert demo.told == ""
    assert nothing_is_left(place)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
async def test_interrupted_while_it_starts_it_cleans_up(place: Path, number: int) -> None:
    demo = await Demo.start(place)
    await demo.until(lambda: any(place.glob("*/service.log")))
    demo.process.send_signal(number)
    assert await demo.end() == 128 + number
    assert demo.told == "Interrupted. The service has stopped, and its folder is gone.\n"
    assert nothing_is_left(place)


async def test_interrupted_again_and_again_while_it_plays_it_cleans_up_once(place: Path) -> None:
    demo = await Demo.start(place)
    await demo.until(lambda: b"A season" in demo.stdout)
    while demo.process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(demo.process.pid, signal.SIGTERM)
        await asyncio.sleep(LOOK_S)
    assert await demo.end() == 128 + signal.SIGTERM
    assert demo.told == "Interrupted. The service has stopped, and its folder is gone.\n"
    assert nothing_is_left(place)


async def test_a_service_that_dies_is_told_with_the_end_of_its_log(place: Path) -> None:
    demo = await Demo.start(place)
    await demo.until(lambda: b"A season" in demo.stdout)
    demo.service.kill()
    assert await demo.end() == 1
    *log, error = demo.told.splitlines()
    assert log[0] == "The service's log ends with:"
    (port,) = re.findall(r"Mahjic serves on http://127\.0\.0\.1:(\d+)", "\n".join(log))
    assert any(f"Its site is at http://localhost:{port}" in line for line in log)
    assert error == "demo_failed: The service stopped on its own, with exit code -9."
    assert "Traceback" not in demo.told
    assert nothing_is_left(place)
