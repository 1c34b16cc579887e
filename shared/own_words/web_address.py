"""Reads the address of a page on the web that somebody typed. Pure."""

import re
from typing import Final
from urllib.parse import urlsplit

SITE_CHARACTERS_MAX: Final = 300

_HOST: Final = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]")


def read_site(text: str) -> str | None:
    """Return the address of a page on the web, with https if nothing else is said; or None."""
    whole = text if "://" in text else f"https://{text}"
    if not whole.isascii() or not whole.isprintable() or " " in whole:
        return None
    try:
        parts = urlsplit(whole)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    is_web = parts.scheme in {"http", "https"} and port in {None, 80, 443}
    if not is_web or parts.username is not None or parts.password is not None:
        return None
    return whole if len(host) <= 253 and _HOST.fullmatch(host) else None
