"""Keeps the promises of MailsAtStaff."""

from collections.abc import Sequence
from dataclasses import dataclass

from services.accounts.acts import note_act
from services.accounts.logging_in.logins import Login
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from shared.access.acts import StaffActKind
from shared.mail.looking import (
    ListedMail,
    OutboxStanding,
    drop_mail,
    list_failing,
    retry_mail,
    standing,
)


@dataclass(frozen=True, slots=True)
class StaffMails:
    """What staff do about mail."""

    accounts: Accounts

    async def standing(self) -> OutboxStanding:
        """Return how many wait, and since when."""
        now = self.accounts.chance.now()
        return await self.accounts.settled(lambda c: standing(c, now=now))

    async def failing(self) -> Sequence[ListedMail]:
        """Return what does not get through."""
        return await self.accounts.settled(list_failing)

    async def retry(self, login: Login, mail_id: str) -> None:
        """Have a mail tried at once."""
        now = self.accounts.chance.now()

        async def retry(connection: Connection) -> None:
            await retry_mail(connection, mail_id, now=now)
            await self._note(connection, login, "retry_mail", mail_id)

        await self.accounts.settled(retry)

    async def drop(self, login: Login, mail_id: str) -> None:
        """Give a mail up."""
        now = self.accounts.chance.now()

        async def drop(connection: Connection) -> None:
            await drop_mail(connection, mail_id, now=now)
            await self._note(connection, login, "drop_mail", mail_id)

        await self.accounts.settled(drop)

    async def _note(
        self, connection: Connection, login: Login, act: StaffActKind, mail_id: str
    ) -> None:
        at = self.accounts.chance.now()
        await note_act(connection, at=at, staff_id=login.account_id, act=act, about=[mail_id])
