"""Starts and stops the embedded PostgreSQL on a data folder; the caller holds the start lock."""

import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from shared.db.folder import SOCKET_NAME, DataFolder, DataFolderInUse
from shared.db.server.binaries import (
    Binaries,
    packaged_binaries,
    remove_other_copies,
    server_binaries,
)
from shared.db.server.postmaster import (
    POLL_S,
    Postmaster,
    end_orphans,
    find_postmaster,
    stop_postmaster,
)
from shared.errors import MahjicError
from shared.machine.own_files import open_own

ROLE: Final = "mahjic"
DATABASE: Final = "mahjic"
PORT: Final = 5432
# Recovery after a crash reads at most the log since the last checkpoint: usually seconds.
START_S_MAX: Final = 300.0
STOP_S_MAX: Final = 60.0
ORPHANS_S_MAX: Final = 5.0
LOG_BYTES_MAX: Final = 10_000_000
LOG_LINES_TOLD: Final = 5

SETTINGS: Final = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    # A session that was answered is on disk, whatever the settings file says.
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # Errors of statements go to their sender. In the log they would leave personal data.
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_checkpoints": "off",
    "logging_collector": "off",
}
# The server gets none of our environment, which may hold keys, or settings for other servers.
ENVIRONMENT: Final = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC"}


class DataFolderOtherVersion(MahjicError):
    """The data was written by another major version of PostgreSQL."""

    code = "data_folder_other_version"
    title = "The data folder is from another major version"


class EmbeddedServerFailed(MahjicError):
    """PostgreSQL did not start, or did not stop."""

    code = "embedded_server_failed"
    title = "The embedded PostgreSQL failed"
    status = 503


@dataclass(frozen=True, slots=True)
class Cluster:
    """The PostgreSQL of one data folder, whether it runs or not."""

    folder: DataFolder

    def running(self) -> Postmaster | None:
        """Return the running server, no matter who started it."""
        return find_postmaster(self.folder.cluster, self.folder.account.user_id)

    def check_version(self) -> None:
        """Refuse data of another major version, whether its server runs or not."""
        try:
            with open_own(self.folder.cluster / "PG_VERSION", "rb") as file:
                written_by = file.read().decode().strip()
        except FileNotFoundError:
            return
        major = str(packaged_binaries().major_version())
        if written_by != major:
            raise DataFolderOtherVersion(
                f"The data in {self.folder.path} was written by PostgreSQL {written_by}, and "
                f"this mahjic comes with {major}. Make a backup with the mahjic that wrote it, "
                "and restore it with this one into a new folder; docs/operations.md says how.",
                extra={"folder_major": written_by, "program_major": major},
            )

    def ensure_running(self) -> None:
        """Join the running server, or else start one, making the data if there is none."""
        if self._becomes_ready(lambda: self.running() is not None):
            return
        self._check_nobody_answers()
        binaries = server_binaries(self.folder)
        if not self.folder.cluster.exists():
            self._create(binaries)
        end_orphans(self.folder.cluster, self.folder.account.user_id, ORPHANS_S_MAX)
        # PostgreSQL would mistake any process that got a dead server's number for a living
        # server, and even the dead one itself, until its parent has noticed.
        (self.folder.cluster / "postmaster.pid").unlink(missing_ok=True)
        (self.folder.socket_folder / f"{SOCKET_NAME}.lock").unlink(missing_ok=True)
        process = self._launch(binaries)
        if not self._becomes_ready(lambda: process.poll() is None):
            raise self._failed("does not start")
        remove_other_copies(self.folder, binaries)

    def stop(self) -> None:
        """Stop the server fast: sessions are cut off, and everything committed is on disk."""
        postmaster = self.running()
        if postmaster is not None and not stop_postmaster(
            postmaster, self.folder.cluster, self.folder.account.user_id, STOP_S_MAX
        ):
            raise EmbeddedServerFailed(
                f"PostgreSQL (process {postmaster.process_id}) does not stop. Look at "
                f"{self.folder.server_log}."
            )
        self.folder.remove_short_socket_folder()

    def _create(self, binaries: Binaries) -> None:
        """Make the data in a folder of another name first: it is complete or absent."""
        unfinished = self.folder.path / "postgres.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        self.folder.account.own(unfinished)
        self._run(
            binaries.bin_folder / "initdb",
            *("-D", str(unfinished), "-U", ROLE, "-A", "trust"),
            *("--encoding=UTF8", "--locale=C.UTF-8"),
        )
        self._run(
            *(binaries.bin_folder / "postgres", "--single", "-D", str(unfinished), "postgres"),
            statement=f"CREATE DATABASE {DATABASE};\n",
        )
        unfinished.rename(self.folder.cluster)

    def _run(self, program: Path, *arguments: str, statement: str = "") -> None:
        try:
            done = subprocess.run(  # noqa: S603
                [program, *arguments],
                input=statement,
                capture_output=True,
                text=True,
                check=False,
                cwd="/",
                env=ENVIRONMENT,
                umask=0o077,
                timeout=START_S_MAX,
                **self.folder.account.popen_options,
            )
        except subprocess.TimeoutExpired as error:
            raise EmbeddedServerFailed(
                f"{program.name} has not finished setting up {self.folder.path} after "
                f"{START_S_MAX:g} s. Is the disk very slow, or full?"
            ) from error
        # A single-user server goes on after a failed statement: only its output shows it.
        if done.returncode != 0 or "ERROR:" in done.stderr:
            raise EmbeddedServerFailed(
                f"{program.name} could not set up {self.folder.path}: {_last_lines(done.stderr)}"
            )

    def _launch(self, binaries: Binaries) -> subprocess.Popen[bytes]:
        self.folder.prepare_socket_folder()
        settings = SETTINGS | {"unix_socket_directories": _quoted(self.folder.socket_folder)}
        options = [f"--{name}={value}" for name, value in settings.items()]
        with self._open_server_log() as log:
            process = subprocess.Popen(  # noqa: S603
                [binaries.bin_folder / "postgres", "-D", self.folder.cluster, *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                env=ENVIRONMENT,
                umask=0o077,
                # Ctrl-C is meant for us; we stop the server when the last user has left.
                start_new_session=True,
                **self.folder.account.popen_options,
            )
        # Something has to notice the child's end, even when another mahjic stops it.
        threading.Thread(target=process.wait, daemon=True).start()
        return process

    def _becomes_ready(self, is_alive: Callable[[], bool]) -> bool:
        """Wait until the server takes connections; return False if it is gone instead."""
        deadline_s = time.monotonic() + START_S_MAX
        while is_alive():
            postmaster = self.running()
            if postmaster is not None and postmaster.is_ready:
                return True
            if time.monotonic() > deadline_s:
                raise self._failed(f"is not ready after {START_S_MAX:g} s")
            time.sleep(POLL_S)
        return False

    def _check_nobody_answers(self) -> None:
        """Refuse to start a second server beside one whose process is hidden from us."""
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(str(self.folder.socket_folder / SOCKET_NAME))
            except OSError:
                return
        raise DataFolderInUse(
            f"A server is already running in {self.folder.path}, but its process cannot be seen "
            "from here; perhaps it is in another container. Run the command there, or stop it "
            "first.",
            extra={"folder": str(self.folder.path)},
        )

    def _failed(self, what: str) -> EmbeddedServerFailed:
        with open_own(self.folder.server_log, "rb", is_link_followed=True) as file:
            text = file.read().decode(errors="replace")
        return EmbeddedServerFailed(
            f"PostgreSQL {what} in {self.folder.path}. The end of its log "
            f"({self.folder.server_log}): {_last_lines(text)}"
        )

    def _open_server_log(self) -> IO[bytes]:
        """Open the log for the child, which need not be allowed to open it; keep one old log."""
        log = self.folder.server_log
        if log.exists() and log.stat().st_size > LOG_BYTES_MAX:
            log.rename(log.with_suffix(".log.old"))
        file = open_own(log, "ab", is_link_followed=True)
        log.chmod(0o600)
        return file


def _quoted(path: Path) -> str:
    """Quote a path for a setting that is a list: commas and spaces lose their meaning."""
    return '"' + str(path).replace('"', '""') + '"'


def _last_lines(text: str) -> str:
    return " | ".join(text.strip().splitlines()[-LOG_LINES_TOLD:]) or "(nothing)"
