"""Decides on one change to the past under the lock on the head, and never twice.

Each change is one transaction. If the answer to its COMMIT is lost, the log shows whether it was
written.
"""

from collections.abc import Awaitable, Callable
from typing import Final, Generic, Protocol, TypeAlias, TypeVar

from services.ingest.record.known.refusals import ForeignRefusals
from services.ingest.record.waterline import Waterline, Writing
from shared.errors import MahjicError
from shared.log.port import Position
from shared.log.postgres import Connection

T = TypeVar("T")

# What is decided under the lock, and written in the transaction that holds it. A refusal is raised
# before anything is written. It may run again if the database went away.
Change: TypeAlias = Callable[[Connection, Writing], Awaitable[T]]


class Decider(Protocol):
    """Decides on changes, one after the other. `refusals` counts what others were told of."""

    @property
    def refusals(self) -> ForeignRefusals: ...

    async def decide(self, change: Change[T]) -> T:
        """Return the decision; what it wrote is on the log by then. Raises the refusal."""
        ...


READ_CHAIN: Final = "SELECT chain FROM mahjic.facts WHERE seq = $1"


class Decision(Generic[T]):
    """A change in progress, and what was decided when it was last tried."""

    def __init__(self, change: Change[T]) -> None:
        self._change = change
        self._written: Position | None = None
        self._decided: T | MahjicError | None = None

    async def attempt(self, connection: Connection, waterline: Waterline) -> T | MahjicError:
        """Decide in one transaction, unless an earlier attempt did and only its answer was lost.

        A refusal is returned, not raised. Raises HistorySplit.
        """
        async with waterline.writing(connection) as writing:
            if await self._is_written(connection):
                assert self._decided is not None, "Something was written because of it."
                return self._decided
            self._written = None
            self._decided = decided = await self._decide(connection, writing)
            if writing.end != writing.head.position:
                self._written = writing.end
        return decided

    async def _decide(self, connection: Connection, writing: Writing) -> T | MahjicError:
        try:
            return await self._change(connection, writing)
        except MahjicError as refusal:
            assert writing.end == writing.head.position, "A refusal writes nothing."
            return refusal

    async def _is_written(self, connection: Connection) -> bool:
        if self._written is None:
            return False
        chain = await connection.fetchval(READ_CHAIN, self._written.seq)
        return bool(chain == self._written.chain)
