"""Takes away what a site stands on: the start of PostgreSQL, or the room on its disk."""

import fcntl
import os
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import pytest

from tests.chaos.clients import Crowd
from tests.chaos.place import Place
from tests.chaos.system import gone, kill
from tests.log.deadlines import until

# A second is enough to see that a database is away; clients of a real service are given longer.
SOON = {"MAHJIC_DATABASE_WAIT_S_MAX": "1"}
UNAVAILABLE_MIN = 5


async def until_told_to_come_again(crowd: Crowd) -> None:
    """Wait until some clients were told, as the documents say, to send the same again later."""

    async def are_told() -> bool:
        return len(crowd.unavailable) >= UNAVAILABLE_MIN

    await until(are_told)
    for response in crowd.unavailable:
        assert response.json()["code"] == "database_unavailable"
        assert int(response.headers["Retry-After"]) > 0


@asynccontextmanager
async def postgres_away_from(site: Place) -> AsyncIterator[None]:
    """Kill a site's PostgreSQL, and let nobody start it again while the context is open."""
    postmaster = await site.living_postmaster()
    # Its server is started under this lock.
    with (site.folder / "start.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kill(postmaster)
        await gone(postmaster)
        yield


@contextmanager
def a_small_disk(mib: int) -> Iterator[Path]:
    """Mount a disk that holds so little that it can be filled; this takes root's rights."""
    mount_point = Path(tempfile.mkdtemp(prefix="mahjic-tests-", dir="/tmp"))
    mount = ["mount", "-t", "tmpfs", "-o", f"size={mib}m,mode=0755", "tmpfs", str(mount_point)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        mount_point.rmdir()
        pytest.skip(f"NOT TESTED, no disk can be mounted to be filled: {done.stderr.strip()}")
    try:
        yield mount_point
    finally:
        subprocess.run(["umount", "--lazy", mount_point], check=True)
        mount_point.rmdir()


@contextmanager
def filled(disk: Path) -> Iterator[None]:
    """Leave not a byte free on a disk while the context is open."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))
    assert os.statvfs(disk).f_bavail == 0
    try:
        yield
    finally:
        filler.unlink()
