"""Cuts a stream of bytes into lines, and never holds more than one line of the longest length.

Pure. A line ends with a line feed, or a carriage return and a line feed. After the last of these
there is another line only if more bytes follow.
"""

from collections.abc import Iterator
from typing import Final, TypeAlias

LINE_FEED: Final = b"\n"
# Takes the place of a line that was too long to keep.
TOO_LONG: Final = None

Line: TypeAlias = bytes | None


class LineCutter:
    """The part of a line that has arrived so far."""

    def __init__(self, *, line_bytes_max: int) -> None:
        # A line may end in two bytes, and the first may arrive before we know that the line ends.
        self._kept_max = line_bytes_max + 1
        self._line_bytes_max = line_bytes_max
        self._begun = bytearray()
        self._is_too_long = False

    def feed(self, part: bytes) -> Iterator[Line]:
        """Yield each line that ends in the next part of the stream."""
        start = 0
        while (end := part.find(LINE_FEED, start)) >= 0:
            self._keep(part, start, end)
            yield self._take()
            start = end + 1
        self._keep(part, start, len(part))

    def end(self) -> Iterator[Line]:
        """Yield the bytes after the last line ending, if there are any."""
        if self._begun or self._is_too_long:
            yield self._take()

    def _keep(self, part: bytes, start: int, end: int) -> None:
        self._is_too_long |= len(self._begun) + end - start > self._kept_max
        if self._is_too_long:
            self._begun.clear()
        else:
            self._begun += part[start:end]

    def _take(self) -> Line:
        line = bytes(self._begun).removesuffix(b"\r")
        is_too_long = self._is_too_long or len(line) > self._line_bytes_max
        self._begun.clear()
        self._is_too_long = False
        return TOO_LONG if is_too_long else line
