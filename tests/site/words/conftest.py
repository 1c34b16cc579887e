"""A whole service whose pages of words are read, with settings unlike the usual ones."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from tests.conftest import Database
from tests.service import UNLIMITED, RunningService, running_service

# None of these is the default, so a page that shows a number of its own is found out.
UNUSUAL: Mapping[str, Any] = {
    "idempotency_days": 47,
    "change_days_max": 33,
    "erased_clean_s": 660.0,
    "dry_run_limit_per_minute": 119,
    "body_bytes_max": 1_234_567,
    "sheet_bytes_max": 2_345_678,
    "wait_s_default": 7.0,
    "wait_s_max": 23.0,
    "page_limit_per_minute": UNLIMITED,
    "contact": "secretary@mahjic.example",
    "public_url": "https://mahjic.example",
}


@pytest.fixture
async def service(database: Database) -> AsyncIterator[RunningService]:
    """Return a service with unusual settings."""
    async with running_service(database, **UNUSUAL) as running:
        yield running
