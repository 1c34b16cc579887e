"""Looks up a session, never behind what those who submitted or changed it were told.

An answer is sent once the verdict is on the log, and the view shows it a moment later. So those who
ask in between wait for the view. No one waits for the rater.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from services.projections.answering.arriving import WAIT_S_MAX
from services.projections.answering.reading import ViewReader
from services.projections.sessions.queries import StoredSession, read_session
from shared.events.codec import fact_answered
from shared.log.port import Log, LogAway

VIEW: Final = "sessions"

# The last fact that a verdict answers, or None while that is unknown.
LastAnswered: TypeAlias = Callable[[], Awaitable[int | None]]


def last_answered_on(verdicts: Log) -> LastAnswered:
    """Return a function that asks the verdict log how far the facts are answered."""

    async def last_answered() -> int | None:
        try:
            async with asyncio.timeout(WAIT_S_MAX):
                record = await verdicts.last()
        except (LogAway, TimeoutError):
            return None
        return 0 if record is None else fact_answered(record.body)

    return last_answered


async def read_told_session(
    reader: ViewReader, session_id: str, last_answered: LastAnswered
) -> StoredSession | None:
    """Return what happened to a submission, or None if there is no such session.

    Raises ViewBehind if there may be a verdict that the view does not show in time.
    """
    deadline_s = asyncio.get_running_loop().time() + WAIT_S_MAX
    stored = await read_session(reader, session_id)
    if stored is None or stored.begun_seq >= stored.last_fact_seq:
        return stored
    answered_seq = await last_answered()
    if answered_seq is not None and answered_seq < stored.last_fact_seq:
        return stored
    while stored is not None and stored.begun_seq < stored.last_fact_seq:
        await reader.until_begun(VIEW, stored.last_fact_seq, deadline_s)
        stored = await read_session(reader, session_id)
    return stored
