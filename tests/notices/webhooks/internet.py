"""An internet of the tests: names, addresses that lead to servers of this machine, certificates.

Whatever is connected to is written down, so that a test sees what a hostile name has reached.
"""

import ssl
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile

import httpcore
import trustme

from services.notices.webhooks.network import CheckedNetwork, NameNotFound, resolve
from services.notices.webhooks.posting import WebhookPost

# One that nobody would mistake for a private one; nothing is ever sent there.
PUBLIC = "93.184.215.14"


@dataclass
class MadeUpInternet(httpcore.AsyncNetworkBackend):
    """Names with what they lead to, at each look the next. All addresses lead to this machine."""

    ca: trustme.CA
    ca_file: Path
    names: dict[str, Sequence[Sequence[str]]] = field(default_factory=dict)
    connected: list[str] = field(default_factory=list)
    # Addresses at which nobody listens.
    refusing: set[str] = field(default_factory=set)
    looked_up: list[str] = field(default_factory=list)
    _over: httpcore.AnyIOBackend = field(default_factory=httpcore.AnyIOBackend)

    def name(self, host: str, *looks: Sequence[str]) -> None:
        """Have a name lead to addresses: those of the first look, of the second, and so on."""
        self.names[host] = looks

    def server_context(self, host: str) -> ssl.SSLContext:
        """Return what a server needs to prove that it has a name."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.ca.issue_cert(host).configure_cert(context)
        return context

    def post(self, *, loopback: bool = False) -> WebhookPost:
        """Return what posts over this internet, as the service does over the real one."""
        network = CheckedNetwork(loopback=loopback, look_up=self.look_up, over=self)
        return WebhookPost(network, loopback=loopback, ca_file=str(self.ca_file))

    async def look_up(self, host: str) -> Sequence[str]:
        """Return what a name leads to this time; a numeric address leads to itself."""
        looks = self.names.get(host)
        if looks is None:
            if host[-1].isdigit() or ":" in host or host == "localhost":
                return await resolve(host)
            raise NameNotFound(host)
        self.looked_up.append(host)
        return looks[min(self.looked_up.count(host), len(looks)) - 1]

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  The library's own name.
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Write down where to, and connect to the server of the test."""
        self.connected.append(host)
        if host in self.refusing:
            raise httpcore.ConnectError(host)
        return await self._over.connect_tcp(
            "127.0.0.1", port, timeout, local_address, socket_options
        )


@contextmanager
def made_up_internet() -> Iterator[MadeUpInternet]:
    """Give an internet with nobody on it."""
    ca = trustme.CA()
    with NamedTemporaryFile(suffix=".pem") as file:
        file.write(ca.cert_pem.bytes())
        file.flush()
        yield MadeUpInternet(ca, Path(file.name))
