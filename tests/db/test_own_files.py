"""Files of ours are opened when they are regular ones, and nothing else is waited for."""

import os
import shutil
from pathlib import Path

import pytest

from shared.db.backups.backup_file import NotABackup, check_backup
from shared.db.folder import DataFolder, DataFolderUnusable, prepare_folder
from shared.machine.own_files import open_own
from tests.folders import open_folder


@pytest.mark.parametrize("mode", ["rb", "wb", "ab"])
def test_a_pipe_is_refused_at_once(tmp_path: Path, mode: str) -> None:
    os.mkfifo(tmp_path / "file")
    with pytest.raises(OSError, match=r"not a regular file|No such device"):
        open_own(tmp_path / "file", mode)  # type: ignore[arg-type]


def test_a_link_is_followed_only_where_an_operator_may_put_one(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"it")
    (tmp_path / "link").symlink_to("real")
    with pytest.raises(OSError, match="symbolic links"):
        open_own(tmp_path / "link", "rb")
    with open_own(tmp_path / "link", "rb", is_link_followed=True) as file:
        assert file.read() == b"it"


def test_a_file_is_written_anew_or_on(tmp_path: Path) -> None:
    for mode, content in (("wb", b"one"), ("ab", b"two"), ("wb", b"three")):
        with open_own(tmp_path / "file", mode) as file:  # type: ignore[arg-type]
            file.write(content)
        if mode == "ab":
            assert (tmp_path / "file").read_bytes() == b"onetwo"
    assert (tmp_path / "file").read_bytes() == b"three"
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["start.lock", "serve.lock", "users.lock"])
def test_a_pipe_in_the_data_folder_is_told(name: str) -> None:
    place = open_folder()
    folder = prepare_folder(place / "data")
    os.mkfifo(folder.path / name)
    with pytest.raises(DataFolderUnusable, match=rf"not a regular file.*{name}"):
        use(folder, name)
    shutil.rmtree(place)


def use(folder: DataFolder, name: str) -> None:
    if name == "users.lock":
        folder.open_users_lock()
        return
    with folder.start_lock() if name == "start.lock" else folder.serve_lock():
        pass


def test_a_pipe_is_no_backup(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "backup")
    with pytest.raises(NotABackup, match="is not a file"):
        check_backup(tmp_path / "backup")
