"""Accepts connections within their bounds, and answers 503 to any beyond them.

The event loop's own server accepts everything that waits before any of it is checked, and when no
file can be opened it drops connections silently, or keeps trying. This one checks each.
"""

import asyncio
import errno
import os
import socket
from collections.abc import Callable
from functools import partial
from typing import Final

import structlog

from shared.http.requests import new_request_id
from shared.http.wire.connections import Connections, TooManyConnections
from shared.http.wire.protocol import LimitedHttpProtocol
from shared.http.wire.refusals import refusal_bytes

# After this many the loop does something else before it goes on.
ACCEPTS_AT_ONCE: Final = 64
# What the system may run out of when it is asked for one more connection.
_SHORT_OF: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
# How long to wait then before trying again.
PAUSE_S: Final = 0.1
# A refused client gets this long to read why: closing at once while it sends would reset it.
LEAVING_S: Final = 1.0
# This many may be leaving at once; any more are closed immediately.
LEAVING_MAX: Final = 64
# How much of what a refused client has sent is read and thrown away.
_SENT_BYTES_MAX: Final = 65536


class Acceptor:
    """Accepts connections of one listening socket until it is closed."""

    def __init__(
        self,
        listener: socket.socket,
        connections: Connections,
        make_protocol: Callable[[], LimitedHttpProtocol],
    ) -> None:
        self._listener = listener
        self._connections = connections
        self._make_protocol = make_protocol
        self._loop = asyncio.get_running_loop()
        self._beginning: set[asyncio.Task[None]] = set()
        self._leaving: set[socket.socket] = set()
        self._resuming: asyncio.TimerHandle | None = None
        self._is_closed = False
        # Kept open so that it can be closed to answer someone when no more can be opened.
        self._spare: int | None = None
        self._take_spare()
        self._loop.add_reader(listener, self._accept)

    def close(self) -> None:
        """Accept nothing more."""
        self._is_closed = True
        self._loop.remove_reader(self._listener)
        if self._resuming is not None:
            self._resuming.cancel()
        if self._spare is not None:
            os.close(self._spare)
            self._spare = None
        while self._leaving:
            self._leaving.pop().close()

    async def wait_closed(self) -> None:
        """Wait until the last accepted connections have a protocol or are gone."""
        if self._beginning:
            await asyncio.wait(self._beginning)

    def _accept(self) -> None:
        for _ in range(ACCEPTS_AT_ONCE):
            try:
                connection, address = self._listener.accept()
            except (BlockingIOError, InterruptedError):
                return
            except OSError as error:
                # Other errors concern only that connection, such as one given up meanwhile.
                if error.errno in _SHORT_OF:
                    self._answer_with_spare()
                    self._pause(error.errno)
                    return
                continue
            self._take(connection, address[0])

    def _take(self, connection: socket.socket, host: str) -> None:
        try:
            name = self._connections.take(host)
        except TooManyConnections as error:
            self._send_off(connection, error)
            return
        beginning = self._loop.create_task(self._begin(connection, name))
        self._beginning.add(beginning)
        beginning.add_done_callback(self._beginning.discard)

    async def _begin(self, connection: socket.socket, name: str | None) -> None:
        protocol = self._make_protocol()
        protocol.on_lost = partial(self._connections.give_back, name)
        try:
            connection.setblocking(False)
            # An answer is written in pieces, which must not wait for one another.
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
            await self._loop.connect_accepted_socket(lambda: protocol, connection)
            if self._is_closed:
                protocol.shutdown()
        except OSError:
            # It was gone before it began.
            connection.close()
            self._connections.give_back(name)

    def _send_off(self, connection: socket.socket, error: TooManyConnections) -> None:
        _tell(connection, error)
        if len(self._leaving) < LEAVING_MAX:
            self._leaving.add(connection)
            self._loop.call_later(LEAVING_S, self._let_go, connection)
        else:
            connection.close()

    def _let_go(self, connection: socket.socket) -> None:
        self._leaving.discard(connection)
        connection.close()

    def _answer_with_spare(self) -> None:
        """Answer the waiting clients, one after the other, with the spare file kept for this."""
        if self._spare is None:
            return
        os.close(self._spare)
        self._spare = None
        for _ in range(ACCEPTS_AT_ONCE):
            try:
                connection, _ = self._listener.accept()
            except OSError:
                break
            with connection:
                _tell(connection, self._connections.refuse("files"))
        self._take_spare()

    def _take_spare(self) -> None:
        try:
            self._spare = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self._spare = None

    def _pause(self, reason: int) -> None:
        structlog.get_logger().error("no_file_for_connection", reason=os.strerror(reason))
        self._loop.remove_reader(self._listener)
        self._resuming = self._loop.call_later(PAUSE_S, self._resume)

    def _resume(self) -> None:
        if self._spare is None:
            self._take_spare()
        self._loop.add_reader(self._listener, self._accept)


def _tell(connection: socket.socket, error: TooManyConnections) -> None:
    """Send the reason, as far as that is possible without waiting."""
    try:
        connection.setblocking(False)
        connection.send(refusal_bytes(error, new_request_id()))
        connection.shutdown(socket.SHUT_WR)
        connection.recv(_SENT_BYTES_MAX)
    except OSError:
        pass  # Nothing has come yet, or the client is gone.
