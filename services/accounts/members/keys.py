"""The keys of a source, as its owners make and revoke them at their desk.

The text of a key is in the answer to whoever made it, and nowhere else: in no mail, log or table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Final, Literal, TypeAlias

from services.accounts.desk_acts import DeskAct, note_desk_act
from services.accounts.logging_in.limits import MailLimit, count_mail
from services.accounts.logging_in.logins import Login, check_fresh
from services.accounts.members.desks import hold_desk
from services.accounts.members.notices import MemberNotices
from services.accounts.owners import lock_account
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from shared.access.source_keys import (
    MadeSourceKey,
    NewSourceKey,
    SourceKey,
    count_other_keys,
    list_source_keys,
    make_source_key,
    revoke_source_key,
)
from shared.characters import forbidden_in_label
from shared.errors import MahjicError, NotFound

NAME_CHARACTERS_MAX: Final = 40
# A source has a program or two, and a new key each now and then.
WORKING_MAX: Final = 20
LISTED_MAX: Final = 100
# Each is mailed to all owners.
MADE_MAX: Final = (MailLimit(10, timedelta(hours=1)),)

MakerKind: TypeAlias = Literal["you", "member", "operator", "gone"]

READ_MAKERS: Final = """
SELECT account_id, known_as FROM mahjic.source_members WHERE source = $1
"""


class KeyNotMade(MahjicError):
    """A key has no proper name, or there are too many."""

    code = "key_not_made"
    title = "No key was made"
    status = 422


class KeyFormUsed(MahjicError):
    """The form has made a key that is in use, was revoked, or is of a while ago."""

    code = "key_form_used"
    title = "This page has made a key before"
    status = 409

    def __init__(self) -> None:
        super().__init__(
            "This page has made a key already, and it is not shown again. Load the list of keys "
            "again, and make another if you have not saved it."
        )


class NoSuchKey(NotFound):
    """The source has no key of this id that works."""

    code = "no_such_key"
    title = "This key no longer works"

    def __init__(self) -> None:
        super().__init__("It was revoked already, or is not a key of yours. Load the list again.")


@dataclass(frozen=True, slots=True)
class ListedKey:
    """A key as an owner sees it, with who made it, as the source knows them."""

    key_id: str
    name: str
    maker_kind: MakerKind
    maker: str | None = field(repr=False)
    created_at: datetime
    used_on: date | None
    revoked_at: datetime | None


async def list_desk_keys(accounts: Accounts, login: Login, source: str) -> Sequence[ListedKey]:
    """Return the keys of a source, for an owner. Raises UnknownDesk or OwnersOnly."""

    async def read(connection: Connection) -> Sequence[ListedKey]:
        await hold_desk(connection, login, source, as_owner=True)
        rows = await connection.fetch(READ_MAKERS, source)
        makers = {row["account_id"]: row["known_as"] for row in rows}
        keys = await list_source_keys(connection, source, limit=LISTED_MAX)
        return [_listed(each, makers, login) for each in keys]

    return await accounts.settled(read)


async def make_desk_key(
    accounts: Accounts, login: Login, source: str, key_id: str, typed: str
) -> MadeSourceKey:
    """Make a key under the id that its form carries, as an owner.

    Raises LoginNotFresh, UnknownDesk, OwnersOnly, KeyNotMade or KeyFormUsed.
    """
    check_fresh(accounts, login)
    wanted = NewSourceKey(key_id, source, read_key_name(typed), login.account_id)
    now = accounts.chance.now()

    async def make(connection: Connection) -> MadeSourceKey:
        await lock_account(connection, login.account_id)
        await hold_desk(connection, login, source, as_owner=True)
        made = await make_source_key(connection, wanted, now=now)
        if made is None:
            raise KeyFormUsed
        if made.is_new:
            await _check_room(accounts, connection, wanted, now)
            done = DeskAct(source=source, act="make_key", by=login.account_id, key_id=key_id)
            await _note(accounts, connection, done)
        return made

    return await accounts.settled(make)


async def revoke_desk_key(accounts: Accounts, login: Login, source: str, key_id: str) -> None:
    """Refuse a key from now on, as an owner.

    Raises LoginNotFresh, UnknownDesk, OwnersOnly or NoSuchKey.
    """
    check_fresh(accounts, login)

    async def revoke(connection: Connection) -> None:
        await lock_account(connection, login.account_id)
        await hold_desk(connection, login, source, as_owner=True)
        now = accounts.chance.now()
        if not await revoke_source_key(connection, source, key_id, now=now):
            raise NoSuchKey
        done = DeskAct(source=source, act="revoke_key", by=login.account_id, key_id=key_id)
        await _note(accounts, connection, done)

    await accounts.settled(revoke)


def read_key_name(typed: str) -> str:
    """Return what a key is for in its one form. Raises KeyNotMade."""
    name = " ".join(typed[: 5 * NAME_CHARACTERS_MAX].split())
    if not name or len(name) > NAME_CHARACTERS_MAX or forbidden_in_label(name) is not None:
        raise KeyNotMade(
            f"Say what the key is for, in 1 to {NAME_CHARACTERS_MAX} plain characters, such as "
            "“Score app”."
        )
    return name


async def _check_room(
    accounts: Accounts, connection: Connection, wanted: NewSourceKey, now: datetime
) -> None:
    if await count_other_keys(connection, wanted.source, wanted.key_id) >= WORKING_MAX:
        raise KeyNotMade(f"There are {WORKING_MAX} keys that work. Revoke one that nobody needs.")
    counted = accounts.counted_as(f"keys of {wanted.source}")
    if await count_mail(connection, {counted: MADE_MAX}, now) is not None:
        raise KeyNotMade("Many keys were made in the last hour. Try again in an hour.")


async def _note(accounts: Accounts, connection: Connection, done: DeskAct) -> None:
    await note_desk_act(connection, done, at=accounts.chance.now())
    is_made = done.act == "make_key"
    await MemberNotices.of(accounts).tell_of_key(connection, done.source, is_made=is_made)


def _listed(key: SourceKey, makers: Mapping[str, str | None], login: Login) -> ListedKey:
    maker_kind: MakerKind = "gone"
    if not key.is_of_member:
        maker_kind = "operator"
    elif key.made_by == login.account_id:
        maker_kind = "you"
    elif key.made_by in makers:
        maker_kind = "member"
    return ListedKey(
        key.key_id,
        key.name or key.key_id,
        maker_kind,
        makers.get(key.made_by or ""),
        key.created_at,
        key.used_on,
        key.revoked_at,
    )
