"""A service with a staff: an operator, a reviewer, somebody who has no passkey yet, and others."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from services.accounts.logging_in.logins import Role
from services.accounts.staff import add_staff, remove_staff
from tests.accounts.own.authenticator import Device
from tests.accounts.own.test_passkeys import make
from tests.accounts.people import SITE
from tests.conftest import Database
from tests.site.login.visiting import HERE
from tests.site.me.conftest import ADA, BEA, CARA, DORA, Member, Town, a_town

OPERATOR, REVIEWER, NEW_STAFF, NOBODY = ADA, BEA, CARA, DORA


@dataclass
class StaffTown:
    """A running service, and its staff."""

    town: Town
    devices: dict[str, Device] = field(default_factory=dict)
    accounts: dict[str, str] = field(default_factory=dict)

    async def hire(self, address: str, role: Role) -> None:
        """Make somebody staff, with a passkey."""
        house = self.town.house
        chance = house.accounts.chance
        self.accounts[address] = await add_staff(house.pool, address, role, chance)
        self.devices[address] = Device(SITE, address.encode())
        await make(house, await house.log_in(address), self.devices[address])

    async def dismiss(self, address: str) -> None:
        """Let somebody be staff no longer."""
        house = self.town.house
        await remove_staff(house.pool, address, house.accounts.chance)

    async def at_desk(self, address: str = OPERATOR) -> Member:
        """Return a browser in which somebody of the staff has just logged in with a passkey."""
        browser = await self.town.new_browser()
        options = await browser.client.post("/login/passkey/options", headers=HERE)
        sent = {"credential": self.devices[address].sign(options.text), "to": "/staff"}
        entered = await browser.client.post("/login/passkey", headers=HERE, json=sent)
        assert entered.json() == {"leads_to": "/staff"}, entered.text
        return browser

    async def acts(self) -> list[tuple[str, list[str]]]:
        """Return what the staff did at this desk, the first act first."""
        rows = await self.town.house.pool.fetch(
            "SELECT act, about FROM mahjic.staff_acts WHERE staff_id IS NOT NULL ORDER BY number"
        )
        return [(row["act"], row["about"]) for row in rows]


@asynccontextmanager
async def a_staff_town(database: Database, **settings: Any) -> AsyncIterator[StaffTown]:
    """Give a running service with a staff."""
    async with a_town(database, **settings) as town:
        staffed = StaffTown(town)
        await staffed.hire(OPERATOR, "operator")
        await staffed.hire(REVIEWER, "reviewer")
        house = town.house
        await add_staff(house.pool, NEW_STAFF, "operator", house.accounts.chance)
        yield staffed


@pytest.fixture
async def staffed(database: Database) -> AsyncIterator[StaffTown]:
    async with a_staff_town(database) as staffed:
        yield staffed
