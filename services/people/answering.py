"""Tells a player by mail that what they said about a session was answered.

They asked, so it is no mail that "no more mail" ends; their account may have chosen to get none of
the kind. What the answer is, only their page says: a mail can't be erased.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from services.accounts.own.mail_choices import mail_choice_of_address
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.ingest.people.disputes import Dispute
from services.mail.writing.letters import answered_letter
from shared.mail.outbox import is_unreachable

DISPUTE_PATH: Final = "/me/sessions/{}/dispute"
READ_SOURCE: Final = "SELECT name FROM mahjic.listed_sources WHERE slug = $1"


@dataclass(frozen=True, slots=True)
class AnswersTold:
    """Keeps the promise of AnswerTold."""

    accounts: Accounts

    async def __call__(
        self, connection: Connection, answered: Dispute, addresses: Sequence[str]
    ) -> None:
        """Mail to the first address whose owner wants that, and which could be reached."""
        for address in addresses:
            wants = await mail_choice_of_address(connection, address)
            if wants in {"summary", "important"} and not await is_unreachable(connection, address):
                source = await connection.fetchval(READ_SOURCE, answered.source)
                letter = answered_letter(
                    address,
                    source=source or answered.source,
                    day=answered.session_date,
                    url=self.accounts.site_url() + DISPUTE_PATH.format(answered.session_id),
                )
                await self.accounts.outbox.queue(connection, letter)
                return
