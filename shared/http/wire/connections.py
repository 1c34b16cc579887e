"""Counts the open connections, in total and by address, and says when one more is too many.

A silent connection costs its owner nothing and us an open file. Without bounds a few hundred of
them use up all files of the process, and then it can't even query its database.
"""

import resource
from dataclasses import dataclass
from typing import Final, Literal

from prometheus_client import CollectorRegistry, Counter, Gauge

from shared.errors import MahjicError
from shared.http.layers.addresses import ClientAddresses

# What a process opens besides client connections: connections to its database and to Kafka,
# the rater's columns, spools of batches, pipes to readers of sheets, logs, and connections that
# were refused and are just being closed. It has at least half of all files for that.
FILES_BESIDE: Final = 512

Reason = Literal["all", "address", "files"]


class TooManyConnections(MahjicError):
    """More connections are open than the service accepts, in all or from one address."""

    code = "too_many_connections"
    title = "Too many connections are open"
    status = 503

    def __init__(self, reason: Reason) -> None:
        whose = "from your address " if reason == "address" else ""
        super().__init__(
            f"Too many connections {whose}are open at the moment. Close the ones you do not "
            "need, and send the request again in 5 s.",
            headers={"Retry-After": "5", "Connection": "close"},
        )


@dataclass(frozen=True, slots=True)
class ConnectionBounds:
    """How many connections may be open at once."""

    in_all: int
    # A trusted proxy speaks for many clients, so this does not apply to it.
    by_address: int


class Connections:
    """Keeps the count of one server's connections."""

    def __init__(
        self, addresses: ClientAddresses, bounds: ConnectionBounds, registry: CollectorRegistry
    ) -> None:
        self._addresses = addresses
        self._bounds = bounds
        self._open = 0
        self._of_address: dict[str, int] = {}
        self._gauge = Gauge(
            "mahjic_http_connections",
            "Client connections that are open now.",
            registry=registry,
        )
        self._refused = Counter(
            "mahjic_http_connections_refused",
            "Connections that were answered with 503: too many in all or from one address, or "
            "no file could be opened for them.",
            ["reason"],
            registry=registry,
        )

    def take(self, host: str) -> str | None:
        """Count one more from a host; return the name it counts under, None for a trusted proxy.

        Raises TooManyConnections, and counts the refusal.
        """
        name, is_proxy = self._addresses.peer(host)
        if self._open >= self._bounds.in_all:
            raise self.refuse("all")
        if not is_proxy:
            of_address = self._of_address.get(name, 0)
            if of_address >= self._bounds.by_address:
                raise self.refuse("address")
            self._of_address[name] = of_address + 1
        self._open += 1
        self._gauge.set(self._open)
        return None if is_proxy else name

    def give_back(self, name: str | None) -> None:
        """Count one fewer under the name that `take` returned."""
        self._open -= 1
        self._gauge.set(self._open)
        if name is not None:
            self._of_address[name] -= 1
            if self._of_address[name] == 0:
                del self._of_address[name]

    def refuse(self, reason: Reason) -> TooManyConnections:
        """Count a refusal, and return what its client is told."""
        self._refused.labels(reason).inc()
        return TooManyConnections(reason)


def bounds_within_files(in_all: int, by_address: int) -> ConnectionBounds:
    """Raise the soft limit of open files as needed and allowed; return the bounds that fit."""
    wanted = in_all + FILES_BESIDE
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY:
        return ConnectionBounds(in_all, by_address)
    fitting = max(1, soft - min(FILES_BESIDE, soft // 2))
    return ConnectionBounds(min(in_all, fitting), by_address)
