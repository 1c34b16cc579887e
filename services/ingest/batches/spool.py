"""A queue of bytes on disk within a limit: what is read makes room for what is written.

The file has no name, so it is gone with its process, whatever ends that.
"""

import os
import tempfile
import threading
from pathlib import Path
from typing import IO


class Spool:
    """Bytes in a file that is written in a ring. Its calls do input and output, in any thread."""

    def __init__(self, folder: Path | None, *, bytes_max: int) -> None:
        self._folder = folder
        self._bytes_max = bytes_max
        self._file: IO[bytes] | None = None
        self._is_closed = False
        self._start = 0
        self._length = 0
        # Whoever closes it may not know that a thread still writes.
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return self._length

    @property
    def room_bytes(self) -> int:
        """How many bytes can be written now."""
        return self._bytes_max - self._length

    def write(self, content: bytes) -> None:
        """Append bytes, for which there must be room. Raises OSError, and then none is kept."""
        assert len(content) <= self.room_bytes, "Who writes waits for room."
        with self._lock:
            if self._is_closed:
                return
            at = (self._start + self._length) % self._bytes_max
            before_end = min(len(content), self._bytes_max - at)
            self._write_at(content[:before_end], at)
            self._write_at(content[before_end:], 0)
            self._length += len(content)

    def read(self, bytes_max: int) -> bytes:
        """Take the oldest bytes out, at most so many; there must be some. Raises OSError."""
        with self._lock:
            if self._is_closed:
                return b""
            assert self._file is not None, "What is read was written."
            wanted = min(bytes_max, self._length, self._bytes_max - self._start)
            content = os.pread(self._file.fileno(), wanted, self._start)
            assert content, "The file holds what was written."
            self._length -= len(content)
            self._start = (self._start + len(content)) % self._bytes_max
            if self._length == 0:
                # The disk has it back as soon as no one needs it.
                self._start = 0
                self._file.truncate(0)
            return content

    def close(self) -> None:
        """Give the disk back; what is written or read from now on is nothing."""
        with self._lock:
            self._is_closed = True
            if self._file is not None:
                self._file.close()

    def _write_at(self, content: bytes, at: int) -> None:
        if self._file is None:
            if self._folder is not None:
                self._folder.mkdir(parents=True, exist_ok=True)
            # Without a buffer of Python's own: each call tells its place.
            self._file = tempfile.TemporaryFile(dir=self._folder, buffering=0)  # noqa: SIM115
        while content:
            written = os.pwrite(self._file.fileno(), content, at)
            content, at = content[written:], at + written
