"""Tells staff when the last owner of a source was forgotten, so that they name another.

Whoever erases a person only notes the source, and whoever sweeps writes the mails: to the
operators among the staff, and to those who still keep score there. They say nothing of the person.
"""

from typing import Final

import structlog

from services.accounts.members.notices import DESK_PATH, source_name
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.mail.writing.letters import members_letter, ownerless_letter

# Of several processes one tells.
TAKE: Final = """
UPDATE mahjic.ownerless_sources SET told_at = $1 WHERE source IN (
    SELECT source FROM mahjic.ownerless_sources WHERE told_at IS NULL
    ORDER BY source FOR UPDATE SKIP LOCKED
) RETURNING source
"""
_ONE_ADDRESS: Final = """
SELECT min(addresses.address) AS address FROM mahjic.addresses
JOIN {named} ON named.account_id = addresses.account_id
WHERE addresses.proved_at IS NOT NULL AND {chosen} GROUP BY addresses.account_id
"""
READ_OPERATORS: Final = _ONE_ADDRESS.format(
    named="mahjic.staff AS named", chosen="named.role = 'operator'"
)
READ_LEFT: Final = _ONE_ADDRESS.format(
    named="mahjic.source_members AS named", chosen="named.source = $1"
)

_log = structlog.get_logger(__name__)


async def tell_of_ownerless(accounts: Accounts) -> None:
    """Tell of each source that has lost its last owner, once. Raises ServiceUnavailable."""

    async def tell(connection: Connection) -> list[str]:
        now = accounts.chance.now()
        taken = [row["source"] for row in await connection.fetch(TAKE, now)]
        for source in taken:
            await _tell(accounts, connection, source)
        return taken

    for source in await accounts.settled(tell):
        _log.warning("source_without_owner", source=source)


async def _tell(accounts: Accounts, connection: Connection, source: str) -> None:
    name, site = await source_name(connection, source), accounts.site_url()
    for row in await connection.fetch(READ_OPERATORS):
        letter = ownerless_letter(
            row["address"], source=name, slug=source, url=f"{site}/sources/{source}"
        )
        await accounts.outbox.queue(connection, letter)
    what = (
        f"{name} has no owner on Mahjic at the moment. You can enter nights as before. "
        "Mahjic’s staff will appoint another owner; if you know who it should be, write to us."
    )
    for row in await connection.fetch(READ_LEFT, source):
        letter = members_letter(
            row["address"], source=name, what=what, url=f"{site}{DESK_PATH}{source}"
        )
        await accounts.outbox.queue(connection, letter)
