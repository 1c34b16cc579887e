"""Cuts the bytes of a connection into pieces that end where a part of a request can end. Pure.

The HTTP parser does not say where in its data a request ended. Fed with these pieces, it never
reads past the end of a request; so a head is counted to the byte however the network split it.
Whether it is well-formed is for the parser to decide, not for this.
"""

import re
from collections.abc import Iterable
from enum import Enum, auto
from typing import Final

# The length of a chunk in hex, and extensions that no one sends.
CHUNK_LINE_BYTES_MAX: Final = 1024
_LINE_END: Final = b"\r\n"
_HEAD_END: Final = b"\r\n\r\n"
_LENGTH_IN_HEX: Final = re.compile(rb"[0-9A-Fa-f]+")
# The parser takes a request with this field as the last one on its connection, and leaves its body
# to the protocol asked for. Clients that send it with every request mean it as an offer (RFC 9110,
# section 7.8), so the parser sees it under another name.
_OFFER: Final = b"upgrade:"
_RENAMED: Final = b"ignored-"


class Part(Enum):
    """Where in a request the next byte belongs."""

    HEAD = auto()
    BODY = auto()
    CHUNK_LINE = auto()
    CHUNK = auto()
    TRAILER = auto()
    END = auto()


class TooLong(Exception):
    """A part that should have ended by now has not."""

    def __init__(self, part: Part) -> None:
        super().__init__(part)
        self.part = part


class Framing:
    """How far one connection is in its current request.

    For each piece: `next_piece`, then the parser, whose callbacks call `begin_body`, `begin_chunk`
    and `end`, then `settle`.
    """

    def __init__(self, *, head_bytes_max: int) -> None:
        self.part = Part.HEAD
        self._head_bytes_max = head_bytes_max
        # Bytes read of a part with a limit, and bytes left of a part with a declared length.
        self._bytes_read = self._bytes_left = 0
        self._chunk_line = b""
        self._is_line_begun = False

    @property
    def is_between_requests(self) -> bool:
        """Whether nothing of the next request has come yet."""
        return self.part is Part.HEAD and self._bytes_read == 0

    @property
    def body_bytes_left(self) -> int:
        """How much of the body is still to come, as far as the request has said."""
        return self._bytes_left

    def next_piece(self, data: bytes, at: int) -> tuple[int, bytes]:
        """Return how much of the data is read next, and what the parser gets instead; count it.

        It is empty if more must come first.
        """
        if self.part is Part.BODY or self.part is Part.CHUNK:
            piece = data[at : at + self._bytes_left]
            self._bytes_left -= len(piece)
            return len(piece), piece
        room = self._room()
        if self.part is Part.HEAD and self._bytes_read == 0:
            # Nearly always a head comes whole and offers nothing; then it is one piece.
            head = data[at : data.find(_HEAD_END, at, at + room) + len(_HEAD_END)]
            if len(head) > len(_HEAD_END) and _OFFER not in head.lower():
                self._bytes_read += len(head)
                self._is_line_begun = False
                return len(head), head
        end = at + room
        line_end = data.find(b"\n", at, end)
        piece = data[at : end if line_end < 0 else line_end + 1]
        is_offer = False
        if self.part is Part.HEAD and not self._is_line_begun:
            if len(piece) < room and _OFFER.startswith(piece.lower()):
                return 0, b""
            is_offer = piece[: len(_OFFER)].lower() == _OFFER
        self._is_line_begun = line_end < 0
        self._bytes_read += len(piece)
        if self.part is Part.CHUNK_LINE:
            self._chunk_line += piece
        return len(piece), _RENAMED + piece if is_offer else piece

    def begin_body(self, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Note that a head ended, which the parser found valid."""
        self._bytes_read = self._bytes_left = 0
        fields = dict(headers)
        if b"transfer-encoding" in fields:
            self.part = Part.CHUNK_LINE
        else:
            self.part = Part.BODY
            self._bytes_left = int(fields.get(b"content-length", b"0"))

    def begin_chunk(self) -> None:
        """Note that the line before a chunk ended."""
        told = _LENGTH_IN_HEX.match(self._chunk_line)
        assert told is not None, "The parser has read a length here."
        length = int(told[0], 16)
        self._chunk_line, self._bytes_read = b"", 0
        self.part = Part.CHUNK if length else Part.TRAILER
        self._bytes_left = length + len(_LINE_END) if length else 0

    def end(self) -> None:
        """Note that a request ended."""
        self.part = Part.END

    def settle(self) -> None:
        """Go on to the part that follows. Raises TooLong."""
        if self.part is Part.END:
            self.part = Part.HEAD
            self._bytes_read = self._bytes_left = 0
        elif self.part is Part.CHUNK and self._bytes_left == 0:
            self.part = Part.CHUNK_LINE
        elif self.part is not Part.BODY and self.part is not Part.CHUNK and self._room() == 0:
            raise TooLong(self.part)

    def _room(self) -> int:
        is_chunk_line = self.part is Part.CHUNK_LINE
        limit = CHUNK_LINE_BYTES_MAX if is_chunk_line else self._head_bytes_max
        return limit - self._bytes_read
