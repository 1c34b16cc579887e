"""Opens the demo's service to its users: three sources and the operator, each with a key."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import httpx

from services.cli.demo.people import CLUB, LEAGUE, PLATFORM
from services.cli.terminal.client import ANSWER_S_MAX, CONNECT_S_MAX, ServiceClient
from services.cli.terminal.options import settings_for_data
from services.database import open_database
from shared.access.keys import create_key
from shared.access.sources import SourceDetails, add_source
from shared.settings import Settings

# A season is played in seconds here, so the limit of requests per minute does not apply.
LIMIT_PER_MINUTE: Final = 100_000
SOURCES: Final[Mapping[str, SourceDetails]] = {
    LEAGUE: SourceDetails("Columbus Mahjong League", "league", "midwest", LIMIT_PER_MINUTE),
    CLUB: SourceDetails("Tuesday Tiles", "club", "northeast", LIMIT_PER_MINUTE),
    PLATFORM: SourceDetails("BAM Good Time", "platform", None, LIMIT_PER_MINUTE),
}


@dataclass(frozen=True, slots=True)
class Doors:
    """The service as each of its users sees it."""

    public: ServiceClient
    operator: ServiceClient
    sources: Mapping[str, ServiceClient]


def open_doors(data: Path, http: httpx.Client) -> Doors:
    """Add the sources, and make a key for each of them and for the operator."""
    # Not by `on_database`, which answers SIGTERM itself: the demo has more to clean up.
    operator_key, source_keys = asyncio.run(_make_keys(settings_for_data(data)))
    return Doors(
        public=ServiceClient(http, None),
        operator=ServiceClient(http, operator_key),
        sources={slug: ServiceClient(http, key) for slug, key in source_keys.items()},
    )


def direct_client(url: str) -> httpx.Client:
    """Return a client that goes to the service directly, whatever proxies the user has."""
    timeout = httpx.Timeout(ANSWER_S_MAX, connect=CONNECT_S_MAX)
    return httpx.Client(base_url=url, timeout=timeout, trust_env=False)


async def _make_keys(settings: Settings) -> tuple[str, dict[str, str]]:
    now = datetime.now(UTC)
    source_keys = {}
    async with open_database(settings, role="join") as pool:
        for slug, details in SOURCES.items():
            await add_source(pool, slug, details, now=now)
            _, source_keys[slug] = await create_key(pool, "source", slug, now=now)
        _, operator_key = await create_key(pool, "operator", now=now)
    return operator_key, source_keys
