"""What README and pages say is so: their commands run as they stand there, their links lead on."""

import asyncio
import json
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from services.cli.app import COMMANDS, GROUPS
from services.cli.demo.league_night import LEAGUE_NIGHT
from shared.settings import Settings
from tests.cli.running import ROOT, without_settings
from tests.folders import open_folder
from tests.pages import pages, setting_comments, wrapped
from tests.processes import Served, serving

DOCS = ROOT / "docs"
README = ROOT / "README.md"
PLATFORMS, PLAYERS, RUNNING = (DOCS / f"{name}.md" for name in ("platforms", "players", "running"))
TRIAL = "$HOME/mahjic-trial"
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


def blocks(page: Path, heading: str, language: str) -> list[str]:
    """Return the blocks of code below a heading, up to the next one of its level."""
    (section,) = re.findall(rf"(?ms)^## {re.escape(heading)}$(.*?)(?=^## |\Z)", page.read_text())
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
async def open_shell(served: Served) -> AsyncIterator[Shell]:
    """Give a shell that stops at the first command that fails."""
    process = await asyncio.create_subprocess_exec(
        "sh",
        "-eu",
        cwd=ROOT,
        env=without_settings() | {"MAHJIC_URL": served.url},
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
async def test_the_commands_run_as_they_stand_there() -> None:
    folder = open_folder()
    data = str(folder / "trial")
    async with serving({"MAHJIC_DATA": data}) as served, open_shell(served) as shell:
        assert f"The folder {data} holds no Mahjic yet: making one there" in served.log
        taken_back, night = await submit_sessions(shell, data)
        ids = ids_of(night)
        await verify_alice(shell, ids["alice@ex.com"])
        sessions = {LEAGUE_SESSION: night["session_id"], PLATFORM_SESSION: taken_back["session_id"]}
        await correct_a_session(shell, sessions, ids["alice@ex.com"])
        (merging,) = blocks(RUNNING, "What comes up", "sh")
        alice = {
            ALICE: ids["alice@ex.com"],
            ALICE_OF_THE_PLATFORM: ids_of(taken_back)["alice@example.com"],
        }
        merged = await shell.run(f"exec 2>&1\n{merging}", **alice)
        assert " is merged into " in merged
        assert " is no longer merged into " in merged
        await void_a_session(shell, sessions)
    assert "@ex" not in served.log
    await asyncio.to_thread(shutil.rmtree, folder)


async def submit_sessions(shell: Shell, data: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Submit as the README and the page for platforms do, and return both answers."""
    setting_up, platform = blocks(README, "Submit a session", "sh")
    added = await shell.run(setting_up, **{TRIAL: data})
    taken_back = answer_of(await shell.run(platform), PLATFORM_CHANGES)
    (sample,) = blocks(README, "Submit a session", "json")
    assert like(taken_back, json.loads(sample))
    (board,) = blocks(README, "Read", "sh")
    assert '"players":[]' in await shell.run(board)

    second_source, league = blocks(PLATFORMS, "A session with several rounds", "sh")
    added += await shell.run(second_source)
    assert added.count(" is added.") == 2
    night = answer_of(await shell.run(league), LEAGUE_CHANGES)
    (sample,) = blocks(PLATFORMS, "A session with several rounds", "json")
    assert like(night, json.loads(sample))
    return taken_back, night


async def verify_alice(shell: Shell, alice: str) -> None:
    """Verify her, and look at her and her last change, as the page for players does."""
    (verify,) = blocks(PLAYERS, "Verified", "sh")
    verified = await shell.run(verify, **{ALICE: alice})
    assert verified.startswith(f"{alice} is Verified from here on.")
    (player_and_why,) = blocks(PLAYERS, "A player, and why a round moved the rating", "sh")
    shown = await shell.run(f"exec 2>&1\n{player_and_why}", **{ALICE: alice})
    (sample,) = blocks(PLAYERS, "A player, and why a round moved the rating", "text")
    assert len(figures(sample)) > 10
    assert figures(sample) <= figures(shown)


async def correct_a_session(shell: Shell, sessions: dict[str, str], alice: str) -> None:
    correction, _ = blocks(PLATFORMS, "Correct", "sh")
    printed = await shell.run(f"exec 2>/dev/null\n{correction}", **sessions)
    effect = answer_of(printed, CORRECTED_CHANGES)["effect"]
    (sample,) = blocks(PLATFORMS, "Correct", "json")
    told = json.loads(sample)["effect"]
    (told_alice,), changes = told.pop("changes"), effect.pop("changes")
    assert (len(changes), effect) == (4, told)
    told_alice |= dict.fromkeys(("player_id", "mahjic_id"), alice)
    assert any(told_alice.items() <= change.items() for change in changes)


async def void_a_session(shell: Shell, sessions: dict[str, str]) -> None:
    _, void = blocks(PLATFORMS, "Correct", "sh")
    shown = await shell.run(void, **sessions)
    (sample,) = blocks(PLATFORMS, "Correct", "text")
    assert len(figures(sample)) > 8
    assert figures(sample) <= figures(shown)
    assert sample.splitlines()[-1] in shown.splitlines()


def like(answer: dict[str, Any], sample: dict[str, Any]) -> bool:
    """Tell whether a sample is the beginning of an answer, but for its ids."""
    (shown,), first = sample["results"], answer["results"][0]
    same = {name: value for name, value in shown.items() if not name.endswith("_id")}
    return (
        sample.keys() <= answer.keys()
        and shown.keys() == first.keys()
        and (same.items() <= first.items())
    )


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
    return answer


def ids_of(answer: dict[str, Any]) -> dict[str, str]:
    """Return the Mahjic IDs of an answer, by what the players were submitted as."""
    return {each["player"]: each["mahjic_id"] for each in answer["results"]}


def test_the_demo_plays_the_league_night_of_the_page() -> None:
    _, command = blocks(PLATFORMS, "A session with several rounds", "sh")
    (body,) = re.findall(r"(?s)-d '(.*)'", command)
    assert json.loads(body) == LEAGUE_NIGHT


def test_every_setting_has_a_comment_that_the_page_shows() -> None:
    comments = setting_comments()
    assert comments.keys() == Settings.model_fields.keys()
    assert [name for name, comment in comments.items() if not comment.endswith(".")] == []


def test_the_proxies_of_the_unit_are_a_setting_that_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (value,) = re.findall(r"`Environment='MAHJIC_TRUSTED_PROXIES=(.*?)'`", RUNNING.read_text())
    monkeypatch.setenv("MAHJIC_TRUSTED_PROXIES", value)
    assert [str(network) for network in Settings().trusted_proxies] == ["127.0.0.1/32"]


def test_the_page_of_routes_lists_each_and_the_page_of_commands_too() -> None:
    paths = json.loads((DOCS / "openapi.json").read_text())["paths"]
    routes = re.findall(r"`([A-Z]+) (/[^`]*)`", (DOCS / "routes.md").read_text())
    listed = sorted((method.lower(), path) for method, path in routes)
    assert listed == sorted((method, path) for path, told in paths.items() for method in told)
    commands = re.findall(r"(?m)^\| `mahjic ([^`]*)`", (DOCS / "commands.md").read_text())
    grouped = [f"{group} {name}" for group, (_, places) in GROUPS.items() for name in places]
    assert sorted(commands) == sorted([*COMMANDS, *grouped])


def test_every_command_and_route_that_a_page_names_is_there() -> None:
    paths = json.loads((DOCS / "openapi.json").read_text())["paths"]
    for page in every_page():
        text = page.read_text()
        for method, path in re.findall(r"`(GET|POST|PUT|DELETE) (/v1/[^`?\s]*)[^`]*`", text):
            assert is_route(method.lower(), path, paths), (page.name, method, path)
        for command, then in re.findall(r"(?m)[`$] ?mahjic ([a-z]+)(?: ([a-z-]+))?", text):
            if command in GROUPS:
                assert not then or then in GROUPS[command][1], (page.name, command, then)
            else:
                assert command in COMMANDS, (page.name, command)


def test_every_link_leads_somewhere() -> None:
    count = 0
    for page in every_page():
        for link in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text())):
            count += 1
            place, _, anchor = link.partition("#")
            if place.startswith("http"):
                continue
            target = page.parent / place if place else page
            assert target.exists(), (page.name, link)
            if anchor:
                assert anchor in anchors(target.read_text()), (page.name, link)
    assert count > 100


def test_the_readme_is_short_and_the_index_names_every_page() -> None:
    assert len(README.read_text().splitlines()) <= 170
    index = (DOCS / "README.md").read_text()
    names = {page.name for page in DOCS.iterdir() if page.is_file()} - {"README.md"}
    assert [name for name in sorted(names) if f"({name})" not in index] == []


@pytest.mark.parametrize("page", list(pages()), ids=lambda page: page.name)
def test_a_page_is_no_wider_than_it_should_be(page: Path) -> None:
    text = page.read_text()
    assert wrapped(text) == text, f"{page.name} is too wide. Run `make docs`."


def test_wrapping_changes_no_word_and_begins_no_list() -> None:
    word = "a" * 30
    text = f"* One {word} {word} {word} - two {word} `b   c` * {word} 1. {word}\n\n| {word * 5} |\n"
    after = wrapped(text)
    assert after.split() == text.split()
    assert max(map(len, after.splitlines()[:-1])) <= 100
    assert [line for line in after.splitlines()[1:] if re.match(r" *([*+-]|1\.) ", line)] == []
    assert wrapped(after) == after


def is_route(method: str, path: str, paths: dict[str, Any]) -> bool:
    """Tell whether a path, with ids or names for them in it, is that of a route."""
    for template, told in paths.items():
        pattern = "[^/]+".join(map(re.escape, re.split(r"\{.*?\}", template)))
        if method in told and re.fullmatch(pattern, path):
            return True
    return False


def every_page() -> list[Path]:
    return [README, ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]


def without_code(text: str) -> str:
    return re.sub(r"(?ms)^```.*?^```$", "", text)


def anchors(text: str) -> set[str]:
    """Return the names by which GitHub links to the headings of a page."""
    headings = re.findall(r"(?m)^#+ (.*)$", without_code(text))
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}
