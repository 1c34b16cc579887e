"""The commands that back up and restore, and the one that rebuilds a view, on a real folder."""

from pathlib import Path

import pytest

from tests.cli.running import mahjic


@pytest.fixture
async def folder(server_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = server_folder.with_name("backed-up")
    monkeypatch.setenv("MAHJIC_DATA", str(folder))
    assert (await mahjic("key", "create", "--operator", "--new")).exit_code == 0
    return folder


async def test_a_restored_backup_brings_back_what_was_there_and_nothing_since(
    folder: Path, tmp_path: Path
) -> None:
    file = tmp_path / "mahjic.backup"
    await mahjic("source", "add", "before", "--name", "Before", "--type", "club")
    written = await mahjic("backup", str(file))
    await mahjic("source", "add", "after", "--name", "After", "--type", "club")

    careful = await mahjic("restore", str(file))
    restored = await mahjic("restore", str(file), "--replace")

    assert written.exit_code == 0
    assert written.stdout.startswith(f"Wrote {file}: ")
    assert (written.stderr, restored.stderr) == ("", "")
    assert (careful.exit_code, careful.stdout) == (1, "")
    assert careful.stderr.startswith("database_not_empty: ")
    assert restored.exit_code == 0
    assert [row[0] for row in (await mahjic("source", "list")).rows] == ["slug", "before"]


async def test_a_backup_replaces_no_file_unasked(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "mahjic.backup"
    file.write_text("mine")

    refused = await mahjic("backup", str(file))
    assert (refused.exit_code, file.read_text()) == (1, "mine")
    assert refused.stderr.startswith("backup_exists: ")

    assert (await mahjic("backup", str(file), "--overwrite")).exit_code == 0
    assert file.read_bytes() != b"mine"


async def test_what_is_no_backup_is_refused(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("Not a backup.")
    ended = await mahjic("restore", str(file))
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert ended.stderr.startswith("not_a_backup: ")


async def test_a_view_is_rebuilt_by_its_name(folder: Path) -> None:
    rebuilt = await mahjic("views", "rebuild", "profiles")
    unknown = await mahjic("views", "rebuild", "horoscopes")
    assert rebuilt.exit_code == 0
    assert rebuilt.stdout.startswith("Rebuilt the view profiles from ")
    assert (unknown.exit_code, unknown.stdout) == (2, "")
    assert unknown.stderr.startswith("unknown_view: ")
