"""Keeps the promise of PartsAtStaff: how far every part is, as monitoring is told it."""

import asyncio
from dataclasses import dataclass
from typing import Final

from services.accounts.room import Accounts
from services.ingest.people.disputes import count_with_staff
from services.logs import ServiceLogs
from services.projections.building.keeping import look_at_kept
from services.projections.sessions.told import LastAnswered
from services.projections.views import all_views
from services.site.staff.works import PartPlace, PartsStanding
from services.staffing.keeping_acts import unless_away
from shared.db.locks import RELAY_LOCK, is_held
from shared.log.port import Log, LogAway
from shared.mail.looking import standing

# Kafka may be away, and whoever looks at this page wants to know that.
LOOK_S_MAX: Final = 2.0


@dataclass(frozen=True, slots=True)
class StaffParts:
    """Looks at the logs, the views and the outbox."""

    accounts: Accounts
    logs: ServiceLogs
    last_answered: LastAnswered

    async def standing(self) -> PartsStanding:
        """Return how far each part is."""
        end = (await unless_away(self.logs.recorded.tail())).seq
        rated = await self.last_answered()
        parts = [PartPlace("rater", rated, _behind(end, rated))]
        if self.logs.kafka is not None:
            copied = await _end_of(self.logs.facts)
            is_relaying = await unless_away(is_held(self.accounts.pool, RELAY_LOCK))
            parts.append(PartPlace("relay", copied, _behind(end, copied), is_relaying))
        kept = await unless_away(look_at_kept(self.accounts.pool, all_views()))
        parts += [
            PartPlace(each.view, each.fact_seq, _behind(end, each.fact_seq), each.is_kept)
            for each in kept
        ]
        now = self.accounts.chance.now()
        return PartsStanding(
            end_seq=end,
            parts=parts,
            mails=await self.accounts.settled(lambda c: standing(c, now=now)),
            disputes=await self.accounts.settled(lambda c: count_with_staff(c, now=now)),
            looked_at=now,
        )


async def _end_of(log: Log) -> int | None:
    try:
        async with asyncio.timeout(LOOK_S_MAX):
            return (await log.tail()).seq
    except (LogAway, TimeoutError):
        return None


def _behind(end: int, seq: int | None) -> int | None:
    # What was read a moment later may be further along.
    return None if seq is None else max(0, end - seq)
