"""Reads a file that a request brings: as the body itself, or as the one file of a form."""

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable
from typing import Any, Final

from fastapi import Request
from multipart import MultipartError, MultipartSegment, PushMultipartParser, parse_options_header
from starlette.requests import ClientDisconnect

from shared.errors import MahjicError
from shared.http.bodies import CONTENT_TYPE_CHARACTERS_MAX
from shared.http.problems import BodyTooSlow, PayloadTooLarge, UnsupportedMediaType
from shared.mistakes import quoted

# A file of 10 MiB at 1.5 Mbit/s; a slower sender would take up a place that others need.
UPLOAD_S_MAX: Final = 60.0
FORM: Final = "multipart/form-data"
# A browser's form has one part for each field; one of them is the file.
PARTS_MAX: Final = 8


class InvalidForm(MahjicError):
    """The form does not have exactly one file in it."""

    code = "invalid_form"
    title = "The form must contain one file and nothing else"
    status = 422


async def read_upload(
    request: Request, *, types: Collection[str], bytes_max: int, upload_s_max: float = UPLOAD_S_MAX
) -> bytes:
    """Return the file of a request, whose type must be one of `types` or that of a form.

    Its file name may be someone's name, and is not kept. The whole body has at most `bytes_max`
    bytes. Raises UnsupportedMediaType, PayloadTooLarge, BodyTooSlow or InvalidForm.
    """
    kind, boundary = _kind_of(request, types)
    told = request.headers.get("content-length", "")
    if told.isascii() and told.isdigit() and int(told[:20]) > bytes_max:
        raise PayloadTooLarge(bytes_max)
    pieces = _pieces(request, bytes_max)
    try:
        async with asyncio.timeout(upload_s_max):
            if kind == FORM:
                return await _read_form(pieces, boundary)
            content = bytearray()
            async for piece in pieces:
                content += piece
            return bytes(content)
    except TimeoutError:
        raise BodyTooSlow(upload_s_max) from None


def _kind_of(request: Request, types: Collection[str]) -> tuple[str, str]:
    """Return the type of the body, and the boundary of a form."""
    sent = request.headers.getlist("content-type")
    is_read = len(sent) == 1 and len(sent[0]) <= CONTENT_TYPE_CHARACTERS_MAX
    kind, options = parse_options_header(sent[0] if is_read else "")
    kind, boundary = kind.strip().lower(), options.get("boundary", "")
    if kind not in types and kind != FORM:
        listed = ", ".join(sorted(types))
        raise UnsupportedMediaType(
            f"Send the file as the body with one of these Content-Types: {listed}; or as the "
            f"file in a form, with {FORM}."
        )
    if kind == FORM and not boundary:
        raise UnsupportedMediaType(
            f"{FORM} needs its boundary. Let the program that sends the form set it."
        )
    encoding = ",".join(request.headers.getlist("content-encoding")).strip().lower()
    if encoding not in {"", "identity"}:
        raise UnsupportedMediaType("Send the body uncompressed, without a Content-Encoding.")
    return kind, boundary


async def _pieces(request: Request, bytes_max: int) -> AsyncIterator[bytes]:
    """Yield the body as it comes, and refuse it once it is too long."""
    bytes_read, is_more = 0, True
    while is_more:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        piece = message.get("body", b"")
        is_more = message.get("more_body", False)
        bytes_read += len(piece)
        if bytes_read > bytes_max:
            raise PayloadTooLarge(bytes_max)
        if piece:
            yield piece


async def _read_form(pieces: AsyncIterator[bytes], boundary: str) -> bytes:
    form = _Form()
    try:
        # A strict parser refuses the last line end when it comes in a piece of its own.
        with PushMultipartParser(boundary, max_segment_count=PARTS_MAX, strict=False) as parser:
            async for piece in pieces:
                form.take(parser.parse(piece))
    except MultipartError as error:
        raise InvalidForm(
            f"The form cannot be read: {_in_words(error)}. A form must have one part, the file."
        ) from None
    return form.file()


def _in_words(error: MultipartError) -> str:
    # What follows these words quotes the form, which has names in it.
    words = str(error.args[0]) if error.args else type(error).__name__
    return words[0].lower() + words[1:].rstrip(".")


class _Form:
    """What has been read of a form. Only a file is kept, and only one."""

    def __init__(self) -> None:
        self._has_file = self._is_named = False
        self._content = bytearray()

    def take(self, events: Iterable[Any]) -> None:
        """Take what the parser found: the head of a part, pieces of its content, its end."""
        for event in events:
            if isinstance(event, MultipartSegment):
                self._begin(event)
            elif event is not None:
                self._content += event

    def _begin(self, part: MultipartSegment) -> None:
        # A field that looks like an option but is not read must not pass unnoticed.
        if part.filename is None:
            raise InvalidForm(
                f"The form has the field {quoted(part.name)}, which is not a file. Send only "
                "the file; anything else goes into the address, like ?dry_run=true."
            )
        if self._has_file:
            raise InvalidForm("The form has several files. Send one file per request.")
        self._has_file, self._is_named = True, bool(part.filename)

    def file(self) -> bytes:
        """Return the file. Raises InvalidForm if there is none."""
        # A browser sends an empty part without a name when no file was chosen.
        if not (self._is_named or self._content):
            raise InvalidForm("The form has no file. Choose one, and send it again.")
        return bytes(self._content)
