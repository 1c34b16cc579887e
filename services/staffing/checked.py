"""Decides on a change only if the record stands as it was shown, and keeps the act with it."""

from collections.abc import Awaitable, Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import TypeVar

from services.accounts.acts import note_act
from services.accounts.logging_in.logins import Login
from services.accounts.room import Accounts
from services.ingest.changes.answering import ChangePorts
from services.ingest.changes.shown_first.since import moved_since
from services.ingest.record.deciding import Change, Decider
from services.ingest.record.known.refusals import ForeignRefusals
from services.ingest.record.waterline import Writing
from services.site.staff.changes import RecordMoved
from shared.access.acts import StaffActKind
from shared.events.facts import FactEvent
from shared.log.postgres import Connection

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ActOfStaff:
    """What somebody of the staff does, and about whom, by ids."""

    login: Login
    act: StaffActKind
    about: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AsShown:
    """A change as it was shown: what it would do as of a fact, to these players."""

    as_of: int
    change: FactEvent
    concerned: AbstractSet[str] = frozenset()


def ports_for(
    ports: ChangePorts, accounts: Accounts, done: ActOfStaff, shown: AsShown
) -> ChangePorts:
    """Return the ports of a change that checks and keeps first, in the same transaction.

    It raises RecordMoved then, and nothing is changed.
    """

    async def check(connection: Connection, writing: Writing) -> None:
        if await moved_since(connection, writing, shown.as_of, shown.change, shown.concerned):
            raise RecordMoved
        await note_act(
            connection,
            at=accounts.chance.now(),
            staff_id=done.login.account_id,
            act=done.act,
            about=done.about,
        )

    return replace(ports, recorder=_CheckedRecorder(ports.recorder, check))


@dataclass(frozen=True, slots=True)
class _CheckedRecorder:
    """A recorder whose every decision is checked first."""

    recorder: Decider
    check: Callable[[Connection, Writing], Awaitable[None]]

    @property
    def refusals(self) -> ForeignRefusals:
        return self.recorder.refusals

    async def decide(self, change: Change[T]) -> T:
        async def checked(connection: Connection, writing: Writing) -> T:
            await self.check(connection, writing)
            return await change(connection, writing)

        return await self.recorder.decide(checked)
