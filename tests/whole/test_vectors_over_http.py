"""All 400 rounds of tests/vectors/rating_history.json, over HTTP, to a service that is served."""

from collections.abc import AsyncIterator

import httpx
import pytest

from tests.chaos.place import OPERATOR, SOURCES
from tests.chaos.site import a_place, a_site
from tests.whole.vectors import EveryNumberComesOut, Played


@pytest.fixture(scope="module")
async def played() -> AsyncIterator[Played]:
    """Serve a fresh folder, let all steps happen in order, and wait for the views."""
    with a_place() as place:
        async with (
            a_site(place / "data") as site,
            httpx.AsyncClient(base_url=site.url, timeout=60) as http,
        ):
            played = Played(http, site.keys[SOURCES[1]], site.keys[OPERATOR])
            await played.take_all()
            async with site.database():
                yield played


class TestOverHttp(EveryNumberComesOut):
    pass
