"""Two sources for each test here that asks for people at them."""

from dataclasses import dataclass

import pytest

from services.accounts.logging_in.logins import Login
from services.accounts.members.at_machine import add_member
from services.accounts.members.inviting import accept_invitation, invite_member, own_invitations
from services.accounts.members.notices import MemberNotices
from services.accounts.memberships import MemberRole
from tests.accounts.members.sources import LAKESIDE, make_sources
from tests.accounts.people import ALICE, House


@dataclass
class Club:
    """Accounts, and two sources."""

    house: House

    async def appoint(
        self, address: str = ALICE, role: MemberRole = "owner", source: str = LAKESIDE
    ) -> Login:
        """Make someone a member at the machine, and log them in."""
        await self.make(address, role, source)
        return await self.house.log_in(address)

    async def make(self, address: str, role: MemberRole, source: str) -> None:
        """Make someone a member at the machine."""
        accounts = self.house.accounts
        notices, chance = MemberNotices.of(accounts), accounts.chance
        await add_member(self.house.pool, notices, source, address, role=role, chance=chance)

    async def join(self, owner: Login, address: str, role: MemberRole = "scorer") -> Login:
        """Invite someone, who logs in and accepts, and return their login."""
        await invite_member(self.house.accounts, owner, LAKESIDE, address, role)
        login = await self.house.log_in(address)
        (invitation,) = await own_invitations(self.house.accounts, login)
        await accept_invitation(self.house.accounts, login, invitation.invitation_id)
        return login

    async def mailed_to(self, address: str, kind: str) -> list[str]:
        """Return what the mails of a kind to an address say, each as one line."""
        return [
            " ".join(mail.text.split())
            for mail in await self.house.mails()
            if (mail.address, mail.kind) == (address, kind)
        ]


@pytest.fixture
async def club(house: House) -> Club:
    """Return two sources, with no members yet."""
    await make_sources(house.pool)
    return Club(house)
