"""A town with servers for each test that asks."""

from collections.abc import AsyncIterator

import pytest

from services.notices.webhooks import posting, taking
from tests.log.deadlines import DEADLINE_S
from tests.notices.town import NoticeTown
from tests.notices.webhooks.club import WebhookTown
from tests.notices.webhooks.receiver import Receiver, a_receiver


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take no busy machine for a server that is slow or gone; tests of that say how slow."""
    monkeypatch.setattr(posting, "TRY_S_MAX", DEADLINE_S)
    monkeypatch.setattr(posting, "CONNECT_S_MAX", DEADLINE_S)
    monkeypatch.setattr(taking, "SLOW_MS", DEADLINE_S * 1_000)


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
