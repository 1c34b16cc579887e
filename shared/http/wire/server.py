"""Serves an application until it is told to stop, and answers what it accepted before it ends."""

import asyncio
import errno
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import structlog
import uvicorn
from starlette.applications import Starlette

from shared.errors import MahjicError
from shared.http.wire.accepting import Acceptor
from shared.http.wire.connections import Connections
from shared.http.wire.protocol import LimitedHttpProtocol

# Connections that the kernel keeps for us while the loop is busy.
BACKLOG: Final = 2048
# Longer than most proxies keep an idle connection, so that they close it and we don't.
KEEP_ALIVE_S: Final = 75
# From a supervisor, from the keyboard, and from a terminal that is closed.
_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class PortTaken(MahjicError):
    """Another program is using the port."""

    code = "port_taken"
    title = "The port is taken"

    def __init__(self, host: str, port: int) -> None:
        super().__init__(
            f"Port {port} on {host} is used by another program. Stop it, or choose another port "
            "with --port or MAHJIC_PORT."
        )


class CannotListen(MahjicError):
    """The operating system does not let the service listen there."""

    code = "cannot_listen"
    title = "The service cannot listen there"

    def __init__(self, host: str, port: int, reason: str) -> None:
        super().__init__(
            f"The service cannot listen on port {port} of {host}: {reason}. Choose another with "
            "--host and --port, or MAHJIC_HOST and MAHJIC_PORT."
        )


async def serve_until_stopped(
    app: Starlette,
    host: str,
    port: int,
    *,
    grace_s: float,
    connections: Connections,
    on_ready: Callable[[int], None] = lambda _port: None,
    stop: asyncio.Event | None = None,
) -> None:
    """Serve until SIGTERM, SIGINT, `stop` or cancellation, then answer what was accepted.

    `on_ready` is given the port, which matters for port 0. A signal sets `stop`, so everything else
    that waits for it stops too. Answers get `grace_s` to end; a second signal ends the wait. Raises
    PortTaken or CannotListen before anything else has happened.
    """
    stop = stop or asyncio.Event()
    listener = await _listen(host, port)
    asyncio.get_running_loop().set_exception_handler(_log_loop_error)
    with listener:
        server = _Server(_config(app, grace_s), connections, on_ready)
        async with app.router.lifespan_context(app):
            with _stopped_by_signals(stop, server):
                await _run(server, listener, stop)


async def _run(server: "_Server", listener: socket.socket, stop: asyncio.Event) -> None:
    serving = asyncio.create_task(server.serve([listener]))
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        # Even when we are canceled because another part failed, what was accepted is
        # answered first.
        stopping.cancel()
        server.should_exit = True
        await serving


class _Server(uvicorn.Server):
    """uvicorn's server, which leaves signals and accepting to us and tells when it is ready."""

    def __init__(
        self,
        config: uvicorn.Config,
        connections: Connections,
        on_ready: Callable[[int], None],
    ) -> None:
        super().__init__(config)
        self._connections = connections
        self._on_ready = on_ready

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        # uvicorn's own way raises the signal again at the end, which would kill the process
        # before the rest of it has stopped.
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        assert sockets
        make = partial(LimitedHttpProtocol, self.config, self.server_state, {})
        # uvicorn uses it like one of the loop's servers: to close, and to wait for that.
        self.servers = [Acceptor(sockets[0], self._connections, make)]  # type: ignore[list-item]
        self.started = True
        self._on_ready(sockets[0].getsockname()[1])


def _config(app: Starlette, grace_s: float) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=LimitedHttpProtocol,
        ws="none",
        lifespan="off",  # We run it ourselves, so that its errors are raised, not printed.
        log_config=None,
        access_log=False,
        proxy_headers=False,  # ClientAddresses reads them, and believes fewer.
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=max(1, round(grace_s)),
    )


async def _listen(host: str, port: int) -> socket.socket:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except OSError as error:
        raise CannotListen(host, port, error.strerror or "the host is unknown") from error
    # A name such as localhost has both; clients try IPv4 first.
    family, kind, protocol, _, address = min(found, key=lambda info: info[0] != socket.AF_INET)
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        # Two programs may bind one port; the second finds out when it listens.
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(host, port) from error
        raise CannotListen(host, port, error.strerror or str(error)) from error
    listener.setblocking(False)
    return listener


@contextmanager
def _stopped_by_signals(stop: asyncio.Event, server: _Server) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield  # Only the main thread may listen to signals; elsewhere use `stop`.
        return
    loop = asyncio.get_running_loop()

    def on_signal() -> None:
        if stop.is_set():
            server.force_exit = True
        stop.set()

    # An ignored signal stays ignored: a program started by nohup outlives its terminal.
    before = {
        number: handler
        for number in _SIGNALS
        if (handler := signal.getsignal(number)) != signal.SIG_IGN
    }
    for number in before:
        loop.add_signal_handler(number, on_signal)
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)


def _log_loop_error(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    # The loop's own handler writes the exception's words and the task's arguments.
    structlog.get_logger().error(
        "event_loop_error", reason=context.get("message"), exc_info=context.get("exception")
    )
