"""Waits for a log that is away, for callers with nothing else to do."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import structlog

from shared.log.port import LogAway

RETRY_S: Final = 0.2

T = TypeVar("T")

_log = structlog.get_logger(__name__)


async def until_there(call: Callable[[], Awaitable[T]]) -> T:
    """Call until the log is there, and return the result."""
    while True:
        try:
            return await call()
        except LogAway as error:
            _log.warning("log_away", detail=error.detail)
            await asyncio.sleep(RETRY_S)
