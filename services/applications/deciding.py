"""What staff do with applications: list them, look at one, ask, decline.

Every decision is a person's. It is written down with who made it, in its own transaction.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, TypeAlias

from services.accounts.acts import note_act
from services.accounts.logging_in.logins import Login, check_whole
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
from shared.access.acts import StaffActKind
from shared.errors import NotFound
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
        application = await sent_application(connection, application_id)
        await note_on_application(
            accounts, connection, login, "look_at_application", [application_id]
        )
        findings = await find_in(connection, application)
        advice = await read_advice_of(connection, application_id)
        return ReviewedApplication(application, findings, advice)

    return await accounts.settled(look)


async def ask_applicant(
    accounts: Accounts,
    login: Login,
    application_id: str,
    question: str,
    *,
    seen: int | None = None,
) -> None:
    """Ask the applicant something, who is told by mail.

    `seen` is how many questions were there when it was written: pressed twice, it is asked once.
    Raises NotFound, UnfitText, UnknownApplication or ApplicationSettled.
    """
    check_staff(login)
    said = read_prose(question, SAID_CHARACTERS_MAX)

    async def ask(connection: Connection) -> None:
        application = await open_application(connection, application_id)
        asked = application.questions
        if seen is not None and len(asked) != seen:
            if asked and asked[-1].question == said:
                return
            raise ApplicationSettled(
                "Somebody else has asked something in the meantime. Read it before you ask."
            )
        number = len(asked) + 1
        if number > QUESTIONS_MAX:
            raise ApplicationSettled(f"{QUESTIONS_MAX} questions were asked. Decide now.")
        await connection.execute(ASK, application_id, number, said, accounts.chance.now())
        await connection.execute(SET_QUESTION, application_id)
        await note_on_application(accounts, connection, login, "ask_applicant", [application_id])
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
        application = await open_application(connection, application_id)
        now = accounts.chance.now()
        await connection.execute(DECIDE, application_id, "declined", now, said, None)
        await keep_review(connection, application, "declined", now)
        await note_on_application(
            accounts, connection, login, "decline_application", [application_id]
        )
        await tell_applicant(accounts, connection, application, "declined", said=said)

    await accounts.settled(decline)


def check_staff(login: Login) -> None:
    """Check that somebody is staff, logged in as such: for others there is nothing here.

    Raises NotFound or OnlyFirstPasskey.
    """
    check_whole(login)
    if login.role is None:
        raise NotFound("There is nothing at this address.")


async def open_application(connection: Connection, application_id: str) -> Application:
    """Lock an application that is still to be decided.

    Raises UnknownApplication or ApplicationSettled.
    """
    application = await sent_application(connection, application_id, lock=True)
    if not application.is_open:
        raise ApplicationSettled(
            f"It was {application.state} in the meantime. Load the page again."
        )
    return application


async def sent_application(
    connection: Connection, application_id: str, *, lock: bool = False
) -> Application:
    """Return an application that staff have, or had. Raises UnknownApplication."""
    if not is_id(application_id):
        raise UnknownApplication
    application = await read_application_row(connection, application_id, lock=lock)
    if application.state == "begun":
        raise UnknownApplication
    return application


async def note_on_application(
    accounts: Accounts,
    connection: Connection,
    login: Login,
    act: StaffActKind,
    about: Sequence[str],
) -> None:
    """Note what staff did, in the open transaction."""
    await note_act(
        connection, at=accounts.chance.now(), staff_id=login.account_id, act=act, about=about
    )
