"""The demo as a stranger meets it: it tells the truth, ends by itself, and leaves nothing."""

import asyncio
import contextlib
import os
import re
import shutil
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest

from services.cli.demo.people import BOB, PEOPLE
from services.cli.demo.season import Season, make_up_season
from tests.cli.running import PROGRAM, ROOT, without_settings

DEADLINE_S = 120.0
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
    """Return an empty folder for temporary folders, which every account may come to."""
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
        with contextlib.suppress(psutil.NoSuchProcess):
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


async def test_the_whole_story_is_told_and_true_whatever_the_settings_around_it(
    place: Path,
) -> None:
    demo = await Demo.start(
        place,
        *PROGRAM,
        "demo",
        "--seed",
        "7",
        MAHJIC_DATABASE_URL="postgresql://nobody@192.0.2.1/nowhere",
        MAHJIC_URL="http://192.0.2.1",
        MAHJIC_KEY="none",
        MAHJIC_PUBLIC_LIMIT_PER_MINUTE="1",
        HTTP_PROXY="http://192.0.2.1:9",
    )
    assert (await demo.end(), demo.told) == (0, "")
    assert nothing_is_left(place)

    night = table(chapter(demo.said, "A league night"))
    assert {row[0]: row[4] for row in night} == LEAGUE_NIGHT_CHANGES
    assert {row[2] for row in night} == {"1500.00"}
    assert all(Decimal(row[2]) + Decimal(row[4]) == Decimal(row[3]) for row in night)

    board = table(chapter(demo.said, "The leaderboard"))
    assert [row[0] for row in board] == [str(place) for place in range(1, 11)]
    ratings = [Decimal(row[2]) for row in board]
    assert ratings == sorted(ratings, reverse=True)
    assert len({row[1] for row in board}) == 10

    player = " ".join(chapter(demo.said, "A player"))
    assert night[0][1] in player
    assert "┤" in player
    assert "2026-01-31" in player

    check_reason(chapter(demo.said, "Why did it change?"))
    assert "made up from seed 7" in " ".join(chapter(demo.said, "A season"))

    # Who is private or anonymous is seen by the source alone, and here by nobody.
    assert re.search(r"tess|lucky|joker", demo.said, re.IGNORECASE) is None
    assert "mjk_" not in demo.said


def check_reason(lines: Sequence[str]) -> None:
    """See that the gains add up to the change, to the last digit."""
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
        written = await asyncio.to_thread(_read_terminal, ours)
        assert await process.wait() == 0
    os.close(ours)
    assert "Playing" in written  # The bar that is gone at the end.

    shown = _without_bars(written)
    too_long = [line for line in shown if len(line) > 44 and not line.startswith("  ")]
    assert too_long == []
    for title in ("A league night", "The leaderboard", "A player", "Where to go next"):
        assert any(line.startswith(f"{title} ─") for line in shown)
    assert sum("= change" in line for line in shown) == 1
    assert nothing_is_left(place)


def _read_terminal(descriptor: int) -> str:
    written = bytearray()
    # Linux tells the end of a terminal as an error.
    with contextlib.suppress(OSError):
        while part := os.read(descriptor, 1 << 12):
            written += part
    return written.decode()


def _without_bars(written: str) -> list[str]:
    """Return the lines that stay on the screen, without their colours."""
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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
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
            os.kill(demo.process.pid, signal.SIGHUP)
        await asyncio.sleep(LOOK_S)
    assert await demo.end() == 128 + signal.SIGHUP
    assert demo.told == "Interrupted. The service has stopped, and its folder is gone.\n"
    assert nothing_is_left(place)


async def test_a_service_that_dies_is_told_with_the_end_of_its_log(place: Path) -> None:
    demo = await Demo.start(place)
    await demo.until(lambda: b"A season" in demo.stdout)
    demo.service.kill()
    assert await demo.end() == 1
    *log, error = demo.told.splitlines()
    assert log[0] == "The service's log ends with:"
    assert any("Mahjic serves on http://127.0.0.1:" in line for line in log)
    assert error == "demo_failed: The service ended by itself, with exit code -9."
    assert "Traceback" not in demo.told
    assert nothing_is_left(place)


@pytest.mark.parametrize("seed", range(8))
def test_every_season_keeps_the_rules_of_a_claim(seed: int) -> None:
    season = make_up_season(seed)
    days = [session.session_date for session in season.sessions]
    assert days == sorted(set(days))  # So that no two sessions can be duplicates.
    assert date(2026, 1, 31) < days[0]
    assert days[-1] < date(2026, 7, 1)
    assert {session.game_type for session in season.sessions} == {"social", "league", "tournament"}
    assert len({session.source for session in season.sessions}) == 3
    for session in season.sessions:
        assert 1 <= len(session.rounds) <= 100
        for each in session.rounds:
            _check_round(each, has_points=session.game_type != "social")


def _check_round(each: dict[str, Any], *, has_points: bool) -> None:
    players = each["players"]
    assert 2 <= len(players) <= 4
    assert len({player["email"] for player in players}) == len(players)
    assert len([player for player in players if player["email"] != BOB]) >= 2
    (games,) = {player["games_played"] for player in players}
    assert sum(player["mahjongs"] for player in players) + each["wall_games"] == games
    assert min(each["wall_games"], *(player["mahjongs"] for player in players)) >= 0
    assert all(("points" in player) == has_points for player in players)
    assert sum(player.get("points", 0) for player in players) == 0


def test_a_seed_gives_its_season_again_and_another_seed_another_one() -> None:
    assert make_up_season(3) == make_up_season(3)
    assert make_up_season(3) != make_up_season(4)


@pytest.mark.parametrize("seed", range(8))
def test_the_stronger_half_wins_more_often(seed: int) -> None:
    season = make_up_season(seed)
    people = sorted((each.submitted_as for each in PEOPLE), key=season.strengths.__getitem__)
    won, played = _counts(season)
    weak, strong = people[:15], people[15:]
    assert _rate(strong, won, played) > _rate(weak, won, played)


def _counts(season: Season) -> tuple[Counter[str], Counter[str]]:
    won, played = Counter[str](), Counter[str]()
    for session in season.sessions:
        for each in session.rounds:
            for player in each["players"]:
                won[player["email"]] += player["mahjongs"]
                played[player["email"]] += player["games_played"]
    return won, played


def _rate(people: Sequence[str], won: Counter[str], played: Counter[str]) -> Fraction:
    return Fraction(sum(won[who] for who in people), sum(played[who] for who in people))
