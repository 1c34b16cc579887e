"""Where people find this site, and what browsers let it do there.

Links to it never use what a request calls its host.
"""

from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

_DEFAULT_PORTS: Final = {"http": "80", "https": "443"}
_LOOPBACK_NAME: Final = "localhost"


class Origin:
    """The origin of the site: as the operator set it, or this machine and the port it serves on."""

    def __init__(self, public_url: str | None, port: int) -> None:
        self._public_url = None if public_url is None else as_browsers_write(public_url)
        self._port = port

    def bind(self, port: int) -> None:
        """Take the port that was found, when any free one would do."""
        self._port = port

    @property
    def url(self) -> str:
        """The origin, without a slash at its end."""
        return self._public_url or f"http://{_LOOPBACK_NAME}:{self._port}"

    @property
    def is_secure(self) -> bool:
        """Whether browsers come by HTTPS."""
        return self.url.startswith("https://")

    @property
    def has_login(self) -> bool:
        """Whether people can log in: by HTTPS, or on this machine, where nobody listens in."""
        return self.is_secure or _is_loopback(_host_of(self.url))

    @property
    def has_passkeys(self) -> bool:
        """Whether browsers make passkeys for the site: they are bound to a name, not an address."""
        return self.has_login and not _is_address(_host_of(self.url))


def as_browsers_write(origin: str) -> str:
    """Return an origin as browsers write it: small letters, and no port that needs no saying."""
    scheme, _, place = origin.lower().partition("://")
    host, _, port = place.rpartition(":")
    return f"{scheme}://{host if port == _DEFAULT_PORTS[scheme] else place}"


def _host_of(origin: str) -> str:
    return urlsplit(origin).hostname or ""


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _is_loopback(host: str) -> bool:
    if _is_address(host):
        return ip_address(host).is_loopback
    return host == _LOOPBACK_NAME or host.endswith(f".{_LOOPBACK_NAME}")
