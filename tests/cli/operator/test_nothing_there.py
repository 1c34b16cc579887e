"""A place in which no service ever ran is told as such, and never filled by mistake."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.cli.app import GROUPS
from shared.db.server.embedded import EmbeddedServer
from shared.settings import Settings
from tests.cli.running import call, end_of, mahjic, start
from tests.cli.scripted import ScriptedService, Told
from tests.conftest import fresh_database
from tests.folders import open_folder
from tests.processes import serving

NEW_SOURCE = ("source", "add", "columbus", "--name", "Columbus", "--type", "club")
COMMANDS = [
    NEW_SOURCE,
    ("source", "list"),
    ("source", "set", "columbus", "--name", "New"),
    ("source", "suspend", "columbus"),
    ("source", "resume", "columbus"),
    ("key", "create", "columbus"),
    ("key", "create", "--operator"),
    ("key", "list"),
    ("key", "revoke", "key_7K3Q9XZM"),
    ("views", "rebuild", "history"),
]


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a folder that is not there yet."""
    parent = open_folder()
    yield parent / "mistyped"
    shutil.rmtree(parent)


def test_the_commands_below_are_all_that_work_on_a_database() -> None:
    named = {each[:2] for each in COMMANDS}
    for group in ("source", "key", "views"):
        assert {(group, name) for name in GROUPS[group][1]} <= named


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_without_a_service_is_told_and_left_alone(
    command: tuple[str, ...], folder: Path
) -> None:
    ended = call(*command, "--data", str(folder))
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert ended.stderr.startswith(f"nothing_there: The folder {folder} ")
    assert ("--new" in ended.stderr) is (command == NEW_SOURCE or "create" in command)
    assert [each.name for each in folder.parent.iterdir()] == []


@pytest.mark.parametrize("command", COMMANDS)
async def test_a_database_without_a_service_is_told_and_left_alone(
    command: tuple[str, ...], postgres_server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with fresh_database(postgres_server, template="template1") as empty:
        monkeypatch.setenv("MAHJIC_DATABASE_URL", empty.dsn)
        ended = await mahjic(*command)
        assert (ended.exit_code, ended.stdout) == (1, "")
        assert ended.stderr.startswith("nothing_there: The database ")
        assert await empty.pool.fetchval("SELECT to_regnamespace('mahjic') IS NULL")


async def test_new_makes_one_and_says_so_once(folder: Path) -> None:
    settings = {"MAHJIC_DATA": str(folder)}
    made = await end_of(await start(*NEW_SOURCE, "--new", **settings))
    assert (made.exit_code, made.stdout) == (0, "The source columbus is added.\n")
    assert made.stderr.startswith(f"The folder {folder} holds no Mahjic yet: making one there")
    again = await end_of(await start("key", "create", "columbus", "--new", **settings))
    assert again.exit_code == 0
    assert "holds no Mahjic" not in again.stderr


async def test_a_first_start_says_what_it_makes_and_where(folder: Path) -> None:
    told = f"The folder {folder} holds no Mahjic yet: making one there"
    async with serving({}, "--data", str(folder)) as first:
        assert first.log.startswith(told)
        assert "--data" in first.log
    async with serving({}, "--data", str(folder)) as second:
        assert "holds no Mahjic" not in second.log


@pytest.mark.parametrize(
    ("variables", "url"),
    [
        ({}, "http://127.0.0.1:8000"),
        ({"PORT": "8123"}, "http://127.0.0.1:8123"),
        ({"PORT": "8123", "HOST": "0.0.0.0"}, "http://127.0.0.1:8123"),
        ({"HOST": "::"}, "http://127.0.0.1:8000"),
        ({"HOST": "192.0.2.7"}, "http://192.0.2.7:8000"),
        ({"HOST": "2001:db8::7", "PORT": "81"}, "http://[2001:db8::7]:81"),
        ({"PORT": "8123", "URL": "https://mahjic.example"}, "https://mahjic.example"),
    ],
)
def test_clients_ask_where_the_same_settings_serve(
    variables: dict[str, str], url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(f"MAHJIC_{name}", value)
    assert Settings().service_url == url


async def test_the_port_moves_a_command_and_the_url_wins(
    service: ScriptedService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.told = [Told(200, {"player_id": "MJ-7K3Q9XZM", "verified": True, "seq": 7})]
    monkeypatch.setenv("MAHJIC_PORT", "1")
    assert (await mahjic("verification", "grant", "MJ-7K3Q9XZM")).exit_code == 0
    monkeypatch.delenv("MAHJIC_URL")
    ended = await mahjic("verification", "grant", "MJ-7K3Q9XZM")
    assert ended.stderr.startswith("service_unreachable: http://127.0.0.1:1 ")
    monkeypatch.setenv("MAHJIC_PORT", service.url.rpartition(":")[2])
    assert (await mahjic("verification", "grant", "MJ-7K3Q9XZM")).exit_code == 0
    assert len(service.asked) == 2


async def test_a_mistyped_player_and_a_refusal_are_told(service: ScriptedService) -> None:
    mistyped = await mahjic("verification", "grant", "MJ-7K3Q9XZN")
    assert mistyped.stderr.startswith("mistyped_player_id: ")
    problem = {"code": "not_allowed", "detail": "This needs a key of kind operator."}
    service.told = [Told(403, problem, "application/problem+json")]
    refused = await mahjic("verification", "end", "MJ-7K3Q9XZM")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr.startswith("not_allowed: ")
    assert len(service.asked) == 1
