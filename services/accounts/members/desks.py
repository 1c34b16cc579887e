"""Whether somebody who is logged in may do something at the desk of a source.

It is looked up at every request and, for whatever changes something, in its transaction: whoever
was removed can do nothing more from then on, also on a page that is open.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from services.accounts.logging_in.logins import Login, check_whole
from services.accounts.memberships import MemberRole
from services.accounts.ports import Connection
from services.accounts.room import Accounts, Done
from shared.errors import MahjicError, NotFound
from shared.ids import is_slug

READ_ROLE: Final = "SELECT role FROM mahjic.source_members WHERE source = $1 AND account_id = $2"
# What is written here names the account, and waits for whoever changes it or forgets it. They lock
# the account first and then its memberships, so it is held before these.
HOLD_ACCOUNT: Final = "SELECT FROM mahjic.accounts WHERE account_id = $1 FOR KEY SHARE"
# Until this transaction ends, nobody removes them.
HOLD_ROLE: Final = f"{READ_ROLE} FOR SHARE"
_DESKS: Final = """
SELECT members.source, sources.name, members.role, members.since
FROM mahjic.source_members AS members
JOIN mahjic.listed_sources AS sources ON sources.slug = members.source
WHERE members.account_id = $1
"""
LIST_DESKS: Final = f"{_DESKS} ORDER BY sources.name, members.source"
READ_DESK: Final = f"{_DESKS} AND members.source = $2"


class UnknownDesk(NotFound):
    """There is no such source, or it is not theirs; the answer is the same."""

    code = "unknown_desk"
    title = "You have no desk here"

    def __init__(self) -> None:
        super().__init__(
            "There is no desk of yours here, and nothing was sent or changed. If you were a member "
            "of this source, one of its owners can invite you again."
        )


class OwnersOnly(MahjicError):
    """A scorer asks for what only owners do."""

    code = "owners_only"
    title = "Only an owner may do this"
    status = 403

    def __init__(self) -> None:
        super().__init__("Only an owner of this source may do this. Ask one of them.")


@dataclass(frozen=True, slots=True)
class Desk:
    """A source at whose desk somebody works, and as what."""

    source: str
    name: str
    role: MemberRole
    since: datetime


async def role_at(accounts: Accounts, login: Login, source: str) -> MemberRole:
    """Return what somebody is at a source now. Raises UnknownDesk or OnlyFirstPasskey."""
    check_whole(login)
    check_slug(source)
    return _role(await accounts.settled(lambda c: c.fetchval(READ_ROLE, source, login.account_id)))


async def hold_desk(
    connection: Connection, login: Login, source: str, *, as_owner: bool = False
) -> MemberRole:
    """Return what somebody is at a source, and keep it so until the open transaction ends.

    Raises UnknownDesk, OwnersOnly or OnlyFirstPasskey.
    """
    check_whole(login)
    check_slug(source)
    await connection.execute(HOLD_ACCOUNT, login.account_id)
    role = _role(await connection.fetchval(HOLD_ROLE, source, login.account_id))
    if as_owner and role != "owner":
        raise OwnersOnly
    return role


async def settled_at(
    accounts: Accounts,
    login: Login,
    source: str,
    work: Callable[[Connection], Awaitable[Done]],
) -> Done:
    """Return what some work at a desk gives, in one transaction that holds who may be there.

    Raises what `settled` and `hold_desk` raise.
    """

    async def held(connection: Connection) -> Done:
        await hold_desk(connection, login, source)
        return await work(connection)

    return await accounts.settled(held)


async def desks_of(accounts: Accounts, login: Login) -> Sequence[Desk]:
    """Return the sources at whose desks somebody works."""
    rows = await accounts.settled(lambda c: c.fetch(LIST_DESKS, login.account_id))
    return [Desk(row["source"], row["name"], row["role"], row["since"]) for row in rows]


async def desk_at(accounts: Accounts, login: Login, source: str) -> Desk:
    """Return the desk of a source, as it is now. Raises UnknownDesk or OnlyFirstPasskey."""
    check_whole(login)
    check_slug(source)
    row = await accounts.settled(lambda c: c.fetchrow(READ_DESK, login.account_id, source))
    if row is None:
        raise UnknownDesk
    return Desk(row["source"], row["name"], row["role"], row["since"])


def check_slug(source: str) -> None:
    """Raise UnknownDesk for what names no source, and may not be valid in PostgreSQL either."""
    if not is_slug(source):
        raise UnknownDesk


def _role(found: MemberRole | None) -> MemberRole:
    if found is None:
        raise UnknownDesk
    return found
