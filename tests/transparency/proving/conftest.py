"""A signed world for each test that asks."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.conftest import Database
from tests.transparency.proving.signed_world import SignedWorld, a_signed_world


@pytest.fixture
async def signed(database: Database, tmp_path: Path) -> AsyncIterator[SignedWorld]:
    """Return a world whose logs are signed."""
    async with a_signed_world(database, tmp_path / "transparency") as signed:
        yield signed
