"""Runs the PostgreSQL programs that make and read dumps, never showing a password to `ps`."""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

ERRORS_KEPT: Final = 5
_TABLE: Final = re.compile(r'(?:dumping contents of|processing data for) table "(.+)"')
_ERROR: Final = re.compile(r"error:|fatal:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class BackupProgress:
    """How far a backup or restore is: the current table, the tables done, and the bytes so far."""

    table: str
    tables_done: int
    tables_total: int
    bytes_done: int


ReportProgress = Callable[[BackupProgress], None]


@dataclass(frozen=True, slots=True)
class Target:
    """A database as programs are given it: a URL that anyone may see, and the password apart."""

    url: str
    environment: dict[str, str]


def target_of(dsn: str, application_name: str) -> Target:
    """Move the password of a URL to a place that other accounts cannot read."""
    parts = urlsplit(dsn)
    user_info, at, hosts = parts.netloc.rpartition("@")
    user, _, password = user_info.partition(":")
    query = parse_qsl(parts.query, keep_blank_values=True)
    password = unquote(password) or dict(query).get("password", "")
    shown = urlencode([(key, value) for key, value in query if key != "password"])
    url = urlunsplit((parts.scheme, f"{user}{at}{hosts}", parts.path, shown, ""))
    # The rest stays: a server of the operator's own may need certificates or a password file.
    environment = {**os.environ, "PGAPPNAME": application_name, "LC_ALL": "C"}
    if password:
        environment["PGPASSWORD"] = password
    return Target(url, environment)


@dataclass(frozen=True, slots=True)
class Running:
    """A running program, and the task that reads its standard error."""

    process: asyncio.subprocess.Process
    listening: asyncio.Task[str]

    async def end(self) -> tuple[int, str]:
        """Wait for it to end; return the exit code and the errors it reported."""
        return await self.process.wait(), await self.listening


@asynccontextmanager
async def running(
    program: Path,
    *arguments: str,
    environment: dict[str, str],
    begin_table: Callable[[str], None],
) -> AsyncIterator[Running]:
    """Run a verbose program while the context is open, and kill it if it still runs at the end."""
    process = await asyncio.create_subprocess_exec(
        program,
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    listening = asyncio.create_task(_listen(process, begin_table))
    try:
        yield Running(process, listening)
    finally:
        # Before its input ends: a program that sees the end could think it has everything.
        if process.returncode is None:
            process.kill()
        process.stdin.close()
        await process.stdout.read()
        await listening
        await process.wait()


async def _listen(process: asyncio.subprocess.Process, begin_table: Callable[[str], None]) -> str:
    """Read all that a verbose program says; return the errors without the chatter."""
    assert process.stderr is not None
    errors: list[str] = []
    async for raw in process.stderr:
        line = raw.decode(errors="replace").rstrip()
        table = _TABLE.search(line)
        if table is not None:
            begin_table(table[1])
        if _ERROR.search(line):
            errors = [*errors, line][-ERRORS_KEPT:]
    return " | ".join(errors) or "it gave no reason"
