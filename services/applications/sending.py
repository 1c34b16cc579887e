"""What an applicant does: writes an application, and sends it with a proved address.

What is begun counts for nothing. It is sent by whoever is logged in with its address, after reading
it: somebody else may have written it in their name.
"""

from collections.abc import Sequence
from dataclasses import astuple, replace
from datetime import datetime, timedelta
from typing import Final

from services.accounts.logging_in.limits import MailLimit, count_mail
from services.accounts.logging_in.logins import Login, check_whole
from services.accounts.own.own_addresses import proved_addresses
from services.accounts.owners import lock_account
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.accounts.tokens import is_id
from services.applications.reviewing.wanted import want_advice
from services.applications.rows import (
    UnknownApplication,
    applications_of,
    read_application_row,
)
from services.applications.told import Application, ApplicationText
from services.applications.writing import tell_applicant
from shared.db.erasing import note_erased
from shared.errors import MahjicError

# A day is enough to find a mail.
BEGUN_FOR: Final = timedelta(days=1)
BEGUN_MAX: Final = 5
# Somebody who runs three clubs applies for three; more at once is no use to anyone.
OPEN_MAX: Final = 3
SENT_MAX: Final = 6
SENT_WITHIN: Final = timedelta(days=30)
# Who begins many with ever other addresses is no applicant.
FROM_NETWORK: Final = (MailLimit(20, timedelta(hours=1)),)

# Pressed twice, or sent again after the back button, it is the same application.
BEGIN_AGAIN: Final = """
UPDATE mahjic.applications SET begun_at = $12 WHERE address = $5 AND state = 'begun' AND (
    organization, type, wished_slug, applicant, address, site, region, keeping, players, nights,
    description
) IS NOT DISTINCT FROM ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
RETURNING application_id
"""
BEGIN: Final = """
INSERT INTO mahjic.applications (
    application_id, organization, type, wished_slug, applicant, address, site, region, keeping,
    players, nights, description, begun_at
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
"""
CHANGE: Final = """
UPDATE mahjic.applications SET organization = $2, type = $3, wished_slug = $4, applicant = $5,
    address = $6, site = $7, region = $8, keeping = $9, players = $10, nights = $11,
    description = $12
WHERE application_id = $1
"""
# The oldest make room.
LIMIT_BEGUN: Final = """
DELETE FROM mahjic.applications WHERE application_id IN (
    SELECT application_id FROM mahjic.applications
    WHERE address = $1 AND state = 'begun' ORDER BY number DESC OFFSET $2
) RETURNING application_id
"""
COUNT_SENT: Final = """
SELECT count(*) FILTER (WHERE state IN ('sent', 'question')) AS open,
    count(*) FILTER (WHERE sent_at > $2) AS lately
FROM mahjic.applications WHERE address = ANY($1)
"""
SEND: Final = """
UPDATE mahjic.applications SET state = 'sent', sent_at = $2 WHERE application_id = $1
"""
TAKE_BACK: Final = "DELETE FROM mahjic.applications WHERE application_id = $1"
SWEEP_BEGUN: Final = """
WITH swept AS (
    DELETE FROM mahjic.applications WHERE state = 'begun' AND begun_at <= $1 RETURNING 1
) SELECT count(*) FROM swept
"""


class TooManyApplications(MahjicError):
    """The applicant, or their network, had its share of applications."""

    code = "too_many_applications"
    title = "Too many applications"
    status = 429


class ApplicationSettled(MahjicError):
    """What was to be done with an application is done already, or it was decided meanwhile."""

    code = "application_settled"
    title = "This application has moved on"
    status = 409


async def begin_application(accounts: Accounts, text: ApplicationText, *, network: str) -> str:
    """Keep an application until its address is proved, and return its id.

    Nobody is told whether the address is known. Raises TooManyApplications.
    """
    chance = accounts.chance
    now = chance.now()

    async def begin(connection: Connection) -> str:
        key = accounts.counted_as(f"applications from {network}")
        full = await count_mail(connection, {key: FROM_NETWORK}, now)
        if full is not None:
            raise TooManyApplications(
                "Many applications came from your network in the last hour. Try again in an hour."
            )
        said = astuple(text)
        again: str | None = await connection.fetchval(BEGIN_AGAIN, *said, now)
        if again is not None:
            return again
        application_id = chance.new_id("app")
        await connection.execute(BEGIN, application_id, *said, now)
        if await connection.fetch(LIMIT_BEGUN, text.address, BEGUN_MAX):
            await note_erased(connection, "applications")
        return application_id

    return await accounts.settled(begin)


async def change_application(
    accounts: Accounts, login: Login, application_id: str, text: ApplicationText
) -> None:
    """Say otherwise what was begun and not sent yet. The address stays.

    Raises UnknownApplication, ApplicationSettled or OnlyFirstPasskey.
    """
    check_whole(login)

    async def change(connection: Connection) -> None:
        application = await own_of(connection, login, application_id, lock=True)
        if application.state != "begun":
            raise ApplicationSettled(
                "Your application has been sent already, so it can’t be changed."
            )
        said = astuple(replace(text, address=application.text.address))
        await connection.execute(CHANGE, application_id, *said)
        await note_erased(connection, "applications")

    await accounts.settled(change)


async def own_applications(accounts: Accounts, login: Login) -> Sequence[Application]:
    """Return what somebody applied for or began, by any proved address, newest first."""
    check_whole(login)

    async def read(connection: Connection) -> Sequence[Application]:
        return await applications_of(
            connection, await proved_addresses(connection, login.account_id)
        )

    return await accounts.settled(read)


async def own_application(accounts: Accounts, login: Login, application_id: str) -> Application:
    """Return an application of somebody's own. Raises UnknownApplication or OnlyFirstPasskey."""
    check_whole(login)
    return await accounts.settled(lambda c: own_of(c, login, application_id))


async def send_application(accounts: Accounts, login: Login, application_id: str) -> None:
    """Send what was begun, now that its address is proved. Sent again, nothing more happens.

    Raises UnknownApplication, TooManyApplications or OnlyFirstPasskey.
    """
    check_whole(login)
    now = accounts.chance.now()

    async def send(connection: Connection) -> None:
        # All that one person sends comes one after the other.
        await lock_account(connection, login.account_id)
        application = await own_of(connection, login, application_id, lock=True)
        if application.state != "begun":
            return
        await _check_room(connection, login, now)
        await connection.execute(SEND, application_id, now)
        await want_advice(connection, application_id, now)
        await tell_applicant(accounts, connection, application, "sent")

    await accounts.settled(send)


async def take_back_application(accounts: Accounts, login: Login, application_id: str) -> None:
    """Erase an application that is not decided yet, as the applicant may.

    Raises UnknownApplication, ApplicationSettled or OnlyFirstPasskey.
    """
    check_whole(login)

    async def take_back(connection: Connection) -> None:
        application = await own_of(connection, login, application_id, lock=True)
        if application.state != "begun" and not application.is_open:
            raise ApplicationSettled(
                "Your application has been decided already, so it can’t be taken back."
            )
        await connection.execute(TAKE_BACK, application_id)
        await note_application_erased(connection)

    await accounts.settled(take_back)


async def sweep_begun(accounts: Accounts) -> None:
    """Take away what was begun and never sent. Raises ServiceUnavailable."""
    before = accounts.chance.now() - BEGUN_FOR

    async def sweep(connection: Connection) -> None:
        if await connection.fetchval(SWEEP_BEGUN, before):
            await note_application_erased(connection)

    await accounts.settled(sweep)


async def note_application_erased(connection: Connection) -> None:
    """Note that applications are erased, with all that hangs on them."""
    await note_erased(connection, "applications", "application_questions", "application_advice")


async def own_of(
    connection: Connection, login: Login, application_id: str, *, lock: bool = False
) -> Application:
    """Return an application of somebody's own, or raise UnknownApplication."""
    if not is_id(application_id):
        raise UnknownApplication
    application = await read_application_row(connection, application_id, lock=lock)
    if application.text.address not in await proved_addresses(connection, login.account_id):
        raise UnknownApplication
    return application


async def _check_room(connection: Connection, login: Login, now: datetime) -> None:
    own = await proved_addresses(connection, login.account_id)
    row = await connection.fetchrow(COUNT_SENT, own, now - SENT_WITHIN)
    assert row is not None
    if row["open"] >= OPEN_MAX:
        raise TooManyApplications(
            f"You have {OPEN_MAX} applications that are not decided yet. Wait for an answer, or "
            "take one back."
        )
    if row["lately"] >= SENT_MAX:
        raise TooManyApplications(
            f"You sent {SENT_MAX} applications in the last {SENT_WITHIN.days} days. Wait a while."
        )
