"""Has an act of staff kept before it is done, so that none is missing."""

from collections.abc import Awaitable
from typing import TypeVar

from services.accounts.acts import note_act_of_staff
from services.accounts.logging_in.logins import Login
from services.accounts.room import Accounts
from shared.access.acts import StaffActKind
from shared.db.away import DATABASE_AWAY
from shared.errors import ServiceUnavailable

Outcome = TypeVar("Outcome")


async def keep_act(accounts: Accounts, login: Login, act: StaffActKind, *about: str) -> None:
    """Keep who is about to do what, by ids. Raises ServiceUnavailable."""
    await note_act_of_staff(accounts, login.account_id, act, about)


async def unless_away(change: Awaitable[Outcome]) -> Outcome:
    """Return what a change gives. Raises ServiceUnavailable if the database is away."""
    try:
        return await change
    except DATABASE_AWAY:
        raise ServiceUnavailable from None
