"""Runs a real service on a temporary folder, and leaves nothing behind."""

import asyncio
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from services.cli.demo.interruptions import Interruptions
from services.cli.terminal.client import ServiceUnreachable
from shared.db.server.embedded import embedded_server
from shared.errors import MahjicError

READY: Final = re.compile(r"^Mahjic serves on (http://\S+)$", re.MULTILINE)
LOOK_S: Final = 0.02
LOG_LINES_SHOWN: Final = 15


class DemoFailed(MahjicError):
    """The demo could not go on; it was not the user's fault."""

    code = "demo_failed"
    title = "The demo failed"


@dataclass(frozen=True, slots=True)
class Program:
    """A program that runs a service: its module, arguments, and time to start and stop.

    It gets `--data FOLDER`, keeps PostgreSQL's data there and everything else beside it, and says
    where it serves as `mahjic serve` does.
    """

    words: tuple[str, ...]
    ready_s_max: float
    stop_s_max: float


EMBEDDED: Final = Program(
    ("services.cli", "serve", "--port", "0"), ready_s_max=60.0, stop_s_max=10.0
)


@dataclass(frozen=True, slots=True)
class TemporaryService:
    """A running service, the folder with its data, and the file with its log."""

    url: str
    data: Path
    log: Path

    @property
    def site_url(self) -> str:
        """Where its site is, as people write it."""
        return self.url.replace("127.0.0.1", "localhost")


@contextmanager
def temporary_service(program: Program, interruptions: Interruptions) -> Iterator[TemporaryService]:
    """Give a running service that no one else knows. Raises DemoFailed, with the end of its log."""
    with _temporary_folder(interruptions) as folder:
        data, log = folder / "data", folder / "service.log"
        with service_on(program, data, log, interruptions) as service:
            yield service


@contextmanager
def service_on(
    program: Program, data: Path, log: Path, interruptions: Interruptions
) -> Iterator[TemporaryService]:
    """Give a service that runs on a folder for a moment. Raises DemoFailed."""
    with _child(program, data, log, interruptions) as child:
        try:
            yield TemporaryService(_url(program, child, log), data, log)
        except MahjicError as error:
            reason = _reason(program, child, error)
            raise DemoFailed(reason, extra={"log": _last_lines(log)}) from error


@contextmanager
def _temporary_folder(interruptions: Interruptions) -> Iterator[Path]:
    folder = None
    try:
        with interruptions.held():
            try:
                folder = Path(tempfile.mkdtemp(prefix="mahjic-demo-", dir=_open_place()))
            except OSError as error:
                reason = error.strerror or str(error)
                raise DemoFailed(f"No temporary folder can be made: {reason}.") from error
            if os.geteuid() == 0:
                folder.chmod(0o711)  # PostgreSQL runs as another account then, and must get in.
        yield folder
    finally:
        with interruptions.held():
            if folder is not None:
                shutil.rmtree(folder)


def _open_place() -> str:
    """Return where temporary folders are made; root's own place may be closed to PostgreSQL."""
    place = Path(tempfile.gettempdir()).resolve()
    is_open = all(folder.stat().st_mode & stat.S_IXOTH for folder in (place, *place.parents))
    return str(place) if is_open or os.geteuid() != 0 else "/tmp"  # noqa: S108 - mkdtemp's name.


@contextmanager
def _child(
    program: Program, data: Path, log: Path, interruptions: Interruptions
) -> Iterator[subprocess.Popen[bytes]]:
    child = None
    try:
        with interruptions.held():
            child = _start(program, data, log)
        yield child
    finally:
        with interruptions.held():
            if child is not None:
                _stop(program, child, data)


def _start(program: Program, data: Path, log: Path) -> subprocess.Popen[bytes]:
    """Start a service that knows nothing of our settings, folder and terminal."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("MAHJIC_")}
    # -P: nothing in the current folder can replace the installed program.
    command = [sys.executable, "-P", "-m", *program.words, "--data", str(data)]
    with log.open("wb") as written:
        return subprocess.Popen(  # noqa: S603 - Every argument is our own.
            command,
            env=ours | {"MAHJIC_GRACE_S": "2"},
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=written,
            start_new_session=True,  # Ctrl-C is for us; we stop it ourselves.
        )


def _stop(program: Program, child: subprocess.Popen[bytes], data: Path) -> None:
    child.terminate()
    try:
        ended_well = child.wait(program.stop_s_max) == 0
    except subprocess.TimeoutExpired:
        ended_well = False
    if ended_well:
        return
    # With everything it started, except PostgreSQL, which would leave its memory behind.
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    if (data / "postgres").exists():
        asyncio.run(_stop_database(data))


async def _stop_database(data: Path) -> None:
    """Stop a server that its service left behind: the last user to leave stops it."""
    async with embedded_server(data, role="join"):
        pass


def _url(program: Program, child: subprocess.Popen[bytes], log: Path) -> str:
    """Wait until the service says where it is."""
    ends_at = time.monotonic() + program.ready_s_max
    while True:
        found = READY.search(log.read_text(errors="replace"))
        if found:
            return found[1]
        if child.poll() is not None:
            raise DemoFailed(f"The service did not start; its exit code is {child.returncode}.")
        if time.monotonic() > ends_at:
            raise DemoFailed(f"The service did not start within {program.ready_s_max:g} s.")
        time.sleep(LOOK_S)


def _reason(program: Program, child: subprocess.Popen[bytes], error: MahjicError) -> str:
    if isinstance(error, ServiceUnreachable):
        # Its connections end before the process does, which stops others first.
        with suppress(subprocess.TimeoutExpired):
            code = child.wait(program.stop_s_max)
            return f"The service stopped on its own, with exit code {code}."
    return error.detail


def _last_lines(log: Path) -> list[str]:
    return log.read_text(errors="replace").splitlines()[-LOG_LINES_SHOWN:]
