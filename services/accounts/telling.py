"""Tells all other addresses of an account of a change to it, in the transaction of the change."""

from typing import Final

from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.mail.writing.letters import changed_letter

ACCOUNT_PATH: Final = "/account"

OTHERS: Final = """
SELECT address FROM mahjic.addresses
WHERE account_id = $1 AND proved_at IS NOT NULL AND NOT address = ANY($2)
ORDER BY address
"""


async def tell_change(
    accounts: Accounts,
    connection: Connection,
    account_id: str,
    what: str,
    *,
    but: tuple[str, ...] = (),
) -> None:
    """Have a change mailed to an account's addresses, `but` those that the change is about."""
    url = f"{accounts.site_url()}{ACCOUNT_PATH}"
    for row in await connection.fetch(OTHERS, account_id, list(but)):
        await accounts.outbox.queue(
            connection, changed_letter(row["address"], what=what, account_url=url)
        )
