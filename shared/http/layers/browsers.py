"""Tells browsers what they may do with our answers: security fields, and who may read across sites.

Public reads are open to every site, so that anyone can build a page or a widget on them. Requests
with an API key are not: a key has no place in a page. Neither is anything of the site that does not
say that it is public: what a browser is shown may depend on who is logged in.
"""

from typing import Final

from starlette.types import Message, Receive, Scope, Send

from shared.http.layer import HttpLayer
from shared.http.layers.paths import is_of_site

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
_PAGE_FIELDS: Final = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (
        b"permissions-policy",
        b"camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()",
    ),
]
_OPEN: Final = [
    (b"access-control-allow-origin", b"*"),
    (
        b"access-control-expose-headers",
        b"ETag, Link, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id",
    ),
]
# `Authorization` is not among the allowed fields, so no browser sends a key across sites.
_PREFLIGHT: Final = [
    (b"access-control-allow-origin", b"*"),
    (b"access-control-allow-methods", b"GET, HEAD"),
    (b"access-control-allow-headers", b"If-None-Match, X-Request-Id"),
    (b"access-control-max-age", b"86400"),
]


def page_policy(*form_origins: str) -> dict[str, str]:
    """Return the field that says what a page may do; its forms may lead to these origins as well.

    A page without one gets that of all pages, whose forms lead nowhere else.
    """
    forms = " ".join(["form-action 'self'", *form_origins])
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
        f"img-src 'self'; connect-src 'self'; manifest-src 'self'; {forms}; "
        "base-uri 'none'; frame-ancestors 'none'"
    )
    return {_POLICY: policy}


_USUAL_POLICY: Final = (_POLICY.encode(), page_policy()[_POLICY].encode())


class BrowserRules(HttpLayer):
    """Adds the fields, and answers preflight requests."""

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a preflight; add the fields to any other answer."""
        sent = dict(scope["headers"])
        is_read = scope["method"] in {"GET", "HEAD"}
        is_keyed = b"authorization" in sent

        async def send_with_rules(message: Message) -> None:
            if message["type"] == "http.response.start":
                answered = dict(message["headers"])
                is_page = answered.get(b"content-type", b"").startswith(b"text/html")
                # A shared cache may give a page a public answer that someone else asked for first.
                is_public = answered.get(b"cache-control", b"").startswith(b"public")
                is_personal = is_of_site(scope["path"]) and not is_public
                fields = _PERSONAL_FIELDS if is_personal else _DATA_FIELDS
                headers = [*message["headers"], *(_PAGE_FIELDS if is_page else fields)]
                if is_page and _POLICY.encode() not in answered:
                    headers.append(_USUAL_POLICY)
                is_open = is_public or not (is_keyed or is_personal)
                if is_read and not is_page and is_open:
                    headers.extend(_OPEN)
                message = {**message, "headers": headers}
            await send(message)

        if scope["method"] == "OPTIONS" and b"access-control-request-method" in sent:
            await _answer_preflight(sent[b"access-control-request-method"], send_with_rules)
        else:
            await self.app(scope, receive, send_with_rules)


async def _answer_preflight(asked: bytes, send: Send) -> None:
    headers = _PREFLIGHT if asked in {b"GET", b"HEAD"} else []
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
