"""A service with an account at Stripe, which the tests of a file share."""

from collections.abc import AsyncIterator

import pytest

from shared.db.server.embedded import EmbeddedServer
from tests.conftest import TEMPLATE, fresh_database
from tests.service import RunningService, running_service
from tests.verification.events.sending import OPEN


@pytest.fixture(scope="module")
async def opened(postgres_server: EmbeddedServer) -> AsyncIterator[RunningService]:
    """Return a service that takes events. Its public may ask five times a minute."""
    async with (
        fresh_database(postgres_server, template=TEMPLATE) as database,
        running_service(database, is_rating=False, public_limit_per_minute=5, **OPEN) as running,
    ):
        yield running
