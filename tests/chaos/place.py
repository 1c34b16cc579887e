"""What clients and faults need of a site, whichever way Mahjic runs there."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import psutil  # type: ignore[import-untyped]

SOURCES = ("a-club", "a-league")
OPERATOR = "operator"
# Nobody in these tests is meant to be slowed down, or sent away for a day: two sources dispute many
# sessions, and everything is sent once more at the end.
UNLIMITED = {
    "MAHJIC_FOREIGN_REFUSALS_PER_DAY": "1000000",
    "MAHJIC_PUBLIC_LIMIT_PER_MINUTE": "1000000",
    "MAHJIC_SOURCE_LIMIT_PER_MINUTE": "1000000",
}


class Place(Protocol):
    """A running Mahjic that may be broken, and comes back as it would at an operator's."""

    @property
    def folder(self) -> Path:
        """The data folder, where PostgreSQL is."""
        ...

    @property
    def keys(self) -> Mapping[str, str]:
        """The API keys of the sources and of the operator."""
        ...

    @property
    def pause_s_max(self) -> float:
        """The longest time for which a process is paused here."""
        ...

    def url_for(self, method: str) -> str:
        """Return where requests of a method go, as a reverse proxy would send them."""
        ...

    async def run(self, *arguments: str) -> asyncio.subprocess.Process:
        """Start another command of `mahjic` on the site, and return its process."""
        ...

    async def living_postmaster(self) -> psutil.Process:
        """Wait until PostgreSQL is there, which it may just not be, and return its process."""
        ...

    def assert_alive(self) -> None:
        """Fail with the log of what has ended by itself, though nothing gave it a reason to."""
        ...
