"""The site of a club that shows the town's Mahjic."""

from collections.abc import AsyncIterator

import pytest

from tests.browser.embeds.elsewhere import Club, a_club
from tests.browser.town import Town


@pytest.fixture
async def club(town: Town) -> AsyncIterator[Club]:
    """Return the site of a club."""
    async with a_club(town.url) as running:
        yield running
