"""Reads applications as they are kept, in the open transaction of whoever asks."""

from collections.abc import Sequence
from typing import Final

import asyncpg

from services.accounts.ports import Connection
from services.applications.told import Application, ApplicationText, AskedQuestion
from shared.errors import NotFound

_COLUMNS: Final = """application_id, state, organization, type, wished_slug, applicant, address,
    site, region, keeping, players, nights, description, begun_at, sent_at, decided_at, reason,
    source"""
READ_ONE: Final = f"SELECT {_COLUMNS} FROM mahjic.applications WHERE application_id = $1"
LOCK_ONE: Final = f"{READ_ONE} FOR UPDATE"
# Of those whose addresses are given; what is begun is shown to them as well.
READ_OF: Final = f"""
SELECT {_COLUMNS} FROM mahjic.applications WHERE address = ANY($1) ORDER BY number DESC
"""
READ_QUESTIONS: Final = """
SELECT application_id, question_no, question, asked_at, answer, answered_at
FROM mahjic.application_questions WHERE application_id = ANY($1)
ORDER BY application_id, question_no
"""


class UnknownApplication(NotFound):
    """There is no such application, or it is somebody else's; the answer is the same."""

    code = "unknown_application"
    title = "There is no such application"

    def __init__(self) -> None:
        super().__init__(
            "You have no application here. Log in with the address that you gave in it."
        )


async def read_application_row(
    connection: Connection, application_id: str, *, lock: bool = False
) -> Application:
    """Return an application, whoever's it is. Raises UnknownApplication."""
    row = await connection.fetchrow(LOCK_ONE if lock else READ_ONE, application_id)
    if row is None:
        raise UnknownApplication
    (application,) = await _with_questions(connection, [row])
    return application


async def applications_of(
    connection: Connection, addresses: Sequence[str]
) -> Sequence[Application]:
    """Return the applications with these addresses, newest first."""
    return await _with_questions(connection, await connection.fetch(READ_OF, list(addresses)))


def text_of(row: asyncpg.Record) -> ApplicationText:
    """Return what the applicant says in a row."""
    return ApplicationText(
        organization=row["organization"],
        type=row["type"],
        wished_slug=row["wished_slug"],
        applicant=row["applicant"],
        address=row["address"],
        site=row["site"],
        region=row["region"],
        keeping=row["keeping"],
        players=row["players"],
        nights=row["nights"],
        description=row["description"],
    )


async def _with_questions(
    connection: Connection, rows: Sequence[asyncpg.Record]
) -> Sequence[Application]:
    ids = [row["application_id"] for row in rows]
    asked: dict[str, list[AskedQuestion]] = {each: [] for each in ids}
    for application_id, *question in await connection.fetch(READ_QUESTIONS, ids):
        asked[application_id].append(AskedQuestion(*question))
    return [
        Application(
            application_id=row["application_id"],
            state=row["state"],
            text=text_of(row),
            questions=asked[row["application_id"]],
            begun_at=row["begun_at"],
            sent_at=row["sent_at"],
            decided_at=row["decided_at"],
            reason=row["reason"],
            source=row["source"],
        )
        for row in rows
    ]
