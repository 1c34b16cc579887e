"""Reads the lines of a file, plain or gzip, from a disk or a pipe, in bounded memory."""

import asyncio
import hashlib
import os
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Final

from services.cli.nights.submit import UnreadableFile

BLOCK_BYTES: Final = 1 << 16
# Ten times what the service takes. This much of a longer line is sent, and refused as too long.
LINE_BYTES_MAX: Final = 1 << 20
GZIP_MAGIC: Final = b"\x1f\x8b"
# zlib reads gzip, its checksums included, at this size of its window.
GZIP_WINDOW: Final = 31
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class LinePlace:
    """A place between two lines: the count of lines and unpacked bytes before it, and a hash."""

    line: int
    offset: int
    digest: str


@dataclass(slots=True)
class Line:
    """A line without its line end, with its number in the file, from 1.

    `content` is cut after LINE_BYTES_MAX; `bytes_before` and `bytes_whole` count what is unpacked.
    """

    number: int
    content: bytes
    bytes_before: int
    bytes_whole: int
    # The hash of everything up to the end of the line; converted to hexadecimal only when needed.
    read: "hashlib._Hash"

    @property
    def place(self) -> LinePlace:
        """The place after the line."""
        offset = self.bytes_before + self.bytes_whole
        return LinePlace(self.number, offset, self.read.hexdigest())


class Lines:
    """The lines of an open file, in order; blank ones are counted and left out."""

    def __init__(self, descriptor: int, name: str) -> None:
        self._descriptor = descriptor
        self._name = name
        # Of the file as it is on disk, to show how much of it has been read.
        self.file_bytes_read = 0
        self.number = 0

    async def groups(self) -> AsyncGenerator[list[Line], None]:
        """Yield lines as they come, those of one block together. Raises UnreadableFile."""
        read = hashlib.sha256()
        begun = bytearray()
        offset = begun_bytes = 0
        async for block in self._unpacked():
            *ends, rest = block.split(b"\n")
            group = []
            for end in ends:
                begun += end[: LINE_BYTES_MAX - len(begun)]
                read.update(end)
                read.update(b"\n")
                length = begun_bytes + len(end) + 1
                line = self._line(bytes(begun), offset, length, read.copy())
                offset += length
                begun_bytes = 0
                begun.clear()
                if line is not None:
                    group.append(line)
            begun += rest[: LINE_BYTES_MAX - len(begun)]
            begun_bytes += len(rest)
            read.update(rest)
            if group:
                yield group
        last = self._line(bytes(begun), offset, begun_bytes, read) if begun else None
        if last is not None:
            yield [last]

    def _line(self, content: bytes, offset: int, length: int, read: "hashlib._Hash") -> Line | None:
        self.number += 1
        if self.number == 1:
            content = content.removeprefix(BYTE_ORDER_MARK)
        if not content.strip():
            return None
        return Line(self.number, content, offset, length, read)

    async def _unpacked(self) -> AsyncIterator[bytes]:
        """Yield what the file holds, unpacked if it begins as gzip does."""
        head = b""
        unpacking: _Unpacking | None = None
        async for block in self._blocks():
            if unpacking is None:
                head += block
                if len(head) < len(GZIP_MAGIC):
                    continue
                unpacking = _Unpacking(is_gzip=head.startswith(GZIP_MAGIC))
                block = head  # noqa: PLW2901 - the first block is what came so far.
            try:
                for part in unpacking.parts(block):
                    yield part
            except zlib.error as error:
                raise self._unreadable(f"after line {self.number} it is not valid gzip") from error
        if unpacking is None and head:
            yield head
        elif unpacking is not None and not unpacking.is_whole:
            raise self._unreadable(f"after line {self.number} its gzip data breaks off")

    async def _blocks(self) -> AsyncIterator[bytes]:
        while True:
            await _until_readable(self._descriptor)
            try:
                block = os.read(self._descriptor, BLOCK_BYTES)
            except OSError as error:
                raise self._unreadable((error.strerror or "it fails").lower()) from error
            if not block:
                return
            self.file_bytes_read += len(block)
            yield block

    def _unreadable(self, why: str) -> UnreadableFile:
        return UnreadableFile(f"{self._name} cannot be read: {why}.")


class _Unpacking:
    """Unpacks gzip of any number of members, a bounded part at a time; the rest passes through."""

    def __init__(self, *, is_gzip: bool) -> None:
        self._member = zlib.decompressobj(GZIP_WINDOW) if is_gzip else None

    @property
    def is_whole(self) -> bool:
        """Return whether no member is unfinished."""
        return self._member is None or self._member.eof

    def parts(self, block: bytes) -> Iterator[bytes]:
        """Yield what a block unpacks to. Raises zlib.error."""
        if self._member is None:
            yield block
            return
        while block:
            if self._member.eof:
                block = block.lstrip(b"\0")  # Tapes pad with zeros, and so do some tools still.
                if not block:
                    return
                self._member = zlib.decompressobj(GZIP_WINDOW)
            yield self._member.decompress(block, BLOCK_BYTES)
            block = self._member.unconsumed_tail or self._member.unused_data
        # What is held back of a part that was full.
        while not self._member.eof and (more := self._member.decompress(b"", BLOCK_BYTES)):
            yield more


async def _until_readable(descriptor: int) -> None:
    """Wait until a read returns at once; a signal can end this wait, but not a read."""
    loop = asyncio.get_running_loop()
    came = asyncio.Event()
    try:
        loop.add_reader(descriptor, came.set)
    except PermissionError:
        return  # A file on a disk never keeps a reader waiting.
    try:
        await came.wait()
    finally:
        loop.remove_reader(descriptor)
