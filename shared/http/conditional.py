"""Answers: public reads, which caches may keep and ask about again, and private ones."""

import hashlib
import re
from collections.abc import Mapping
from typing import Final

import orjson
from fastapi import Request
from starlette.responses import Response

JSON: Final = "application/json"
# No two parts of it match the same characters, so it never looks at spaces twice.
_ENTITY_TAG: Final = re.compile(r'[ \t]*(?:(?:W/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|\Z)')
# Enough for a cache with 200 versions of an answer. A longer list matches nothing, which is safe.
IF_NONE_MATCH_CHARACTERS_MAX: Final = 8 * 1024


def public_json(
    request: Request, value: object, max_age_s: int, *, headers: Mapping[str, str] | None = None
) -> Response:
    """Return what everyone may read as JSON with an ETag, or 304 if the caller has it already.

    `seq`, which the answer is based on, grows with every fact, even when nothing in the answer
    changes. The tag leaves it out, and is weak for that reason.
    """
    if not isinstance(value, Mapping) or "seq" not in value:
        return public_file(request, orjson.dumps(value), JSON, max_age_s, headers=headers)
    tagged = orjson.dumps({name: each for name, each in value.items() if name != "seq"})
    # The member goes at the end, outside what is hashed, so that nothing is written twice.
    body = b'%b,"seq":%d}' % (tagged[:-1], value["seq"])
    return _answer(request, body, JSON, max_age_s, etag=f"W/{_tag(tagged)}", headers=headers)


def public_file(
    request: Request,
    body: bytes,
    media_type: str,
    max_age_s: int,
    *,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return what everyone may read with an ETag, or 304 if the caller has it already.

    The ETag is a hash of the body: two processes, and the same one after a restart, give the
    same tag to the same content and never to another.
    """
    return _answer(request, body, media_type, max_age_s, etag=_tag(body), headers=headers)


def _tag(content: bytes) -> str:
    return f'"{hashlib.blake2b(content, digest_size=16).hexdigest()}"'


def _answer(
    request: Request,
    body: bytes,
    media_type: str,
    max_age_s: int,
    *,
    etag: str,
    headers: Mapping[str, str] | None,
) -> Response:
    assert max_age_s >= 0
    fields = {
        **(headers or {}),
        "ETag": etag,
        "Cache-Control": f"public, max-age={max_age_s}",
    }
    if is_held(request.headers.getlist("if-none-match"), etag):
        return Response(status_code=304, headers=fields)
    return Response(body, media_type=media_type, headers=fields)


def private_json(
    value: object, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return what only this caller may read, as JSON that no cache keeps."""
    fields = {**(headers or {}), "Cache-Control": "no-store"}
    return Response(orjson.dumps(value), status_code=status, media_type=JSON, headers=fields)


def is_held(if_none_match: list[str], etag: str) -> bool:
    """Return whether `If-None-Match` names an entity tag, by the weak comparison of RFC 9110."""
    etag = etag.removeprefix("W/")
    text = ",".join(if_none_match)
    if len(text) > IF_NONE_MATCH_CHARACTERS_MAX:
        return False
    if text.strip() == "*":
        return True
    at = 0
    while at < len(text):
        tag = _ENTITY_TAG.match(text, at)
        if tag is None:
            return False  # Malformed from here on. Sending the body again is never wrong.
        if tag[1] == etag:
            return True
        at = tag.end()
    return False
