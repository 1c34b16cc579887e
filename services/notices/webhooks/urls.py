"""Reads the address that a source names for its events. Pure: whether it is public shows later."""

import ipaddress
import re
from dataclasses import dataclass
from typing import Final

from shared.errors import MahjicError

URL_CHARACTERS_MAX: Final = 500
HTTPS_PORT: Final = 443
PORT_MIN: Final = 1024
PORT_MAX: Final = 65_535
LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})

_LABEL: Final = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_NAME: Final = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_WHOLE: Final = re.compile(
    r"(?P<scheme>https?)://"
    r"(?P<host>\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9.-]{1,253})"
    r"(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<target>(?:/[!$-;=?-Z_a-z~]*)?)"
)


class UnfitUrl(MahjicError):
    """An address cannot be one that events are sent to."""

    code = "unfit_url"
    title = "Events can't be sent to this address"
    status = 422


@dataclass(frozen=True, slots=True)
class WebhookUrl:
    """An address in its parts. `host` is a name or a numeric address, without brackets."""

    is_secure: bool
    host: str
    port: int
    target: str

    @property
    def is_loopback(self) -> bool:
        """Whether it is meant for this machine itself."""
        return self.host in LOOPBACK_NAMES

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = HTTPS_PORT if self.is_secure else 80
        port = "" if self.port == usual else f":{self.port}"
        return f"{'https' if self.is_secure else 'http'}://{host}{port}{self.target}"


def read_url(typed: str, *, loopback: bool) -> WebhookUrl:
    """Return an address that was typed in, in its one form. Raises UnfitUrl.

    With `loopback`, one on this machine may be plain http.
    """
    text = typed[: URL_CHARACTERS_MAX + 3].strip()
    if not text or len(text) > URL_CHARACTERS_MAX:
        raise UnfitUrl(f"Give a whole address of at most {URL_CHARACTERS_MAX} characters.")
    match = _WHOLE.fullmatch(text)
    if match is None:
        raise UnfitUrl(
            "Give a whole address that begins with https://, such as "
            "https://club.example/mahjic-events. It has no spaces, no user name or password, "
            "nothing after a #, and special characters are percent-encoded."
        )
    host = match["host"].strip("[]").lower()
    if not (_is_numeric(host) if match["host"].startswith("[") else _is_name(host)):
        raise UnfitUrl("The name of the server is not complete. Copy it from your browser.")
    is_secure = match["scheme"] == "https"
    port = int(match["port"] or (HTTPS_PORT if is_secure else 80))
    url = WebhookUrl(is_secure, host, port, match["target"] or "/")
    if not is_secure and not (loopback and url.is_loopback):
        raise UnfitUrl("The address must begin with https://, so that nobody reads along.")
    if port > PORT_MAX or (port != HTTPS_PORT and port < PORT_MIN):
        raise UnfitUrl(f"The port is {HTTPS_PORT}, or {PORT_MIN} to {PORT_MAX}.")
    return url


def _is_name(host: str) -> bool:
    return _NAME.fullmatch(host) is not None


def _is_numeric(host: str) -> bool:
    try:
        ipaddress.IPv6Address(host)
    except ValueError:
        return False
    return True
