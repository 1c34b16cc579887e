"""What a person sees on a terminal: framed tables and a bar that moves, ids that can be copied."""

import asyncio
import contextlib
import os
import re
from pathlib import Path

from shared.access.keys import list_keys
from tests.cli.running import PROGRAM, ROOT, without_settings
from tests.conftest import Database

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


async def on_terminal(*arguments: str, **environment: str) -> str:
    """Run a command on a terminal of 80 columns; return what it wrote, colors left out."""
    ours, theirs = os.openpty()
    program = await asyncio.create_subprocess_exec(
        *PROGRAM,
        *arguments,
        cwd=ROOT,
        env=without_settings() | {"TERM": "xterm", "COLUMNS": "80"} | environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    written = await asyncio.to_thread(_read_to_the_end, ours)
    assert await program.wait() == 0, written
    return ESCAPES.sub("", written)


def _read_to_the_end(terminal: int) -> str:
    written = b""
    with contextlib.suppress(OSError):  # Linux says so when nobody is at the other end anymore.
        while chunk := os.read(terminal, 1 << 16):
            written += chunk
    os.close(terminal)
    return written.decode()


async def test_keys_are_framed_and_can_be_copied(database: Database) -> None:
    settings = {"MAHJIC_DATABASE_URL": database.dsn}
    await on_terminal("key", "create", "--operator", **settings)
    (key,) = await list_keys(database.pool)

    shown = await on_terminal("key", "list", **settings)

    assert "\t" not in shown
    assert "───" in shown
    assert f" {key.key_id} " in shown


async def test_a_long_name_is_broken_and_nothing_is_cut_off(
    database: Database,
) -> None:
    await database.pool.execute(
        "INSERT INTO mahjic.sources (slug, name, type, region, created_at)"
        " VALUES ('a-club-with-a-slug', $1, 'platform', 'international', now())",
        "[bold]" + "x" * 74,
    )
    shown = await on_terminal("source", "list", MAHJIC_DATABASE_URL=database.dsn)
    assert "x" * 74 not in shown
    assert shown.count("x") == 74
    assert "[bold]" in shown
    assert " international " in shown
    assert " a-club-with-a-slug " in shown


async def test_a_backup_shows_how_far_it_is(database: Database, tmp_path: Path) -> None:
    file = tmp_path / "mahjic.backup"
    shown = await on_terminal("backup", str(file), MAHJIC_DATABASE_URL=database.dsn)
    assert "Backing up" in shown
    assert "MiB" in shown
    assert file.exists()
