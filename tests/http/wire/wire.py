"""One connection without a network: a test says what comes in which pieces, and sees the answer."""

import asyncio
from typing import Any

import uvicorn
from uvicorn.server import ServerState

from shared.http.wire.protocol import LimitedHttpProtocol


class Wire(asyncio.Transport):
    """The other end of a connection to an application; it keeps what was sent."""

    def __init__(self, app: Any, *, head_bytes_max: int = 300) -> None:
        super().__init__()
        self.sent = b""
        self.is_closed = self.is_paused = False
        config = uvicorn.Config(app, log_config=None, access_log=False)
        self._state = ServerState()
        kind = type("Limited", (LimitedHttpProtocol,), {"head_bytes_max": head_bytes_max})
        self.protocol: LimitedHttpProtocol = kind(config, self._state, {})
        self.protocol.connection_made(self)

    async def receive(self, *parts: bytes) -> None:
        """Let parts come in, each by itself, and the application answer what it can."""
        for part in parts:
            self.protocol.data_received(part)
            # One that waits for the rest of its body gets it from the next part.
            while self._state.tasks and not self.protocol.cycle.more_body:
                await asyncio.sleep(0)

    def hang_up(self) -> None:
        """End the connection, so that no timer of it is left."""
        self.protocol.connection_lost(None)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return default

    def write(self, data: Any) -> None:
        self.sent += bytes(data)

    def write_eof(self) -> None:
        self.is_closed = True

    def close(self) -> None:
        self.is_closed = True

    abort = close

    def is_closing(self) -> bool:
        return False

    def pause_reading(self) -> None:
        self.is_paused = True

    def resume_reading(self) -> None:
        self.is_paused = False
