"""What the tests of merges share: five players who have not met."""

import asyncpg
import pytest

from services.ingest.claim.people import read_person
from services.ingest.players.acts import register
from services.ingest.record.waterline import Waterline
from tests.ingest.changes.linking.merges import IDS_AND_TIMES, NAMES


@pytest.fixture
async def ids(pool: asyncpg.Pool) -> dict[str, str]:
    """Return the ids of five players by name; nobody of them has met another."""
    return {
        name: (
            await register(pool, Waterline(), read_person(f"{name}@example.com"), IDS_AND_TIMES)
        ).player_id
        for name in NAMES
    }
