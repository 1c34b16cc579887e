"""Mails people what became of their verification, in the transaction in which it becomes so."""

from datetime import date
from typing import Final

from services.accounts.own.own_addresses import proved_addresses
from services.mail.writing.letters import VerifiedNews, verified_letter
from services.verification.entitlement import Entitlement
from services.verification.on_file import Filed
from services.verification.room import Connection, VerificationRoom

VERIFIED_PATH: Final = "/me/verified"

ACCOUNTS: Final = """
SELECT DISTINCT account_id FROM mahjic.enrollments
WHERE player_id = ANY($1) AND account_id IS NOT NULL ORDER BY account_id
"""


async def tell_person(
    room: VerificationRoom, connection: Connection, filed: Filed, found: Entitlement, *, was: bool
) -> None:
    """Have whoever pays, or has paid, told what changed. Whom staff know is not written to."""
    news = _news(filed, found, was=was)
    if news is None:
        return
    day = _day(filed, found, news)
    url = f"{room.accounts.site_url()}{VERIFIED_PATH}"
    for row in await connection.fetch(ACCOUNTS, filed.group.members):
        for address in (await proved_addresses(connection, row["account_id"]))[:1]:
            await room.accounts.outbox.queue(
                connection, verified_letter(address, news=news, day=day, url=url)
            )


def _news(filed: Filed, found: Entitlement, *, was: bool) -> VerifiedNews | None:
    if found.is_verified != was:
        return "begun" if found.is_verified else "ended"
    has_begun = filed.on_file.grace_until is not None
    return "grace" if found.is_in_grace and not has_begun else None


def _day(filed: Filed, found: Entitlement, news: VerifiedNews) -> date | None:
    """Return the day that is told: the end of what is paid at first, of the days of grace later."""
    if found.until is None:
        return None
    paid = [year.ends_at for year in filed.on_file.years if not year.is_given_back]
    return min(found.until, max(paid)).date() if news == "begun" else found.until.date()
