"""A folder for a sandbox."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.folders import open_folder


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a data folder in which nothing is yet."""
    parent = open_folder()
    yield parent / "data"
    shutil.rmtree(parent)
