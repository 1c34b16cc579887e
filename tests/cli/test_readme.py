"""What the README says is so: its commands run as they stand there, its tables are complete."""

import asyncio
import json
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from services.cli.demo.league_night import LEAGUE_NIGHT
from shared.settings import Settings
from tests.cli.running import ROOT, without_settings
from tests.conftest import Database
from tests.processes import Served, serving

README = (ROOT / "README.md").read_text()
ADDRESS = "http://127.0.0.1:8000"
ALICE = "MJ-2ENHPGZP"
ALICE_OF_THE_PLATFORM = "MJ-7K3Q9XZM"
LEAGUE_SESSION, PLATFORM_SESSION = (f"ses_01M8FN8YJ2QJ6B3S0SKXQ01YQ{last}" for last in "QR")
END_S_MAX = 60.0
END_MARK = "-- that was all --"

# Worked out with a calculator, as docs/rating.md shows: all are new, so K is 32 and 0.5 is expected
# of everybody. Two wins are +32 and a draw is 0; a fiftieth of the points between two is added.
PLATFORM_CHANGES = {
    "alice@example.com": 38.0,  # 32 + 45/50 + 80/50 + 175/50
    "bob@example.com": 34.4,  # 32 - 45/50 + 35/50 + 130/50
    "carol@example.com": -16.4,  # -16 - 80/50 - 35/50 + 95/50
    "PRIVATE:dave@example.com": -56.0,  # -48 - 175/50 - 130/50 - 95/50
}
# The second round starts from the first one's ratings: see the tests of the demo.
LEAGUE_CHANGES = {
    "alice@ex.com": 63.4,
    "bob@ex.com": 2.4,
    "carol@ex.com": -0.4,
    "dave@ex.com": -56.0,
    "eve@ex.com": 55.27,
    "frank@ex.com": -30.33,
    "george@ex.com": -34.33,
}
# Without the second round, worked out in the same way.
CORRECTED_CHANGES = {
    "alice@ex.com": 54.0,  # 48 + 45/50 + 80/50 + 175/50
    "bob@ex.com": 2.4,
    "carol@ex.com": -0.4,
    "dave@ex.com": -56.0,
}


def blocks(heading: str, language: str) -> list[str]:
    """Return the blocks of code below a heading, up to the next one of its level."""
    (section,) = re.findall(rf"(?ms)^## {re.escape(heading)}$(.*?)(?=^## |\Z)", README)
    return re.findall(rf"(?ms)^```{language}$\n(.*?)^```$", section)


class Shell:
    """A shell in which the README's commands run one after the other, as in a person's terminal."""

    def __init__(self, process: asyncio.subprocess.Process, served: Served) -> None:
        self._process = process
        self._served = served

    async def run(self, commands: str, **replaced: str) -> str:
        """Run commands as they stand, but for what is replaced, and return what they print."""
        for before, after in {ADDRESS: self._served.url, **replaced}.items():
            commands = commands.replace(before, after)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{commands}\necho; echo {END_MARK}\n".encode())
        lines: list[str] = []
        async with asyncio.timeout(END_S_MAX):
            while line := (await self._process.stdout.readline()).decode():
                if line.strip() == END_MARK:
                    return "".join(lines)
                lines.append(line)
        raise AssertionError(f"A command failed: {await self.complaints()}")

    async def complaints(self) -> str:
        """Return what was written to stderr, once the shell has ended."""
        assert self._process.stderr is not None
        return (await self._process.stderr.read()).decode()


@asynccontextmanager
async def open_shell(served: Served, database: Database) -> AsyncIterator[Shell]:
    """Give a shell that stops at the first command that fails."""
    process = await asyncio.create_subprocess_exec(
        "sh",
        "-eu",
        cwd=ROOT,
        env=without_settings() | {"MAHJIC_DATABASE_URL": database.dsn, "MAHJIC_URL": served.url},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield Shell(process, served)
    finally:
        async with asyncio.timeout(END_S_MAX):
            await process.communicate(b"exit\n")


@pytest.mark.skipif(shutil.which("curl") is None, reason="The README submits with curl.")
async def test_the_commands_run_as_they_stand_there(database: Database) -> None:
    setting_up, platform, league = blocks("Submit", "sh")
    board, verify, player_and_why = blocks("Read", "sh")
    correction, merging, void = blocks("Correct", "sh")
    async with (
        serving({"MAHJIC_DATABASE_URL": database.dsn}) as served,
        open_shell(served, database) as shell,
    ):
        added = await shell.run(setting_up)
        assert added.count(" is added.") == 2
        taken_back = answer_of(await shell.run(platform), PLATFORM_CHANGES)
        night = answer_of(await shell.run(league), LEAGUE_CHANGES)
        ids = ids_of(night)

        alice = {ALICE: ids["alice@ex.com"]}
        assert '"players":[]' in await shell.run(board)
        verified = json.loads(await shell.run(verify, **alice))
        assert verified == {"player_id": ids["alice@ex.com"], "verified": True}

        shown = await shell.run(f"exec 2>&1\n{player_and_why}", **alice)
        (sample,) = blocks("Read", "text")
        assert len(figures(sample)) > 10
        assert figures(sample) <= figures(shown)

        sessions = {LEAGUE_SESSION: night["session_id"], PLATFORM_SESSION: taken_back["session_id"]}
        printed = await shell.run(f"exec 2>/dev/null\n{correction}", **sessions)
        effect = answer_of(printed, CORRECTED_CHANGES)["effect"]
        (sample,) = blocks("Correct", "json")
        told = json.loads(sample)["effect"]
        (told_alice,), changes = told.pop("changes"), effect.pop("changes")
        assert (len(changes), effect) == (4, told)
        told_alice |= dict.fromkeys(("player_id", "mahjic_id"), ids["alice@ex.com"])
        assert told_alice in changes

        alice |= {ALICE_OF_THE_PLATFORM: ids_of(taken_back)["alice@example.com"]}
        merged = await shell.run(f"exec 2>&1\n{merging}", **alice)
        assert " is read as " in merged
        assert " is no longer read as " in merged
        shown = await shell.run(void, **sessions)
        (sample,) = blocks("Correct", "text")
        assert len(figures(sample)) > 8
        assert figures(sample) <= figures(shown)
        assert sample.splitlines()[-1] in shown.splitlines()
    assert "@ex" not in served.log


def figures(text: str) -> set[str]:
    """Return the numbers with decimals in a text, without those that are part of an id."""
    return set(re.findall(r"(?<![\w.])[+-]?\d+\.\d+", text))


def answer_of(printed: str, expected: dict[str, float]) -> dict[str, Any]:
    """See that an answer is 201 with both ratings of everybody, and return it."""
    head, _, body = printed.replace("\r\n", "\n").partition("\n\n")
    assert head.splitlines()[0] == "HTTP/1.1 201 Created"
    answer: dict[str, Any] = json.loads(body)
    results = answer["results"]
    assert {each["player"]: each["rating_change"] for each in results} == expected
    assert {each["verified_rating_after"] for each in results} == {1500.0}
    (sample,) = blocks("Submit", "json")
    assert json.loads(sample)["results"][0].keys() == results[0].keys()
    return answer


def ids_of(answer: dict[str, Any]) -> dict[str, str]:
    """Return the Mahjic IDs of an answer, by what the players were submitted as."""
    return {each["player"]: each["mahjic_id"] for each in answer["results"]}


def test_the_demo_plays_the_league_night_of_the_readme() -> None:
    _, _, command = blocks("Submit", "sh")
    (body,) = re.findall(r"(?s)-d '(.*)'", command)
    assert json.loads(body) == LEAGUE_NIGHT


def test_every_setting_is_in_the_table_with_its_default() -> None:
    rows = re.findall(r"(?m)^\| `(MAHJIC_\w+)` \| (?:`(.*?)`)? ?\|", README)
    defaults = {
        f"MAHJIC_{name.upper()}": "" if field.default is None else str(field.default)
        for name, field in Settings.model_fields.items()
    }
    assert dict(rows) == defaults | {"MAHJIC_TRUSTED_PROXIES": "[]"}
    assert len(rows) == len(defaults)


def test_the_proxies_of_the_unit_are_a_setting_that_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (value,) = re.findall(r"`Environment='MAHJIC_TRUSTED_PROXIES=(.*?)'`", README)
    monkeypatch.setenv("MAHJIC_TRUSTED_PROXIES", value)
    assert [str(network) for network in Settings().trusted_proxies] == ["127.0.0.1/32"]


def test_every_route_of_the_table_is_in_the_contract() -> None:
    routes = set(re.findall(r"`(GET|POST|DELETE) (/v1/[^`]*)`", README))
    paths = json.loads((ROOT / "docs" / "openapi.json").read_text())["paths"]
    assert len(routes) > 15
    assert [each for each in sorted(routes) if each[0].lower() not in paths.get(each[1], {})] == []


def test_every_link_leads_somewhere() -> None:
    links = set(re.findall(r"\]\(([^)#]+)", README))
    assert len(links) >= 8
    assert [link for link in sorted(links) if not (ROOT / link).exists()] == []
