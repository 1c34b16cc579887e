"""`make demo-kafka` shows the numbers of `mahjic demo` to the last digit, and leaves nothing.

What differs by chance is replaced by what it stands for: a Mahjic ID by its person, the id of a
session by its place. A cursor, which hides an id, counts as one only.
"""

import asyncio
import contextlib
import json
import re
import signal
import sys
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import psutil  # type: ignore[import-untyped]
import pytest

from services.cli.demo.command import run_demo
from services.cli.demo.people import PEOPLE
from services.cli.demo.served import EMBEDDED, TemporaryService
from services.cli.demo.story import Story
from services.projections.history.answers import Change, Why
from services.projections.leaderboards.answers import Board
from services.projections.profiles.answers import Profile
from shared.answers import SessionAnswer
from tests.cli.pages.test_demo import Demo, nothing_is_left, temporary_place
from tests.kafka.fixtures import not_tried
from tests.kafka.tools import KafkaMissing, find_java, kafka_jars
from tests.kafka_demo.__main__ import ON_KAFKA, WORK, StoryOnKafka
from tests.whole.kafka.kafka_site import ROLES

# The demos are played inside the test.
pytestmark = pytest.mark.starts_servers
SEED = 1
COMMAND = (sys.executable, "-m", "tests.kafka_demo")
INTERRUPTED = "Interrupted. The service has stopped, and its folder is gone.\n"
ENDS_S_MAX = 20.0


@pytest.fixture(scope="module", autouse=True)
def has_kafka() -> None:
    try:
        find_java()
        kafka_jars()
    except KafkaMissing as missing:
        not_tried(missing)


class Witness(Story):
    """Keeps all that the story is told, and looks everybody up before the service is gone."""

    def __init__(self) -> None:
        super().__init__()
        self.url = ""
        self.told: list[Any] = []
        self.seen: list[Any] = []
        self.names: dict[str, str] = {}

    def tell_service(self, service: TemporaryService, took_s: float) -> None:
        super().tell_service(service, took_s)
        self.url = service.url

    def tell_league_night(self, answer: SessionAnswer) -> None:
        super().tell_league_night(answer)
        self.told.append(answer)

    def tell_board(
        self, board: Board, strengths: Mapping[str, float], mahjic_ids: Mapping[str, str]
    ) -> None:
        super().tell_board(board, strengths, mahjic_ids)
        self.told.append(board)
        self.names = {mahjic_id: person for person, mahjic_id in mahjic_ids.items()}
        self.seen = look_up_everybody(self.url, mahjic_ids)

    def tell_player(self, profile: Profile, newest_first: Sequence[Change]) -> None:
        super().tell_player(profile, newest_first)
        self.told.append(profile)
        self.told += newest_first

    def tell_why(self, reason: Why) -> None:
        super().tell_why(reason)
        self.told.append(reason)


class WitnessOnKafka(Witness, StoryOnKafka):
    """The same for the other story."""


def look_up_everybody(url: str, mahjic_ids: Mapping[str, str]) -> list[Any]:
    """Return the whole board, and every change of everybody public."""
    public = [mahjic_ids[each.submitted_as] for each in PEOPLE if each.is_public]
    # No more than these, for the public is held to 60 requests a minute here.
    paths = ["/v1/leaderboard?limit=100"]
    paths += [f"/v1/players/{player_id}/history?limit=200" for player_id in public]
    with httpx.Client(base_url=url, timeout=60, trust_env=False) as client:
        answers = [client.get(path) for path in paths]
    assert {answer.status_code for answer in answers} == {200}
    return [json.loads(answer.text, parse_float=Decimal) for answer in answers]


class ByPerson:
    """Puts what ids stand for in their place."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._sessions: dict[str, str] = {}

    def said(self, shown: Any) -> Any:
        """Return something that was shown, without what each run draws anew."""
        if isinstance(shown, dict):
            cursors = {key: shown[key] is not None for key in shown if key == "next_cursor"}
            return {key: self.said(value) for key, value in shown.items()} | cursors
        if isinstance(shown, list):
            return [self.said(each) for each in shown]
        return self._text(shown) if isinstance(shown, str) else shown

    def _text(self, text: str) -> str:
        if text.startswith("ses_"):
            return self._sessions.setdefault(text, f"session {len(self._sessions)}")
        return re.sub(r"MJ-[0-9A-Z]{8}", lambda found: self._names[found[0]], text)


def test_both_demos_show_the_same_to_the_last_digit(capsys: pytest.CaptureFixture[str]) -> None:
    one, many = Witness(), WitnessOnKafka()
    run_demo(SEED, EMBEDDED, one)
    text_of_one = capsys.readouterr().out
    run_demo(SEED, ON_KAFKA, many)
    text_of_many = capsys.readouterr().out

    assert set(one.names.values()) == set(many.names.values())
    assert not set(one.names) & set(many.names) - {"BOB"}
    by_person, by_person_of_many = ByPerson(one.names), ByPerson(many.names)
    assert by_person_of_many.said(many.told) == by_person.said(one.told)
    assert by_person_of_many.said(many.seen) == by_person.said(one.seen)
    changes = sum(len(page["changes"]) for page in one.seen if "changes" in page)
    assert changes > 1000
    assert chapters(text_of_many, by_person_of_many) == chapters(text_of_one, by_person)
    assert all(name in text_of_many for name in WORK)


def chapters(said: str, by_person: ByPerson) -> list[str]:
    """Return the words of the chapters with numbers, as they are wrapped for any names."""
    start, end = said.index("A league night ─"), said.index("Where to go next ─")
    # How long it took is chance too.
    text = re.sub(r"\d+\.\d s;", "", " ".join(said[start:end].split()))
    return str(by_person.said(text)).split()


async def started(place: Path) -> Demo:
    return await Demo.start(place, *COMMAND)


def processes_of(demo: Demo) -> list[psutil.Process]:
    """Return every process that the demo has started by now."""
    found: list[psutil.Process] = psutil.Process(demo.process.pid).children(recursive=True)
    return found


def command_of(process: psutil.Process) -> str:
    with contextlib.suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
        return " ".join(process.cmdline())
    return ""


async def assert_nothing_is_left(place: Path, processes: Sequence[psutil.Process]) -> None:
    _, alive = await asyncio.to_thread(psutil.wait_procs, processes, ENDS_S_MAX)
    assert alive == []
    assert nothing_is_left(place)


async def test_interrupted_while_it_starts_it_cleans_up() -> None:
    with temporary_place() as place:
        demo = await started(place)
        await demo.until(
            lambda: any("kafka.Kafka" in command_of(each) for each in processes_of(demo))
        )
        processes = processes_of(demo)
        demo.process.send_signal(signal.SIGINT)
        assert await demo.end() == 128 + signal.SIGINT
        assert demo.told == INTERRUPTED
        await assert_nothing_is_left(place, processes)


async def test_interrupted_while_it_plays_it_cleans_up() -> None:
    with temporary_place() as place:
        demo = await started(place)
        await demo.until(lambda: b"A season" in demo.stdout)
        processes = processes_of(demo)
        commands = [command_of(each) for each in processes]
        assert sum("kafka.Kafka" in command for command in commands) == 1
        for role in ROLES:
            assert sum(f"services.cli {role} " in command for command in commands) == 1
        demo.process.send_signal(signal.SIGTERM)
        assert await demo.end() == 128 + signal.SIGTERM
        assert demo.told == INTERRUPTED
        await assert_nothing_is_left(place, processes)


@pytest.mark.parametrize(
    ("victim", "reason"),
    [
        ("services.cli rater ", "exit code 1."),
        ("tests.kafka_demo.service", "exit code -9."),
    ],
)
async def test_a_process_that_dies_is_told_and_nothing_is_left(victim: str, reason: str) -> None:
    with temporary_place() as place:
        demo = await started(place)
        await demo.until(lambda: b"A season" in demo.stdout)
        processes = processes_of(demo)
        (killed,) = [each for each in processes if victim in command_of(each)]
        killed.kill()
        assert await demo.end() == 1
        assert demo.told.splitlines()[0] == "The service's log ends with:"
        assert demo.told.endswith(f"demo_failed: The service stopped on its own, with {reason}\n")
        await assert_nothing_is_left(place, processes)
