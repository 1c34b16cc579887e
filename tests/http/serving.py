"""Real servers for tests: in this process, with raw connections to them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from ipaddress import ip_network

import httpx
import uvicorn
from prometheus_client import CollectorRegistry
from starlette.applications import Starlette
from uvicorn.server import ServerState

from shared.http.layers.addresses import ClientAddresses
from shared.http.wire.connections import ConnectionBounds, Connections
from shared.http.wire.protocol import LimitedHttpProtocol
from shared.http.wire.server import serve_until_stopped

DEADLINE_S = 20


@dataclass
class Running:
    """A server that runs."""

    port: int
    task: "asyncio.Task[None]"
    stop: asyncio.Event = field(default_factory=asyncio.Event)

    def client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{self.port}", timeout=DEADLINE_S, trust_env=False
        )


def some_connections(
    in_all: int = 1000, by_address: int = 1000, *, registry: CollectorRegistry | None = None
) -> Connections:
    """Return a count of connections with these bounds, which trusts 127.0.0.9 as a proxy."""
    addresses = ClientAddresses([ip_network("127.0.0.9")])
    bounds = ConnectionBounds(in_all, by_address)
    return Connections(addresses, bounds, registry or CollectorRegistry())


@asynccontextmanager
async def serving(
    app: Starlette,
    *,
    grace_s: float = 10,
    connections: Connections | None = None,
    deadline_s: float | None = DEADLINE_S,
) -> AsyncIterator[Running]:
    """Serve an application on a free port, and stop it at the end, or at the deadline."""
    stop = asyncio.Event()
    ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(
        serve_until_stopped(
            app,
            "127.0.0.1",
            0,
            grace_s=grace_s,
            connections=connections or some_connections(),
            on_ready=ready.set_result,
            stop=stop,
        )
    )
    async with asyncio.timeout(deadline_s):
        yield Running(await ready, task, stop)
        stop.set()
        await task


async def send_raw(port: int, *parts: bytes) -> bytes:
    """Send bytes in parts, and return all that comes back until the server closes."""
    async with asyncio.timeout(DEADLINE_S):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            for part in parts:
                writer.write(part)
                await writer.drain()
            return await reader.read()
        finally:
            writer.close()


async def is_refused(port: int) -> bool:
    """Tell whether nobody listens on a port."""
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except (ConnectionRefusedError, ConnectionResetError):
        return True  # A reset is what waits in the kernel when the listener closes.
    writer.close()
    return False


class ImpatientProtocol(LimitedHttpProtocol):
    """The protocol with limits that a test reaches quickly."""

    head_s_max = 0.05
    head_bytes_max = 100


@asynccontextmanager
async def impatient_server(app: Starlette) -> AsyncIterator[int]:
    """Serve an application by that protocol, and give the port."""
    config = uvicorn.Config(app, log_config=None, access_log=False)
    listening = await asyncio.get_running_loop().create_server(
        lambda: ImpatientProtocol(config, ServerState(), {}), "127.0.0.1", 0
    )
    async with listening:
        yield listening.sockets[0].getsockname()[1]
