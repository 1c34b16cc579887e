"""A witness that others wrote, for each test that asks."""

import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.go_tools import GoToolMissing
from tests.transparency.judges.tools import not_tried
from tests.transparency.judges.witness import RunningWitness, running_witness


@pytest.fixture
def witness_folder() -> Iterator[Path]:
    """Return a folder for a witness: the path of a socket has at most 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="mahjic-witness-", dir="/tmp") as folder:
        yield Path(folder)


@pytest.fixture
async def witness(witness_folder: Path) -> AsyncIterator[RunningWitness]:
    """Return a running witness that knows no log yet."""
    try:
        async with running_witness(witness_folder) as running:
            yield running
    except GoToolMissing as missing:
        not_tried(missing)
