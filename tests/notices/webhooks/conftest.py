"""A town with servers for each test that asks."""

from collections.abc import AsyncIterator

import pytest

from tests.notices.town import NoticeTown
from tests.notices.webhooks.club import WebhookTown
from tests.notices.webhooks.receiver import Receiver, a_receiver


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    """Run a server of a source."""
    async with a_receiver() as running:
        yield running


@pytest.fixture
async def hooked(town: NoticeTown) -> AsyncIterator[WebhookTown]:
    """Return a town whose clubs have servers."""
    hooks = WebhookTown(town)
    yield hooks
    await hooks.room.post.close()
