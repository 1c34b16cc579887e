"""Tells all other addresses of an account of a change to it, in the transaction of the change."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from services.accounts.logging_in.limits import MailLimit, count_mail
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.mail.writing.letters import changed_letter
from shared.errors import MahjicError

ACCOUNT_PATH: Final = "/account"
# Each change is told to as many as 19 addresses, so going back and forth would send mail without
# end. Nobody who puts an account in order makes as many changes in an hour.
CHANGES_TOLD: Final[Sequence[MailLimit]] = (MailLimit(40, timedelta(hours=1)),)

OTHERS: Final = """
SELECT address FROM mahjic.addresses
WHERE account_id = $1 AND proved_at IS NOT NULL AND NOT address = ANY($2)
ORDER BY address
"""


class TooManyChanges(MahjicError):
    """An account was changed too often lately."""

    code = "too_many_changes"
    title = "That was changed very often lately"
    status = 429

    def __init__(self, wait: timedelta) -> None:
        super().__init__(
            "Each change is mailed to your other addresses, and there were many in the last hour. "
            "Nothing was changed this time. Try again in an hour.",
            headers={"Retry-After": str(max(1, int(wait.total_seconds())))},
        )


async def tell_change(
    accounts: Accounts,
    connection: Connection,
    account_id: str,
    what: str,
    *,
    but: tuple[str, ...] = (),
) -> None:
    """Have a change mailed to an account's addresses, `but` those that the change is about.

    Raises TooManyChanges.
    """
    url = f"{accounts.site_url()}{ACCOUNT_PATH}"
    others = await connection.fetch(OTHERS, account_id, list(but))
    if others:
        await _count(accounts, connection, account_id)
    for row in others:
        await accounts.outbox.queue(
            connection, changed_letter(row["address"], what=what, account_url=url)
        )


async def _count(accounts: Accounts, connection: Connection, account_id: str) -> None:
    key = accounts.counted_as(f"changes of {account_id}")
    full = await count_mail(connection, {key: CHANGES_TOLD}, accounts.chance.now())
    if full is not None:
        raise TooManyChanges(full.wait)
