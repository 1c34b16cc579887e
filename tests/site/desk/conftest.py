"""Two clubs with desks, and the browsers of those who keep them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from services.accounts.members.at_machine import add_member
from services.accounts.members.changing import remove_member
from services.accounts.members.notices import MemberNotices
from services.accounts.memberships import MemberRole
from tests.conftest import Database
from tests.site.me.conftest import ADA, BEA, CARA, DORA, Member, Town, a_town

CLUB, OTHER, NOWHERE = "a-club", "hilltop-league", "no-such-club"
# An owner and a scorer of the club, an owner of the other one, and somebody without a desk.
OWNER, SCORER, STRANGER, NOBODY = ADA, BEA, CARA, DORA


@dataclass
class Desks:
    """A running service with two clubs."""

    town: Town

    async def make(self, address: str, role: MemberRole, source: str = CLUB) -> None:
        """Make somebody a member, at the machine."""
        accounts = self.town.house.accounts
        notices, chance = MemberNotices.of(accounts), accounts.chance
        await add_member(self.town.house.pool, notices, source, address, role=role, chance=chance)

    async def remove(self, address: str, source: str = CLUB) -> None:
        """Let the owner remove somebody."""
        house = self.town.house
        account_id = await house.pool.fetchval(
            "SELECT account_id FROM mahjic.addresses WHERE address = $1", address
        )
        login = await house.log_in(OWNER)
        await remove_member(house.accounts, login, source, account_id)

    async def browser_of(self, address: str) -> Member:
        """Return a browser in which somebody is logged in."""
        return await self.town.member(address)


@asynccontextmanager
async def some_desks(database: Database, **settings: Any) -> AsyncIterator[Desks]:
    """Give a service with two clubs, whose members have just been named."""
    async with a_town(database, **settings) as town:
        await town.running.source_key(OTHER, kind="league")
        desks = Desks(town)
        await desks.make(OWNER, "owner")
        await desks.make(SCORER, "scorer")
        await desks.make(STRANGER, "owner", OTHER)
        yield desks


@pytest.fixture
async def desks(database: Database) -> AsyncIterator[Desks]:
    async with some_desks(database) as desks:
        yield desks
