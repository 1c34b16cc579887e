"""The data folder: where it is, what is in it, who may enter it and who holds it.

postgres/       the data of PostgreSQL, readable by its account alone
postgres.log    what PostgreSQL says; statements and values are never in it
socket          the folder of the socket, or a link to a shorter one under /tmp
binaries/       as root only: a copy that the account `nobody` may run
rater/          what makes a start of the rater quick; a cache of the logs
serve.lock      held by the one `mahjic serve`
users.lock      shared by everyone who uses the server: the last one stops it
start.lock      held while the server is looked for, started or stopped
"""

import fcntl
import os
import pwd
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

import platformdirs

from shared.errors import MahjicError
from shared.machine.own_files import open_own_descriptor

ROOT_FOLDER: Final = Path("/var/lib/mahjic")
ACCOUNT_OF_ROOT: Final = "nobody"
# Longer than a start of PostgreSQL that has to recover from a crash may take.
START_LOCK_S_MAX: Final = 330.0
LOCK_POLL_S: Final = 0.02
# 107 bytes on Linux, 103 on macOS.
SOCKET_PATH_BYTES_MAX: Final = 103
SOCKET_NAME: Final = ".s.PGSQL.5432"
_LOCKS: Final = frozenset({"serve.lock", "users.lock", "start.lock"})
# What a new file system or a file manager leaves in a folder that still counts as empty.
_NOT_OURS_BUT_HARMLESS: Final = frozenset({"lost+found", ".DS_Store"})
# initdb quotes paths for a shell with double quotes only.
_UNSAFE_IN_A_SHELL: Final = frozenset('"$`\\\n')


class DataFolderUnusable(MahjicError):
    """The folder cannot hold the data: no permission, no space, or other things are in it."""

    code = "data_folder_unusable"
    title = "The data folder cannot be used"


class DataFolderClosed(MahjicError):
    """A parent of the folder does not let PostgreSQL's account through."""

    code = "data_folder_closed"
    title = "The data folder is inside a closed folder"


class DataFolderInUse(MahjicError):
    """Another `mahjic serve` or a restore is using the folder."""

    code = "data_folder_in_use"
    title = "The data folder is in use"


@dataclass(frozen=True, slots=True)
class Account:
    """The account that runs PostgreSQL: ours, or `nobody` if we are root, which it refuses."""

    user_id: int
    group_id: int
    is_other: bool

    @property
    def popen_options(self) -> dict[str, Any]:
        """Return the options that make subprocess start a program under this account."""
        if not self.is_other:
            return {}
        return {"user": self.user_id, "group": self.group_id, "extra_groups": []}

    def may_enter(self, folder: Path) -> bool:
        """Return whether the mode of a folder lets the account through."""
        status = folder.stat()
        if status.st_uid == self.user_id:
            return bool(status.st_mode & stat.S_IXUSR)
        if status.st_gid == self.group_id:
            return bool(status.st_mode & stat.S_IXGRP)
        return bool(status.st_mode & stat.S_IXOTH)

    def own(self, path: Path) -> None:
        """Give a file or folder that we made to the account."""
        if self.is_other:
            os.chown(path, self.user_id, self.group_id)


@dataclass(frozen=True, slots=True)
class DataFolder:
    """A folder that was checked and found suitable; made by `prepare_folder`."""

    path: Path
    account: Account

    @property
    def cluster(self) -> Path:
        """Return the folder of PostgreSQL's own data."""
        return self.path / "postgres"

    @property
    def server_log(self) -> Path:
        """Return the file that PostgreSQL writes its log to."""
        return self.path / "postgres.log"

    @property
    def socket_folder(self) -> Path:
        """Return where the socket is, or would be."""
        place = self.path / "socket"
        return place.readlink() if place.is_symlink() else place

    def prepare_socket_folder(self) -> None:
        """Make the socket folder, for the account alone, elsewhere if this path is too long."""
        place = self.path / "socket"
        if self._owned_and_private(self.socket_folder):
            return
        place.unlink(missing_ok=True)
        if len(os.fsencode(place / SOCKET_NAME)) <= SOCKET_PATH_BYTES_MAX:
            place.mkdir(mode=0o700)
        else:
            place.symlink_to(tempfile.mkdtemp(prefix="mahjic-", dir="/tmp"))
        self.account.own(self.socket_folder)

    def remove_short_socket_folder(self) -> None:
        """Leave nothing under /tmp when the server has stopped."""
        place = self.path / "socket"
        if place.is_symlink():
            with suppress(OSError):
                place.readlink().rmdir()
            place.unlink()

    @contextmanager
    def serve_lock(self) -> Iterator[None]:
        """Be the only process that serves from the folder. Raises DataFolderInUse at once."""
        with _open_lock(self.path / "serve.lock") as file:
            if not try_lock(file, exclusive=True):
                holder = file.read().strip()
                raise DataFolderInUse(
                    f"Another mahjic{f' (process {holder})' if holder.isdigit() else ''} is "
                    f"serving from {self.path}. Stop it first, or choose another folder with "
                    "--data or MAHJIC_DATA.",
                    extra={"folder": str(self.path)},
                )
            file.truncate(0)
            file.write(str(os.getpid()))
            file.flush()
            try:
                yield
            finally:
                file.truncate(0)

    @contextmanager
    def start_lock(self) -> Iterator[None]:
        """Be the only process that looks for, starts or stops the server; wait for any other."""
        with _open_lock(self.path / "start.lock") as file:
            deadline_s = time.monotonic() + START_LOCK_S_MAX
            while not try_lock(file, exclusive=True):
                if time.monotonic() > deadline_s:
                    raise DataFolderInUse(
                        "Another mahjic has been starting or stopping the server in "
                        f"{self.path} for {START_LOCK_S_MAX:g} s. Look at {self.server_log}.",
                        extra={"folder": str(self.path)},
                    )
                time.sleep(LOCK_POLL_S)
            yield

    def open_users_lock(self) -> IO[str]:
        """Open the file whose lock counts the users of the server; closing it releases the lock."""
        return _open_lock(self.path / "users.lock")

    def _owned_and_private(self, folder: Path) -> bool:
        """Return whether only the account could have put something into the folder."""
        try:
            status = folder.lstat()
        except FileNotFoundError:
            return False
        is_private = stat.S_IMODE(status.st_mode) == 0o700
        return stat.S_ISDIR(status.st_mode) and is_private and status.st_uid == self.account.user_id


def default_folder() -> Path:
    """Return the folder that is used when none is given."""
    return ROOT_FOLDER if os.geteuid() == 0 else platformdirs.user_data_path("mahjic")


def prepare_folder(path: Path) -> DataFolder:
    """Make the folder if needed, and check that PostgreSQL can use it.

    As root, this opens a folder that is closed to `nobody` for passing through (0711), but never
    its parents: they may be closed for a reason.
    """
    path = path.expanduser().resolve()
    account = _account()
    with told_as_unusable(path):
        _make_folders(path, account)
        _check_content(path, account)
        if account.is_other:
            if not account.may_enter(path):
                path.chmod(stat.S_IMODE(path.stat().st_mode) | 0o011)
            _check_parents(path, account)
    return DataFolder(path, account)


@contextmanager
def told_as_unusable(path: Path) -> Iterator[None]:
    """Turn what the operating system refuses (permission, space) into a clear error."""
    try:
        yield
    except OSError as error:
        place = f" ({error.filename})" if error.filename else ""
        raise DataFolderUnusable(
            f"The data folder {path} cannot be used: {error.strerror or error}{place}. Choose "
            "another one with --data or MAHJIC_DATA, or fix what is wrong with it.",
            extra={"folder": str(path)},
        ) from error


def try_lock(file: IO[str], *, exclusive: bool) -> bool:
    """Lock a file unless another process has it; the lock ends with the file, or with us."""
    try:
        fcntl.flock(file, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _account() -> Account:
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid(), is_other=False)
    try:
        entry = pwd.getpwnam(ACCOUNT_OF_ROOT)
    except KeyError:
        raise DataFolderUnusable(
            f"PostgreSQL does not run as root, and there is no account `{ACCOUNT_OF_ROOT}` to run "
            "it as. Run mahjic as an ordinary user."
        ) from None
    return Account(entry.pw_uid, entry.pw_gid, is_other=True)


def _make_folders(path: Path, account: Account) -> None:
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(exist_ok=True)
        # Our own are open for passing through whatever the umask says, if PostgreSQL needs it.
        folder.chmod(0o711 if account.is_other else 0o700)


def _check_content(path: Path, account: Account) -> None:
    """Refuse a folder that holds something else, before anything in it is touched."""
    if not path.is_dir():
        raise _unusable(path, "is a file")
    if _UNSAFE_IN_A_SHELL.intersection(str(path)):
        raise _unusable(path, 'has a character in its path that initdb cannot handle: " $ ` \\')
    names = {entry.name for entry in path.iterdir()} - _NOT_OURS_BUT_HARMLESS
    # A process that starts beside us may have made one of the locks already, but not the others.
    others = names - _LOCKS
    if others and "start.lock" not in names:
        raise _unusable(path, f"has other things in it ({', '.join(sorted(others)[:3])})")
    cluster = path / "postgres"
    if cluster.exists() and cluster.stat().st_uid != account.user_id:
        raise _unusable(
            path,
            f"was created by user number {cluster.stat().st_uid}, and mahjic would run "
            f"PostgreSQL as {account.user_id}; run it as the same user as before",
        )


def _unusable(path: Path, reason: str) -> DataFolderUnusable:
    return DataFolderUnusable(
        f"The data folder {path} {reason}. Choose another one with --data or MAHJIC_DATA.",
        extra={"folder": str(path)},
    )


def _check_parents(path: Path, account: Account) -> None:
    for parent in reversed(path.parents):
        if not account.may_enter(parent):
            raise DataFolderClosed(
                f"PostgreSQL runs as `{ACCOUNT_OF_ROOT}` when mahjic runs as root, and that "
                f"account may not go through {parent} to {path}. Choose a folder that is not "
                f"under {parent} with --data or MAHJIC_DATA, run mahjic as an ordinary user, or "
                f"allow it with: chmod o+x {parent}",
                extra={"folder": str(path), "closed": str(parent)},
            )


def _open_lock(path: Path) -> IO[str]:
    """Open a lock file without emptying it: others read who holds it."""
    with told_as_unusable(path.parent):
        descriptor = open_own_descriptor(path, os.O_RDWR | os.O_CREAT)
    return os.fdopen(descriptor, "r+", encoding="utf-8")
