"""What a view is, what it applies, and how far a build of it has come."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeVar

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from shared.events.codec import Verdict
from shared.log.port import Position, Record

Connection = asyncpg.Connection | PoolConnectionProxy
T = TypeVar("T")

# The channel on which views say that they have moved.
VIEWS_CHANNEL: Final = "mahjic_views"


@dataclass(frozen=True, slots=True)
class LoggedVerdict:
    """A record of the log and the verdict in it."""

    record: Record
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class VerdictBatch:
    """What a view has to apply: verdicts in order, and people whose details have changed since."""

    entries: Sequence[LoggedVerdict]
    changed_people: Sequence[str]
    verdicts: Sequence[Verdict] = field(init=False, repr=False, compare=False)
    _made: dict[Callable[[Sequence[Verdict]], Any], Any] = field(
        default_factory=dict, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "verdicts", [each.verdict for each in self.entries])

    def once(self, make: Callable[[Sequence[Verdict]], T]) -> T:
        """Return what a pure function makes of the verdicts; it is called once for all views.

        What it returns must not be changed.
        """
        if make not in self._made:
            self._made[make] = make(self.verdicts)
        made: T = self._made[make]
        return made


class View(Protocol):
    """Rows computed from the verdicts and from what people chose, and nothing else."""

    @property
    def name(self) -> str:
        """The noun by which schemas and commands know it."""
        ...

    @property
    def version(self) -> int:
        """Raised with every change to the rows; builds of other versions are not read."""
        ...

    @property
    def schema_sql(self) -> str:
        """The SQL that makes the tables in an empty schema."""
        ...

    async def apply(self, connection: Connection, schema: str, batch: VerdictBatch) -> None:
        """Bring the rows up to the end of the batch, in the caller's transaction."""
        ...


@dataclass(frozen=True, slots=True)
class Build:
    """One build of a view, and how far it has come.

    `fact_seq` is the last fact that is completely answered. Between the parts of the verdict on the
    next one, `correcting` is the last part applied and the number of parts.
    """

    schema: str
    view: str
    version: int
    position: Position
    fact_seq: int
    people_seq: int
    correcting: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Advance:
    """What one batch did: the builds as they are after it, and what was applied."""

    builds: Sequence[Build]
    entries: Sequence[LoggedVerdict]
    people_count: int


def read_build(row: asyncpg.Record) -> Build:
    return Build(
        schema=row["schema_name"],
        view=row["view"],
        version=row["version"],
        position=Position(row["log_id"], row["seq"], row["chain"]),
        fact_seq=row["fact_seq"],
        people_seq=row["people_seq"],
        correcting=None
        if row["correcting_part"] is None
        else (row["correcting_part"], row["correcting_parts"]),
    )
