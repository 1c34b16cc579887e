"""A connection that closes so that the other side can still read what it was sent.

Closing a socket with unread bytes resets it, and a client that is still sending may then never
see the answer. So the end is sent first, and what still comes is thrown away, within limits of
time and bytes.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from uvicorn.protocols.http.flow_control import FlowControl

# What a client sends until it notices; a longer body is cut off.
LINGER_BYTES_MAX: Final = 1 << 20
# A few round trips around the earth.
LINGER_S_MAX: Final = 2.0


class LingeringTransport(asyncio.Transport):
    """A transport whose `close` lingers while the other side may be sending."""

    def __init__(self, transport: asyncio.Transport, may_send_more: Callable[[], bool]) -> None:
        super().__init__()
        self._transport = transport
        self._may_send_more = may_send_more
        self._is_closing = False
        self._timer: asyncio.TimerHandle | None = None
        self._bytes_left = LINGER_BYTES_MAX

    def close(self) -> None:
        """Send what was written and the end; then wait for the other side's end for a moment."""
        if self.is_closing():
            return
        self._is_closing = True
        if not self._may_send_more():
            self._transport.close()
            return
        self._transport.write_eof()
        self._transport.resume_reading()
        self._timer = asyncio.get_running_loop().call_later(LINGER_S_MAX, self.abort)

    def close_at_once(self) -> None:
        """Send what was written, and do not wait."""
        self._is_closing = True
        self._transport.close()

    def throw_away(self, bytes_count: int) -> None:
        """Count what came after the end was sent; stop waiting once it is too much."""
        self._bytes_left -= bytes_count
        if self._bytes_left < 0:
            self.abort()

    def lost(self) -> None:
        """Stop waiting: the connection is gone."""
        self._is_closing = True
        if self._timer is not None:
            self._timer.cancel()

    def abort(self) -> None:
        """Drop the connection with anything not sent yet."""
        self._is_closing = True
        self._transport.abort()

    def is_closing(self) -> bool:
        """Return whether nothing more can be written."""
        return self._is_closing or self._transport.is_closing()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send, unless the end was sent."""
        if not self._is_closing:
            self._transport.write(data)

    def get_extra_info(self, name: str, default: object = None) -> object:
        """Return what the real transport knows."""
        return self._transport.get_extra_info(name, default)

    def pause_reading(self) -> None:
        if not self._is_closing:
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        if not self._is_closing:
            self._transport.resume_reading()


class HeldFlow(FlowControl):
    """uvicorn's flow control, which is not resumed while a request waits for its turn."""

    _is_held = False

    def hold(self) -> None:
        """Stop reading, even if asked to resume."""
        self._is_held = True
        self.pause_reading()

    def release(self) -> None:
        self._is_held = False
        self.resume_reading()

    def resume_reading(self) -> None:
        """Resume reading, unless it is held."""
        if not self._is_held:
            super().resume_reading()
