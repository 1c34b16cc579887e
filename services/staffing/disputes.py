"""Keeps the promises of DisputesAtStaff."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from services.accounts.acts import note_act
from services.accounts.logging_in.logins import Login
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.ingest.people.disputes import (
    AnswerTold,
    Dispute,
    answer_dispute,
    list_disputes,
    read_dispute,
)
from services.site.staff.works import WaitingDispute

LISTED_MAX: Final = 100


@dataclass(frozen=True, slots=True)
class StaffDisputes:
    """What staff do about disputes."""

    accounts: Accounts
    tell: AnswerTold

    async def waiting(self) -> Sequence[WaitingDispute]:
        """Return what waits for staff."""
        now = self.accounts.chance.now()
        found = await self.accounts.settled(
            lambda c: list_disputes(
                c, source=None, state="with_staff", after=0, limit=LISTED_MAX, now=now
            )
        )
        return [_shown(each) for each in found]

    async def one(self, number: int) -> WaitingDispute:
        """Return one."""
        now = self.accounts.chance.now()
        return _shown(await self.accounts.settled(lambda c: read_dispute(c, number, now=now)))

    async def answer(self, login: Login, number: int, text: str) -> None:
        """Answer a player; the act is kept in the same transaction."""
        now = self.accounts.chance.now()

        async def answer(connection: Connection) -> None:
            told = await answer_dispute(connection, number, text, by=None, now=now, tell=self.tell)
            about = [f"dispute_{number}", told.player_id, told.session_id]
            await note_act(
                connection, at=now, staff_id=login.account_id, act="answer_dispute", about=about
            )

        await self.accounts.settled(answer)


def _shown(told: Dispute) -> WaitingDispute:
    return WaitingDispute(
        number=told.number,
        player_id=told.player_id,
        session_id=told.session_id,
        source=told.source,
        day=told.session_date,
        said=told.said,
        said_on=told.said_at.date(),
        is_with_staff=told.state == "with_staff",
        answer=told.answer,
        resolved_by=told.resolved_by,
    )
