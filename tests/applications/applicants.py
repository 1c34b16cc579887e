"""Applicants and staff for tests, with the forms that they fill in."""

import itertools
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from services.accounts.logging_in.logins import Login, Role, begin_login, find_login
from services.accounts.room import Accounts
from services.accounts.staff import add_staff
from services.applications.reading import read_application
from services.applications.sending import begin_application, send_application
from services.applications.told import Application, ApplicationText
from tests.accounts.people import ALICE, House

FORM: Final = {
    "organization": "Lakeside Mahjong Club",
    "type": "club",
    "wished_slug": "lakeside",
    "applicant": "Alice Baker",
    "address": ALICE,
    "site": "https://www.lakeside.example.org/about",
    "region": "midwest",
    "keeping": "On paper, and in a spreadsheet afterward.",
    "players": "40",
    "nights": "50",
    "description": "We play on Tuesdays in the library of Lakeside.",
}


def a_text(**other: str) -> ApplicationText:
    """Return what a form says, with some fields filled in otherwise."""
    return read_application(FORM | other)


def an_application(*, at: datetime, **other: Any) -> Application:
    """Return an application as staff have it, that no database knows."""
    plain = Application("app_0000000000000000", "sent", a_text(), [], at, at, None, None, None)
    return replace(plain, **other)


@dataclass
class Bureau:
    """Accounts of applicants and staff, in the hands of the test."""

    house: House

    def __post_init__(self) -> None:
        self._networks = itertools.count(1)

    async def begin(self, **other: str) -> str:
        """Fill in a form in another network each time, and return the application's id."""
        return await begin_application(
            self.house.accounts, a_text(**other), network=f"network {next(self._networks)}"
        )

    async def sent(self, login: Login, **other: str) -> str:
        """Fill in a form and send it, logged in with its address; return the application's id."""
        application_id = await self.begin(**other)
        await send_application(self.house.accounts, login, application_id)
        return application_id

    async def staff(self, role: Role = "reviewer", address: str = "staff@example.com") -> Login:
        """Return the login of a member of staff, with a passkey."""
        accounts = self.house.accounts
        account_id = await add_staff(self.house.pool, address, role, accounts.chance)
        async with self.house.pool.acquire() as connection, connection.transaction():
            token = await begin_login(
                accounts,
                connection,
                account_id,
                kind="staff",
                by_passkey=True,
                browser="Firefox on Linux",
                token_before=None,
            )
        login = await find_login(accounts, token)
        assert login is not None
        return login

    async def people(self) -> tuple[Accounts, Login, Login]:
        """Return the accounts, the login of an applicant, and that of a member of staff."""
        return self.house.accounts, await self.house.log_in(), await self.staff()

    async def mailed(self, address: str = ALICE) -> list[tuple[str, str]]:
        """Return subject and text of the mails about applications, the first one first."""
        rows = await self.house.pool.fetch(
            "SELECT subject, plain FROM mahjic.mails WHERE address = $1 AND kind = 'application'"
            " ORDER BY number",
            address,
        )
        return [(row["subject"], " ".join(row["plain"].split())) for row in rows]
