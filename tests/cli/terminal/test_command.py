"""What every command promises: quiet ends, errors that name the variable, and no traceback."""

import asyncio
import signal
import tomllib
from pathlib import Path

import pytest

from tests.cli.running import ROOT, end_of, mahjic, start
from tests.conftest import Database


async def test_the_version_is_the_one_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    ended = await mahjic("--version")
    assert (ended.exit_code, ended.stdout) == (0, f"mahjic {project['version']}\n")


@pytest.mark.parametrize(
    ("variables", "named"),
    [
        ({"MAHJIC_PORT": "abc"}, "MAHJIC_PORT: "),
        ({"MAHJIC_TRUSTED_PROXIES": "everyone"}, "MAHJIC_TRUSTED_PROXIES: "),
        ({"MAHJIC_DATA": "/tmp/a", "MAHJIC_DATABASE_URL": "postgresql://b"}, "not both."),
        ({"MAHJIC_DATA": ""}, "MAHJIC_DATA: "),
        ({"MAHJIC_DATABASE_URL": ""}, "MAHJIC_DATABASE_URL: "),
        ({"MAHJIC_KAFKA_SERVERS": "kafka-1"}, "MAHJIC_KAFKA_SERVERS: Write host:port"),
        ({"MAHJIC_KAFKA_SERVERS": "a:9092, b:9092"}, "no spaces"),
        # A user without the security that it goes with would be left out in silence.
        ({"MAHJIC_KAFKA_USER": "ada"}, "set all three or none"),
        (
            {"MAHJIC_KAFKA_SECURITY": "SASL_SSL", "MAHJIC_KAFKA_USER": "ada"},
            "set all three or none",
        ),
        ({"MAHJIC_KAFKA_PASSWORD": ""}, "MAHJIC_KAFKA_PASSWORD: "),
        ({"MAHJIC_KAFKA_KEY_FILE": ""}, "MAHJIC_KAFKA_KEY_FILE: "),
        ({"MAHJIC_KAFKA_CA_FILE": "/ca.crt"}, "MAHJIC_KAFKA_SECURITY SSL"),
    ],
)
async def test_a_wrong_setting_is_named(
    variables: dict[str, str], named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    ended = await mahjic("source", "list")
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert ended.stderr.startswith("invalid_settings: ")
    assert named in ended.stderr


async def test_an_address_of_a_database_is_never_repeated_with_its_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MAHJIC_DATABASE_URL", "postgresql://ada:hunter2@127.0.0.1:1/mahjic")
    ended = await mahjic("source", "list")
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert ended.stderr.startswith("database_unreachable: ")
    assert "hunter2" not in ended.stderr


@pytest.mark.parametrize(
    ("command", "security", "warned"),
    [
        ("relay", "SASL_PLAINTEXT", "MAHJIC_KAFKA_SECURITY is SASL_PLAINTEXT: anyone listening"),
        ("relay", "SASL_SSL", None),
        ("serve", "SASL_SSL", "MAHJIC_KAFKA_SERVERS is set, but `mahjic serve` does not use it"),
    ],
)
async def test_settings_of_kafka_that_do_not_do_what_they_seem_to_are_told_at_the_start(
    command: str, security: str, warned: str | None
) -> None:
    settings = {
        "MAHJIC_DATABASE_URL": "postgresql://127.0.0.1:1/mahjic",
        "MAHJIC_KAFKA_SERVERS": "127.0.0.1:1",
        "MAHJIC_KAFKA_SECURITY": security,
        "MAHJIC_KAFKA_USER": "ada",
        "MAHJIC_KAFKA_PASSWORD": "hunter2",
    }
    ended = await end_of(await start(command, "--port", "0", **settings))
    assert ended.exit_code == 1
    first, *_ = ended.stderr.splitlines()
    assert first.startswith(warned or "database_unreachable: ")
    assert "hunter2" not in ended.stderr


async def test_a_folder_on_the_command_line_wins_over_the_environment(
    server_folder: Path,
) -> None:
    folder = server_folder.with_name("commands")
    settings = {"MAHJIC_DATABASE_URL": "postgresql://127.0.0.1:1/mahjic"}
    arguments = ("--name", "Columbus", "--type", "club", "--new", "--data", str(folder))

    added = await end_of(await start("source", "add", "columbus", *arguments, **settings))
    listed = await end_of(await start("source", "list", MAHJIC_DATA=str(folder)))

    assert (added.exit_code, added.stdout) == (0, "The source columbus is added.\n")
    assert [row[0] for row in listed.rows] == ["slug", "columbus"]


async def test_a_reader_that_leaves_early_ends_a_command_quietly(database: Database) -> None:
    await database.pool.execute(
        "INSERT INTO mahjic.sources (slug, name, type, created_at)"
        " SELECT 'club-' || n, repeat('x', 80), 'club', now() FROM generate_series(1, 5000) AS n"
    )
    program = await start("source", "list", MAHJIC_DATABASE_URL=database.dsn)
    assert program.stdout is not None
    assert program.stderr is not None
    await program.stdout.readline()
    program._transport.get_pipe_transport(1).close()  # type: ignore[attr-defined]

    stderr = await program.stderr.read()

    await program.wait()
    assert stderr == b""


async def test_an_interrupted_command_says_nothing(database: Database) -> None:
    async with database.pool.acquire() as writer, writer.transaction():
        await writer.execute("LOCK TABLE mahjic.sources IN ACCESS EXCLUSIVE MODE")
        program = await start("source", "list", MAHJIC_DATABASE_URL=database.dsn)
        await _somebody_waits_for_the_sources(database)
        program.send_signal(signal.SIGINT)
        ended = await end_of(program)
    assert (ended.exit_code, ended.stdout, ended.stderr) == (130, "", "")


async def _somebody_waits_for_the_sources(database: Database) -> None:
    waiting = (
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE wait_event_type = 'Lock' AND datname = current_database()"
    )
    async with asyncio.timeout(30):
        while await database.pool.fetchval(waiting) == 0:
            await asyncio.sleep(0.01)
