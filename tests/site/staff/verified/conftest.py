"""A service with a staff, and players of it who pay and are checked."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from tests.conftest import Database
from tests.site.staff.conftest import StaffTown, a_staff_town
from tests.verification.staff.club import Club


@dataclass
class PayingTown:
    """A staff, and the players of their service at an account at Stripe."""

    staffed: StaffTown
    club: Club


@pytest.fixture
async def paying(database: Database) -> AsyncIterator[PayingTown]:
    async with a_staff_town(database) as staffed:
        yield PayingTown(staffed, Club(database.pool, datetime.now(UTC)))
