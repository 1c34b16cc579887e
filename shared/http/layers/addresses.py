"""Finds the address of the client behind the proxies that the operator trusts, for counting only.

Only proxies named in the settings are believed. A header from a client that reaches us directly
is a claim, and claims about the sender's own address are worth nothing.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import Final

from starlette.types import Scope

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# More proxies in a row than anyone runs; anything further left was made up.
HOPS_MAX: Final = 16
# What counts when there is no address at all, as on a Unix socket.
NO_ADDRESS: Final = "local"
_FORWARDED_PAIR: Final = re.compile(
    r'\s*([!#$%&\'*+.^_`|~0-9A-Za-z-]+)=(?:"((?:[^"\\]|\\.)*)"|([^",;\s]*))\s*([;,]|$)'
)


class ClientAddresses:
    """Finds out which client sent a request, given the networks of the trusted proxies."""

    def __init__(self, trusted_proxies: Sequence[Network] = ()) -> None:
        self._trusted = tuple(trusted_proxies)
        # The same few peers send most requests; reading an address takes 3 us.
        self._of_peer = lru_cache(maxsize=4096)(self._look_at_peer)

    def counted_as(self, scope: Scope) -> str:
        """Return the name that a request's client is counted under.

        It is the IPv4 address, or the /64 of an IPv6 address: a client with one address of a
        /64 has them all.
        """
        client = scope.get("client")
        name, is_proxy = self._of_peer(client[0] if client else "")
        if not is_proxy:
            return name
        return self._behind_proxy(scope["headers"]) or name

    def peer(self, host: str) -> tuple[str, bool]:
        """Return the name that a connecting host is counted under, and whether it is a proxy."""
        return self._of_peer(host)

    def _look_at_peer(self, host: str) -> tuple[str, bool]:
        address = read_address(host)
        if address is None:
            return NO_ADDRESS, False
        return counted(address), self._is_trusted(address)

    def _is_trusted(self, address: Address) -> bool:
        return any(address in network for network in self._trusted)

    def _behind_proxy(self, headers: Iterable[tuple[bytes, bytes]]) -> str | None:
        """Return the client that the proxies name, None if they name none.

        A proxy writes one of the two headers and passes on the other as the client sent it. We
        can't tell which; so if they disagree, it is a client's trick and neither counts.
        """
        x_forwarded_for: list[str] = []
        forwarded: list[str] = []
        for name, value in headers:
            if name == b"x-forwarded-for":
                x_forwarded_for.append(value.decode("latin-1"))
            elif name == b"forwarded":
                forwarded.append(value.decode("latin-1"))
        told = set()
        if x_forwarded_for:
            told.add(self._client_among(",".join(x_forwarded_for).split(",")))
        if forwarded:
            told.add(self._client_among(_forwarded_for(",".join(forwarded))))
        return told.pop() if len(told) == 1 else None

    def _client_among(self, hops: Sequence[str]) -> str | None:
        """Return the rightmost hop that is not a trusted proxy, as each proxy adds on the right."""
        nearest: Address | None = None
        for hop in reversed(hops[-HOPS_MAX:]):
            address = read_address(hop)
            if address is None:
                break  # `unknown`, a hidden name or nonsense: the last known address is the client.
            nearest = address
            if not self._is_trusted(address):
                break
        return None if nearest is None else counted(nearest)


def read_address(text: str) -> Address | None:
    """Return the address in a hop, which may have a port; None if there is none."""
    text = text.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def counted(address: Address) -> str:
    """Return the name that an address is counted under."""
    if isinstance(address, IPv4Address):
        return str(address)
    return str(ip_network((address, 64), strict=False))


def _forwarded_for(text: str) -> list[str]:
    """Return the `for` of each hop in a `Forwarded` header (RFC 7239), left to right."""
    return list(_hops(text))


def _hops(text: str) -> Iterator[str]:
    client = "unknown"
    at = 0
    while at < len(text):
        pair = _FORWARDED_PAIR.match(text, at)
        if pair is None:
            # Nothing to the left of a malformed part can be trusted anymore.
            client, at = "unknown", _after_comma(text, at)
            yield client
            continue
        name, in_quotes, bare, end = pair.groups()
        if name.lower() == "for":
            client = bare if in_quotes is None else re.sub(r"\\(.)", r"\1", in_quotes)
        at = pair.end()
        if end != ";":
            yield client
            client = "unknown"


def _after_comma(text: str, at: int) -> int:
    comma = text.find(",", at)
    return len(text) if comma < 0 else comma + 1
