"""The same rounds, each sent eight times at once over many connections, are recorded once each."""

from collections.abc import AsyncIterator

import pytest

from tests.chaos.by_hand import read_logs
from tests.chaos.place import SOURCES
from tests.chaos.site import a_place, a_site
from tests.whole.crowds import Crowded, EachRoundCountsOnce, send_crowd

COPIES = 8
CLIENTS = 4


@pytest.fixture(scope="module")
async def crowded() -> AsyncIterator[Crowded]:
    """Send all copies of all rounds, and return the answers and the logs."""
    with a_place() as place:
        async with a_site(place / "data") as site:
            rounds = await send_crowd([site.url] * CLIENTS, site.keys[SOURCES[0]], copies=COPIES)
            async with site.database() as pool:
                yield Crowded(rounds, await read_logs(pool))


class TestOfOneService(EachRoundCountsOnce):
    pass
