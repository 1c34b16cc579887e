"""What staff do with applications: list them, look at one, ask, decline, approve.

Every decision is a person's. It is written down with who made it, in its own transaction.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, TypeAlias

from services.accounts.acts import note_act
from services.accounts.logging_in.logins import Login, check_fresh, check_whole
from services.accounts.memberships import make_member
from services.accounts.owners import LockedAccount, lock_owner
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.accounts.tokens import is_id
from services.applications.compared import find_in
from services.applications.reviewing.wanted import GivenAdvice, keep_review, read_advice_of
from services.applications.rows import UnknownApplication, read_application_row
from services.applications.rules import Finding
from services.applications.sending import ApplicationSettled
from services.applications.told import Application, ApplicationState
from services.applications.writing import tell_applicant
from shared.access.sources import SourceDetails, add_source
from shared.errors import MahjicError, NotFound
from shared.own_words.short_texts import read_prose

SAID_CHARACTERS_MAX: Final = 1_000
QUESTIONS_MAX: Final = 20
LISTED_MAX: Final = 50

Listing: TypeAlias = Literal["open", "decided"]

LIST: Final = """
SELECT kept.application_id, kept.number, kept.state, kept.organization, kept.type, kept.sent_at,
    kept.decided_at, advice.advice ->> 'opinion' AS opinion
FROM mahjic.applications AS kept
LEFT JOIN mahjic.application_advice AS advice ON advice.application_id = kept.application_id
"""
# Whoever waits longest comes first.
LIST_OPEN: Final = f"""{LIST}
WHERE kept.state IN ('sent', 'question') AND kept.number > $1 ORDER BY kept.number LIMIT $2
"""
LIST_DECIDED: Final = f"""{LIST}
WHERE kept.state IN ('approved', 'declined') AND ($1 = 0 OR kept.number < $1)
ORDER BY kept.number DESC LIMIT $2
"""
ASK: Final = """
INSERT INTO mahjic.application_questions (application_id, question_no, question, asked_at)
VALUES ($1, $2, $3, $4)
"""
SET_QUESTION: Final = """
UPDATE mahjic.applications SET state = 'question' WHERE application_id = $1
"""
DECIDE: Final = """
UPDATE mahjic.applications SET state = $2, decided_at = $3, reason = $4, source = $5
WHERE application_id = $1
"""


class NoOwner(MahjicError):
    """The applicant has no account any more that could own the source."""

    code = "no_owner"
    title = "There is nobody to own the source"
    status = 409

    def __init__(self) -> None:
        super().__init__(
            "The applicant has taken their address off their account, so there is nobody to own "
            "the source. Decline it, or wait until they log in with it again."
        )


@dataclass(frozen=True, slots=True)
class ListedApplication:
    """An application in the list of staff. `opinion` is what an agent advised, if one did."""

    application_id: str
    number: int
    state: ApplicationState
    organization: str = field(repr=False)
    type: str
    sent_at: datetime
    decided_at: datetime | None
    opinion: str | None


@dataclass(frozen=True, slots=True)
class ReviewedApplication:
    """All that somebody who decides has on one page."""

    application: Application
    findings: Sequence[Finding]
    advice: GivenAdvice


@dataclass(frozen=True, slots=True)
class Approval:
    """As what staff let an applicant in: the slug is theirs to choose."""

    slug: str
    details: SourceDetails


async def list_applications(
    accounts: Accounts, login: Login, listing: Listing, *, after: int = 0
) -> Sequence[ListedApplication]:
    """Return those that wait, or those that are decided; no address is in it. Raises NotFound."""
    check_staff(login)
    query = LIST_OPEN if listing == "open" else LIST_DECIDED
    rows = await accounts.settled(lambda c: c.fetch(query, after, LISTED_MAX))
    return [ListedApplication(*row) for row in rows]


async def look_at_application(
    accounts: Accounts, login: Login, application_id: str
) -> ReviewedApplication:
    """Return an application with what was found. That its address was looked at is noted.

    Raises NotFound or UnknownApplication.
    """
    check_staff(login)

    async def look(connection: Connection) -> ReviewedApplication:
        application = await _sent(connection, application_id)
        await _note(accounts, connection, login, "look_at_application", [application_id])
        findings = await find_in(connection, application)
        advice = await read_advice_of(connection, application_id)
        return ReviewedApplication(application, findings, advice)

    return await accounts.settled(look)


async def ask_applicant(
    accounts: Accounts, login: Login, application_id: str, question: str
) -> None:
    """Ask the applicant something, who is told by mail.

    Raises NotFound, UnfitText, UnknownApplication or ApplicationSettled.
    """
    check_staff(login)
    said = read_prose(question, SAID_CHARACTERS_MAX)

    async def ask(connection: Connection) -> None:
        application = await _open(connection, application_id)
        number = len(application.questions) + 1
        if number > QUESTIONS_MAX:
            raise ApplicationSettled(f"{QUESTIONS_MAX} questions were asked. Decide now.")
        await connection.execute(ASK, application_id, number, said, accounts.chance.now())
        await connection.execute(SET_QUESTION, application_id)
        await _note(accounts, connection, login, "ask_applicant", [application_id])
        await tell_applicant(accounts, connection, application, "question", said=said)

    await accounts.settled(ask)


async def decline_application(
    accounts: Accounts, login: Login, application_id: str, reason: str
) -> None:
    """Decline an application; the applicant is told why.

    Raises NotFound, UnfitText, UnknownApplication or ApplicationSettled.
    """
    check_staff(login)
    said = read_prose(reason, SAID_CHARACTERS_MAX)

    async def decline(connection: Connection) -> None:
        application = await _open(connection, application_id)
        now = accounts.chance.now()
        await connection.execute(DECIDE, application_id, "declined", now, said, None)
        await keep_review(connection, application, "declined", now)
        await _note(accounts, connection, login, "decline_application", [application_id])
        await tell_applicant(accounts, connection, application, "declined", said=said)

    await accounts.settled(decline)


async def approve_application(
    accounts: Accounts, login: Login, application_id: str, approval: Approval
) -> None:
    """Make the source and its owner, and tell the applicant: all of it, or nothing.

    Raises NotFound, LoginNotFresh, UnknownApplication, ApplicationSettled, NoOwner, InvalidSource
    or SourceExists.
    """
    check_staff(login)
    check_fresh(accounts, login)

    async def approve(connection: Connection) -> None:
        owner = await _lock_owner(connection, application_id)
        application = await _open(connection, application_id)
        now, slug = accounts.chance.now(), approval.slug
        await add_source(connection, slug, approval.details, now=now)
        address = application.text.address
        await make_member(connection, slug, owner.account_id, "owner", address=address, now=now)
        await connection.execute(DECIDE, application_id, "approved", now, None, slug)
        await keep_review(connection, application, "approved", now)
        about = [application_id, slug, owner.account_id]
        await _note(accounts, connection, login, "approve_application", about)
        await tell_applicant(accounts, connection, application, "approved", source=slug)

    await accounts.settled(approve)


def check_staff(login: Login) -> None:
    """Check that somebody is staff, logged in as such: for others there is nothing here.

    Raises NotFound or OnlyFirstPasskey.
    """
    check_whole(login)
    if login.role is None:
        raise NotFound("There is nothing at this address.")


async def _lock_owner(connection: Connection, application_id: str) -> LockedAccount:
    """Lock the applicant's account: first, as whoever is forgotten locks that first, too."""
    application = await _sent(connection, application_id)
    owner = await lock_owner(connection, application.text.address)
    if owner is None:
        raise NoOwner
    return owner


async def _open(connection: Connection, application_id: str) -> Application:
    """Lock an application that is still to be decided."""
    application = await _sent(connection, application_id, lock=True)
    if not application.is_open:
        raise ApplicationSettled(f"It was {application.state} meanwhile. Load the page again.")
    return application


async def _sent(connection: Connection, application_id: str, *, lock: bool = False) -> Application:
    if not is_id(application_id):
        raise UnknownApplication
    application = await read_application_row(connection, application_id, lock=lock)
    if application.state == "begun":
        raise UnknownApplication
    return application


async def _note(
    accounts: Accounts, connection: Connection, login: Login, act: str, about: Sequence[str]
) -> None:
    await note_act(
        connection, at=accounts.chance.now(), staff_id=login.account_id, act=act, about=about
    )
