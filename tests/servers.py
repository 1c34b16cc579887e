"""Runs a small HTTP server beside a test."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TypeVar

Server = TypeVar("Server", bound=ThreadingHTTPServer)


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[int]:
    """Run a server on a free port of the loopback, and give the port."""
    with running(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as server:
        yield server.server_port


@contextmanager
def running(server: Server) -> Iterator[Server]:
    """Answer what a server is asked, in threads, until the context ends."""
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
