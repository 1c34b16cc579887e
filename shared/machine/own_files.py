"""Opens our own files: only regular ones, so that opening or reading never waits.

Opening a pipe that someone put in place of a file would wait forever, and a device might do
anything.
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
    """Open a file of ours, as `open` does. Also raises OSError if it is not a regular file."""
    descriptor = open_own_descriptor(path, _FLAGS[mode], is_link_followed=is_link_followed)
    return os.fdopen(descriptor, mode)


def open_own_descriptor(path: Path, flags: int, *, is_link_followed: bool = False) -> int:
    """Open a file of ours, as `os.open` does. Also raises OSError if it is not a regular file."""
    # Without waiting: opening a pipe would wait for its other end before we could check it.
    flags |= os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    if not is_link_followed:
        flags |= os.O_NOFOLLOW
    # We check what was opened, so it cannot be swapped for something else in between.
    descriptor = os.open(path, flags, 0o600)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "It is not a regular file", str(path))
    return descriptor


def try_writing(file: Path) -> None:
    """Raise OSError if a file that somebody names can't be written; leave what is there as it is.

    What takes long to make is not made for a file that won't take it.
    """
    was_there = file.exists()
    file.open("ab").close()
    if not was_there:
        file.unlink()
