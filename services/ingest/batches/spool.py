"""A queue of bytes on disk with a limit: what is read makes room for what is written.

The file has no name, so it disappears with its process, whatever ends the process.
"""

import os
import tempfile
import threading
from pathlib import Path
from typing import IO


class Spool:
    """Bytes in a file used as a ring buffer. Its calls do I/O, and may be made from any thread."""

    def __init__(self, folder: Path | None, *, bytes_max: int) -> None:
        self._folder = folder
        self._bytes_max = bytes_max
        self._file: IO[bytes] | None = None
        self._is_closed = False
        self._start = 0
        self._length = 0
        # It may be closed while another thread is still writing.
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return self._length

    @property
    def room_bytes(self) -> int:
        """The number of bytes that can be written now."""
        return self._bytes_max - self._length

    def write(self, content: bytes) -> None:
        """Append bytes. There must be room for them. Raises OSError, and then keeps nothing."""
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
        """Take out the oldest bytes, at most `bytes_max`. There must be some. Raises OSError."""
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
                # The disk gets the space back as soon as it is not needed.
                self._start = 0
                self._file.truncate(0)
            return content

    def close(self) -> None:
        """Give the disk space back. Later reads and writes do nothing."""
        with self._lock:
            self._is_closed = True
            if self._file is not None:
                self._file.close()

    def _write_at(self, content: bytes, at: int) -> None:
        if self._file is None:
            if self._folder is not None:
                self._folder.mkdir(parents=True, exist_ok=True)
            # Python must not buffer: each call gives its own position.
            self._file = tempfile.TemporaryFile(dir=self._folder, buffering=0)  # noqa: SIM115
        while content:
            written = os.pwrite(self._file.fileno(), content, at)
            content, at = content[written:], at + written
