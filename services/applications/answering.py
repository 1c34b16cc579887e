"""What an applicant does who was asked something: answers, all at once or one after the other."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from services.accounts.logging_in.logins import Login, check_whole
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.applications.reviewing.wanted import want_advice
from services.applications.rows import UnknownApplication
from services.applications.sending import ApplicationSettled, own_of
from services.applications.told import Application
from shared.own_words.short_texts import read_prose

ANSWER_CHARACTERS_MAX: Final = 2_000

ANSWER: Final = """
UPDATE mahjic.application_questions SET answer = $3, answered_at = $4
WHERE application_id = $1 AND question_no = $2
"""
ALL_ANSWERED: Final = """
UPDATE mahjic.applications AS asked SET state = 'sent'
WHERE application_id = $1 AND state = 'question' AND NOT EXISTS (
    SELECT FROM mahjic.application_questions AS open
    WHERE open.application_id = asked.application_id AND open.answer IS NULL
) RETURNING application_id
"""


async def answer_questions(
    accounts: Accounts, login: Login, application_id: str, texts: Mapping[int, str]
) -> None:
    """Answer questions of staff, by their numbers. Once all are answered, staff decide again.

    The same answer sent twice is one. Raises UnfitText, UnknownApplication, ApplicationSettled or
    OnlyFirstPasskey, and then none of them is kept.
    """
    check_whole(login)
    answers = {number: read_prose(text, ANSWER_CHARACTERS_MAX) for number, text in texts.items()}
    now = accounts.chance.now()

    async def keep(connection: Connection) -> None:
        application = await own_of(connection, login, application_id, lock=True)
        for number, answer in answers.items():
            await _keep(connection, application, number, answer, now)
        if await connection.fetchval(ALL_ANSWERED, application_id) is not None:
            await want_advice(connection, application_id, now)

    await accounts.settled(keep)


async def _keep(
    connection: Connection, application: Application, number: int, answer: str, now: datetime
) -> None:
    asked = next((each for each in application.questions if each.question_no == number), None)
    if asked is not None and asked.answer == answer:
        return
    if not application.is_open:
        raise ApplicationSettled(
            "Your application has been decided already, so there is nothing to answer."
        )
    if asked is None:
        raise UnknownApplication
    if asked.answer is not None:
        raise ApplicationSettled("This question has been answered already.")
    await connection.execute(ANSWER, application.application_id, number, answer, now)
