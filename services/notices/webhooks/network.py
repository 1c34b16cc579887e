"""Connects to servers that strangers name, and to nothing that is not on the open internet.

A name is looked up once for each try. If any of its addresses is not allowed, nothing is connected
to; otherwise the connection goes to the very addresses that were checked, so a name that turns into
another one in between gains nothing. TLS still checks the name.
"""

import asyncio
import ipaddress
from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import zip_longest
from typing import Final, TypeAlias

import dns.asyncresolver
import dns.exception
import dns.name
import httpcore

from services.notices.webhooks.public_addresses import is_loopback, is_public
from services.notices.webhooks.urls import LOOPBACK_NAMES

Resolve: TypeAlias = Callable[[str], Awaitable[Sequence[str]]]

# A server with many addresses is tried at so many of them.
ADDRESSES_MAX: Final = 4
LOOPBACK_ADDRESS: Final = "127.0.0.1"


class NameNotFound(httpcore.ConnectError):
    """No server has this name."""


class NotPublic(httpcore.ConnectError):
    """A name leads to an address that is not on the open internet."""


async def resolve(
    host: str, *, resolver: dns.asyncresolver.Resolver | None = None
) -> Sequence[str]:
    """Return the numeric addresses of a host. Raises NameNotFound.

    Only the servers for names are asked (those of this machine unless given): no file of its own,
    and no neighborhood in which a short name is somebody.
    """
    try:
        return [str(ipaddress.ip_address(host))]
    except ValueError:
        pass
    if host in LOOPBACK_NAMES:
        return [LOOPBACK_ADDRESS]
    try:
        asked, name = resolver or dns.asyncresolver.Resolver(), dns.name.from_text(host)
    except (dns.exception.DNSException, OSError, UnicodeError) as error:
        raise NameNotFound(type(error).__name__) from error
    # Of many machines only one kind of address is reached, so that both kinds take turns.
    kinds = await asyncio.gather(_of_kind(asked, name, "A"), _of_kind(asked, name, "AAAA"))
    found = [each for pair in zip_longest(*kinds) for each in pair if each is not None]
    if not found:
        raise NameNotFound(host)
    return found


async def _of_kind(
    asked: dns.asyncresolver.Resolver, name: dns.name.Name, kind: str
) -> Sequence[str]:
    """Return the addresses of a kind; none if nobody knows any."""
    try:
        found = await asked.resolve(name, kind, search=False)
    except (dns.exception.DNSException, OSError):
        return []
    return [str(each) for each in found]


async def checked_addresses(host: str, *, loopback: bool, look_up: Resolve) -> Sequence[str]:
    """Return the addresses of a host if all are allowed. Raises NameNotFound or NotPublic.

    With `loopback`, those of this machine are.
    """
    found = list(dict.fromkeys(await look_up(host)))
    if not found:
        raise NameNotFound(host)
    if not all(is_public(each) or (loopback and is_loopback(each)) for each in found):
        raise NotPublic(host)
    return found[:ADDRESSES_MAX]


class CheckedNetwork(httpcore.AsyncNetworkBackend):
    """Connects to checked addresses alone, over the network of this machine unless given."""

    def __init__(
        self,
        *,
        loopback: bool,
        look_up: Resolve = resolve,
        over: httpcore.AsyncNetworkBackend | None = None,
    ) -> None:
        self._over = over or httpcore.AnyIOBackend()
        self._loopback = loopback
        self._look_up = look_up

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  The library's own name.
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address of a host that takes it."""
        addresses = await checked_addresses(host, loopback=self._loopback, look_up=self._look_up)
        for address in addresses[:-1]:
            try:
                return await self._over.connect_tcp(
                    address, port, timeout, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return await self._over.connect_tcp(
            addresses[-1], port, timeout, local_address, socket_options
        )

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await self._over.sleep(seconds)
