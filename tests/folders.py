"""Folders for servers that tests start."""

import os
import tempfile
from pathlib import Path

MEMORY_BYTES_MIN = 4 * 2**30


def open_folder() -> Path:
    """Make a folder that every account may pass through, as those of pytest are not.

    It is in memory where that can hold and run the programs of PostgreSQL: killing a process loses
    nothing of either, and the tests need not wait for a disk.
    """
    parent = Path("/tmp")
    memory = Path("/dev/shm")
    if memory.is_dir():
        status = os.statvfs(memory)
        has_room = status.f_bavail * status.f_frsize > MEMORY_BYTES_MIN
        if has_room and not status.f_flag & os.ST_NOEXEC:
            parent = memory
    folder = Path(tempfile.mkdtemp(prefix="mahjic-tests-", dir=parent))
    folder.chmod(0o755)
    return folder
