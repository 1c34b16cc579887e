"""Reads the body of a request: as bytes within a limit, or as JSON with all its mistakes located.

FastAPI's own body handling is not used: it has no limit, and accepts JSON that is not valid.
"""

import asyncio
import re
from typing import Final, Literal, TypeVar

from fastapi import Request
from pydantic import TypeAdapter
from starlette.requests import ClientDisconnect
from starlette.types import Receive

from shared.documents import parse_strictly
from shared.errors import MalformedJson
from shared.http.problems import BodyTooSlow, PayloadTooLarge, UnsupportedMediaType

T = TypeVar("T")

# A body of 1 MiB at the speed of an old mobile network; anything slower is an attack.
BODY_S_MAX: Final = 30.0
# Includes the boundary of a form, which has at most 70 characters. Longer ones are not read.
CONTENT_TYPE_CHARACTERS_MAX: Final = 400
_JSON_TYPE: Final = re.compile(
    r"application/(?:[\w.!#$&^-]+\+)?json\s*(?:;\s*charset\s*=\s*(?:utf-8|\"utf-8\")\s*)?",
    re.ASCII | re.IGNORECASE,
)
_TEXT_TYPE: Final = re.compile(
    r"text/plain\s*(?:;\s*charset\s*=\s*(?:utf-8|\"utf-8\")\s*)?", re.ASCII | re.IGNORECASE
)
_LINES_TYPE: Final = re.compile(
    r"application/(?:x-ndjson|ndjson|jsonl)\s*(?:;\s*charset\s*=\s*(?:utf-8|\"utf-8\")\s*)?",
    re.ASCII | re.IGNORECASE,
)


async def read_json_body(
    request: Request, *, bytes_max: int, body_s_max: float = BODY_S_MAX
) -> bytes:
    """Return the body of a request that says it is JSON, as it came.

    Raises UnsupportedMediaType, PayloadTooLarge, BodyTooSlow, or MalformedJson for an empty body.
    """
    _check_type(request, _JSON_TYPE, "Send the body as JSON, with Content-Type: application/json.")
    body = await _read_in_time(request, bytes_max, body_s_max)
    _check_not_empty(body)
    return body


async def read_body(
    request: Request,
    expected: re.Pattern[str],
    what: str,
    *,
    bytes_max: int,
    body_s_max: float = BODY_S_MAX,
) -> bytes:
    """Return the body of a request that says it is of the type `expected`, as it came.

    Raises UnsupportedMediaType, which says `what` to send, PayloadTooLarge or BodyTooSlow.
    """
    _check_type(request, expected, what)
    return await _read_in_time(request, bytes_max, body_s_max)


async def read_strictly(request: Request, model_adapter: TypeAdapter[T], *, bytes_max: int) -> T:
    """Return what the JSON body of a request says.

    Raises the same as `read_json_body` and `parse_strictly`.
    """
    return parse_strictly(model_adapter, await read_json_body(request, bytes_max=bytes_max))


async def read_text_or_json_body(
    request: Request, *, bytes_max: int, body_s_max: float = BODY_S_MAX
) -> tuple[Literal["text", "json"], bytes]:
    """Return which of the two the request says its body is, and the body as it came.

    Raises the same as `read_json_body`.
    """
    sent = request.headers.get("content-type", "")[: CONTENT_TYPE_CHARACTERS_MAX + 1]
    if _TEXT_TYPE.fullmatch(sent.strip()):
        _check_type(request, _TEXT_TYPE, "Send exactly one Content-Type.")
        return "text", await _read_in_time(request, bytes_max, body_s_max)
    what = "Send the body with Content-Type: text/plain in UTF-8, or application/json."
    _check_type(request, _JSON_TYPE, what)
    body = await _read_in_time(request, bytes_max, body_s_max)
    _check_not_empty(body)
    return "json", body


def check_lines_type(request: Request) -> None:
    """Check that the body of a request says it is lines of JSON. Raises UnsupportedMediaType."""
    what = "Send the body as lines of JSON, with Content-Type: application/x-ndjson."
    _check_type(request, _LINES_TYPE, what)


def _check_type(request: Request, expected: re.Pattern[str], what: str) -> None:
    content_types = request.headers.getlist("content-type")
    sent = content_types[0] if len(content_types) == 1 else ""
    is_short = len(sent) <= CONTENT_TYPE_CHARACTERS_MAX
    if not is_short or expected.fullmatch(sent.strip()) is None:
        raise UnsupportedMediaType(what)
    encoding = ",".join(request.headers.getlist("content-encoding")).strip().lower()
    if encoding not in {"", "identity"}:
        raise UnsupportedMediaType("Send the body uncompressed, without a Content-Encoding.")


async def _read_in_time(request: Request, bytes_max: int, body_s_max: float) -> bytes:
    # A declared length is believed only when it is too large; what comes is counted.
    told = request.headers.get("content-length", "")
    if told.isascii() and told.isdigit() and int(told[:20]) > bytes_max:
        raise PayloadTooLarge(bytes_max)
    try:
        async with asyncio.timeout(body_s_max):
            return await _read_at_most(request.receive, bytes_max)
    except TimeoutError:
        raise BodyTooSlow(body_s_max) from None


def _check_not_empty(body: bytes) -> None:
    if not body.strip(b" \t\r\n"):
        raise MalformedJson("it is empty")


async def _read_at_most(receive: Receive, bytes_max: int) -> bytes:
    parts: list[bytes] = []
    bytes_read = 0
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        part = message.get("body", b"")
        bytes_read += len(part)
        if bytes_read > bytes_max:
            raise PayloadTooLarge(bytes_max)
        parts.append(part)
        more = message.get("more_body", False)
    return b"".join(parts)
