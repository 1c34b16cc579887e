"""What the owners of a source say about it in public, as they read and change it at its desk."""

from dataclasses import dataclass
from typing import Final

from services.accounts.desk_acts import DeskAct, note_desk_act
from services.accounts.logging_in.logins import Login
from services.accounts.members.desks import hold_desk
from services.accounts.owners import lock_account
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from shared.access.profiles import SourceProfile, change_profile, read_profile

READ_GIVEN: Final = "SELECT name, type, region FROM mahjic.listed_sources WHERE slug = $1"


@dataclass(frozen=True, slots=True)
class WholeProfile:
    """What everybody reads about a source: what its owners say, and what only staff change."""

    own: SourceProfile
    name: str
    type: str
    region: str | None


async def read_desk_profile(accounts: Accounts, login: Login, source: str) -> WholeProfile:
    """Return the profile of a source, for an owner. Raises UnknownDesk or OwnersOnly."""

    async def read(connection: Connection) -> WholeProfile:
        await hold_desk(connection, login, source, as_owner=True)
        given = await connection.fetchrow(READ_GIVEN, source)
        assert given is not None, "It is there, since it has a member."
        return WholeProfile(await read_profile(connection, source), *given)

    return await accounts.settled(read)


async def change_desk_profile(
    accounts: Accounts, login: Login, source: str, profile: SourceProfile
) -> None:
    """Keep what an owner says about a source. Raises UnknownDesk or OwnersOnly."""

    async def change(connection: Connection) -> None:
        await lock_account(connection, login.account_id)
        await hold_desk(connection, login, source, as_owner=True)
        if await change_profile(connection, source, profile):
            done = DeskAct(source=source, act="change_profile", by=login.account_id)
            await note_desk_act(connection, done, at=accounts.chance.now())

    await accounts.settled(change)
