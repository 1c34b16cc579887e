"""Gathers look-ups of verdicts into one query for everyone who asks at the same time.

A single request is answered at once. While a query is running, the next ones gather.
"""

import asyncio
from collections.abc import Sequence
from typing import Final

from services.projections.answering.reading import ViewBeingBuilt, ViewReader
from services.projections.sessions.queries import rated_sessions
from shared.events.verdicts import SessionRated

# Reading this many verdicts takes about 10 ms, and nothing else in this process runs meanwhile.
SESSIONS_MAX: Final = 100


class RatedSessions:
    """The verdicts on sessions, as the view shows them."""

    def __init__(self, reader: ViewReader) -> None:
        self._reader = reader
        self._asked: dict[str, asyncio.Future[SessionRated | None]] = {}
        self._asking: asyncio.Task[None] | None = None

    async def find(self, session_id: str) -> SessionRated | None:
        """Return the verdict on a session, unless the view is behind or being built.

        Raises ServiceUnavailable.
        """
        found = self._asked.get(session_id)
        if found is None:
            found = self._asked[session_id] = asyncio.get_running_loop().create_future()
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask())
        # Others may be waiting for the same one when this one is canceled.
        return await asyncio.shield(found)

    async def _ask(self) -> None:
        """Ask until no one is waiting."""
        while self._asked:
            session_ids = list(self._asked)[:SESSIONS_MAX]
            asked = {session_id: self._asked.pop(session_id) for session_id in session_ids}
            outcome = await self._outcome(session_ids)
            for session_id, found in asked.items():
                if isinstance(outcome, Exception):
                    found.set_exception(outcome)
                    found.exception()  # It is not a fault if everyone has left.
                else:
                    found.set_result(outcome.get(session_id))
        self._asking = None

    async def _outcome(self, session_ids: Sequence[str]) -> dict[str, SessionRated] | Exception:
        try:
            return await rated_sessions(self._reader, session_ids)
        except ViewBeingBuilt:
            return {}
        except Exception as error:  # noqa: BLE001 - Those who asked raise it.
            return error
