"""Opens our own files: only regular ones, so that no open or read ever waits.

A pipe that someone put in the place of a file would hold up whoever opens it for good, and a
device might do anything.
"""

import errno
import os
import stat
from pathlib import Path
from typing import IO, Final, Literal

Mode = Literal["rb", "wb", "ab"]

_FLAGS: Final[dict[Mode, int]] = {
    "rb": os.O_RDONLY,
    "wb": os.O_WRONLY | os.O_CREAT | os.O_TRUNC,
    "ab": os.O_WRONLY | os.O_CREAT | os.O_APPEND,
}


def open_own(path: Path, mode: Mode, *, is_link_followed: bool = False) -> IO[bytes]:
    """Open a file of ours, as `open` does. Raises OSError also for what is no regular file."""
    descriptor = open_own_descriptor(path, _FLAGS[mode], is_link_followed=is_link_followed)
    return os.fdopen(descriptor, mode)


def open_own_descriptor(path: Path, flags: int, *, is_link_followed: bool = False) -> int:
    """Open a file of ours, as `os.open` does. Raises OSError also for what is no regular file."""
    # Without waiting: opening a pipe would wait for its other end before anyone could look at it.
    flags |= os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    if not is_link_followed:
        flags |= os.O_NOFOLLOW
    # What is looked at is what was opened, so no one can put something else there in between.
    descriptor = os.open(path, flags, 0o600)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "It is not a regular file", str(path))
    return descriptor
