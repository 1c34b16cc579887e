"""What the tests of imports share: a service that takes batches, and a file for it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.cli.batches import BatchService
from tests.cli.importing.files import KEY, content


@pytest.fixture
async def service(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[BatchService]:
    """Return a service that takes batches, and that the commands of the test talk to."""
    async with BatchService() as service:
        monkeypatch.setenv("MAHJIC_URL", service.url)
        monkeypatch.setenv("MAHJIC_KEY", KEY)
        yield service


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a file of two thousand sessions."""
    file = tmp_path / "years.ndjson"
    file.write_bytes(content(1, 2000))
    return file
