"""Public logs for each test that asks, in a folder of its own."""

from pathlib import Path

import pytest

from tests.transparency.town import PublicTown


@pytest.fixture
def town(tmp_path: Path) -> PublicTown:
    """Return a town whose public logs are made, and kept by nobody yet."""
    town = PublicTown(tmp_path / "transparency")
    town.begin()
    return town
