"""Erases the applications of somebody who is forgotten, and tells them before what is kept."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final, Protocol

import asyncpg

from services.accounts.ports import Connection
from services.applications.rows import applications_of
from services.applications.sending import note_application_erased

ERASE: Final = """
DELETE FROM mahjic.applications WHERE address = ANY($1) RETURNING application_id
"""


class Applicant(Protocol):
    """Somebody as they are known here: by their addresses."""

    @property
    def addresses(self) -> Sequence[str]: ...


async def erase_applications(connection: Connection, addresses: Sequence[str]) -> None:
    """Erase what was applied for with these addresses, in the open transaction.

    It comes after the accounts are locked, as it does where one is approved. A source that was
    approved stays, and so does what was advised and decided, by ids.
    """
    if await connection.fetch(ERASE, list(addresses)):
        await note_application_erased(connection)


class ApplicationSection:
    """What somebody applied for, for those who download everything about themselves."""

    name = "applications"

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def about(self, person: Applicant) -> AsyncIterator[Mapping[str, Any]]:
        """Yield each as values that JSON can hold, with its questions and answers."""
        async with self._pool.acquire() as connection:
            found = await applications_of(connection, person.addresses)
        for each in found:
            yield asdict(each)
