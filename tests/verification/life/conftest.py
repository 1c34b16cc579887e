"""A story about three people for each test that asks for one."""

import pytest

from tests.conftest import Database
from tests.verification.life.story import Story, a_story


@pytest.fixture
async def story(database: Database) -> Story:
    """Return a story about three people: `ann, ben, carl = story.people`."""
    return await a_story(database.pool, 3)
