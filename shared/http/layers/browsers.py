"""Tells browsers what they may do with our answers: security fields, and who may read across sites.

Public reads are open to every site, whatever becomes of them, so that anyone can build a page or a
widget on them. What an API key is sent with or needed for is not: a key has no place in a page.
Neither is anything of the site that may depend on who is logged in, nor what those who watch the
service are told. Open is always `*`: browsers give no script what they sent a cookie for then, and
the answer is the same for all, so caches need not keep one for each site.
"""

from collections.abc import Mapping
from typing import Final

from starlette.types import Message, Receive, Scope, Send

from shared.http.layer import HttpLayer
from shared.http.layers.paths import (
    FRAMED_PATH,
    WATCHED_PATHS,
    is_of_site,
    is_shown_to_all,
)
from shared.http.routes import TableRoute

# Data is never run or framed.
_NEVER_RUN: Final = [
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
]
_DATA_FIELDS: Final = [
    *_NEVER_RUN,
    (b"referrer-policy", b"strict-origin-when-cross-origin"),
    (b"cross-origin-resource-policy", b"cross-origin"),
]
# What the site answers to one browser: where to go next, a file of one's own.
_PERSONAL_FIELDS: Final = [
    *_NEVER_RUN,
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
_POLICY: Final = "content-security-policy"
# A page runs and shows what comes from its own origin, as files, and nothing else.
_ANY_PAGE_FIELDS: Final = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (
        b"permissions-policy",
        b"camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()",
    ),
]
_PAGE_FIELDS: Final = [
    *_ANY_PAGE_FIELDS,
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
]
# A page in a frame of another site runs nothing at all. Who may frame it is not said: every word
# for that leaves somebody out, such as a page that is a file, or a frame in a sandbox.
_FRAMED_POLICY: Final = (
    b"default-src 'none'; style-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'"
)
_FRAMED_FIELDS: Final = [
    *_ANY_PAGE_FIELDS,
    (b"cross-origin-resource-policy", b"cross-origin"),
    (_POLICY.encode(), _FRAMED_POLICY),
]
OPEN_FIELDS: Final = [
    (b"access-control-allow-origin", b"*"),
    (
        b"access-control-expose-headers",
        b"ETag, Link, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id",
    ),
]
_PREFLIGHT: Final = [
    (b"access-control-allow-origin", b"*"),
    (b"access-control-allow-methods", b"GET, HEAD"),
    (b"access-control-allow-headers", b"If-None-Match, X-Request-Id"),
    (b"access-control-max-age", b"86400"),
]
# `Authorization` is not among them, so no browser sends a key across sites.
_SENT_FIELDS: Final = frozenset({"if-none-match", "x-request-id"})


def page_policy(*form_origins: str) -> dict[str, str]:
    """Return the field that says what a page may do; its forms may lead to these origins as well.

    A page without one gets that of all pages, whose forms lead nowhere else.
    """
    forms = " ".join(["form-action 'self'", *form_origins])
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
        f"img-src 'self'; connect-src 'self'; manifest-src 'self'; frame-src 'self'; {forms}; "
        "base-uri 'none'; frame-ancestors 'none'"
    )
    return {_POLICY: policy}


_USUAL_POLICY: Final = (_POLICY.encode(), page_policy()[_POLICY].encode())


class BrowserRules(HttpLayer):
    """Adds the fields, and answers preflight requests."""

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a preflight; add the fields to any other answer."""
        sent = dict(scope["headers"])
        if scope["method"] == "OPTIONS" and b"access-control-request-method" in sent:
            await _answer_preflight(scope["path"], sent, _with_rules(scope, sent, send))
        else:
            await self.app(scope, receive, _with_rules(scope, sent, send))


def _with_rules(scope: Scope, sent: Mapping[bytes, bytes], send: Send) -> Send:
    async def send_with_rules(message: Message) -> None:
        if message["type"] == "http.response.start":
            answered = dict(message["headers"])
            is_page = answered.get(b"content-type", b"").startswith(b"text/html")
            # A shared cache may give a page a public answer that someone else asked for first.
            is_public = answered.get(b"cache-control", b"").startswith(b"public")
            is_personal = not is_public and _is_personal(scope["path"])
            fields = _PERSONAL_FIELDS if is_personal else _DATA_FIELDS
            if is_page:
                fields = _fields_of_page(scope["path"], has_policy=_POLICY.encode() in answered)
            headers = [*message["headers"], *fields]
            is_open = is_public or not (is_personal or _is_closed(scope, sent))
            if scope["method"] == "GET" and not is_page and is_open:
                headers.extend(OPEN_FIELDS)
            message = {**message, "headers": headers}
        await send(message)

    return send_with_rules


def _fields_of_page(path: str, *, has_policy: bool) -> list[tuple[bytes, bytes]]:
    if path.startswith(FRAMED_PATH):
        return _FRAMED_FIELDS
    return _PAGE_FIELDS if has_policy else [*_PAGE_FIELDS, _USUAL_POLICY]


def _is_personal(path: str) -> bool:
    """Return whether what is at an address may depend on who is logged in."""
    return is_of_site(path) and not is_shown_to_all(path)


def _is_closed(scope: Scope, sent: Mapping[bytes, bytes]) -> bool:
    """Return whether an answer is for those with a key, or for those who watch the service."""
    route = scope.get("route")
    needs_key = isinstance(route, TableRoute) and route.needs_key
    # The site takes no keys, and answers the same with one.
    is_keyed = b"authorization" in sent and not is_of_site(scope["path"])
    return needs_key or is_keyed or scope["path"] in WATCHED_PATHS


async def _answer_preflight(path: str, sent: Mapping[bytes, bytes], send: Send) -> None:
    names = sent.get(b"access-control-request-headers", b"").decode("latin-1").lower()
    is_read = sent[b"access-control-request-method"] in {b"GET", b"HEAD"}
    is_plain = {name.strip() for name in names.split(",") if name.strip()} <= _SENT_FIELDS
    is_open = is_read and is_plain and not _is_personal(path) and path not in WATCHED_PATHS
    await send(
        {
            "type": "http.response.start",
            "status": 204,
            "headers": _PREFLIGHT if is_open else [],
        }
    )
    await send({"type": "http.response.body", "body": b""})
