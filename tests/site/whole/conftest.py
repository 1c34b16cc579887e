"""A service in which a few people have played, of which each test gets a copy."""

from collections.abc import AsyncIterator

import pytest

from services.desks import sending, session_changes
from services.staffing import formulas, merging, voiding
from shared.db.server.embedded import EmbeddedServer
from tests.conftest import TEMPLATE, fresh_database
from tests.site.whole.at_stripe import with_stripe
from tests.site.whole.scene import Scene, a_scene, play


@pytest.fixture(scope="session")
async def played(postgres_server: EmbeddedServer) -> AsyncIterator[str]:
    """Return the name of the database to copy."""
    async with fresh_database(postgres_server, template=TEMPLATE) as database:
        name = await database.pool.fetchval("SELECT current_database()")
        await play(database)
        yield name


@pytest.fixture
async def scene(
    played: str, postgres_server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Scene]:
    """Return a copy. Nothing is rated there, so nobody waits for that."""
    for module in (sending, session_changes, formulas, merging, voiding):
        monkeypatch.setattr(module, "WAIT_S", 0.0)
    async with a_scene(postgres_server, played, with_stripe) as copy:
        yield copy
