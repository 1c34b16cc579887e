"""Sees to events, requests and looks, any number of workers at a time.

Whatever goes wrong with one has that one wait; while Stripe gives no answer at all, the worker
waits with it, and everything is caught up afterward.
"""

import asyncio
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, NoReturn

import structlog

from services.verification.room import VerificationRoom
from services.verification.stripe.inbox import (
    STRIPE_CHANNEL,
    StripeEvent,
    event_done,
    newest_event,
    put_off_event,
    take_event,
)
from services.verification.stripe.port import StripeAway, StripeNotYet, StripeRefused
from services.verification.work.attending import (
    BeingSeenToError,
    attend,
    fulfill,
)
from services.verification.work.finding import find_enrollment_of
from services.verification.work.queue import (
    TakenLook,
    note_away,
    note_back,
    put_off_look,
    put_off_request,
    take_look,
    take_request,
)
from shared.db.away import DATABASE_AWAY
from shared.db.bell import Bell
from shared.db.retrying import before_retry
from shared.log.port import HistorySplit

# Enrollments that one process sees to at once; with a few, a slow answer does not hold up others.
CARRIERS: Final = 3
# The longest time between two looks for work. No bell rings for what people press.
LOOK_S: Final = 2.0
RETRY_S: Final = 0.5
# Another worker is at it.
IN_A_MOMENT: Final = timedelta(seconds=1)
FIRST_WAIT: Final = timedelta(seconds=10)
LONGEST_WAIT: Final = timedelta(minutes=10)
# Somebody has to change a key, a setting, or the program first.
REFUSED_WAIT: Final = timedelta(minutes=30)
FAILED_WAIT: Final = timedelta(minutes=30)

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class WorkTally:
    """Whom to tell what became of events, that Stripe refused something, or that we failed."""

    event: Callable[[str], None]
    refused: Callable[[], None]
    failed: Callable[[], None]


def tell_failure(error: Exception, **what: object) -> None:
    """Log that we failed, and where; nothing of what the error says."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    sqlstate = getattr(error, "sqlstate", None)
    where = f"{place.name} in {Path(place.filename).name}, line {place.lineno}"
    _log.error(
        "verification_failed", error=type(error).__name__, where=where, sqlstate=sqlstate, **what
    )


def wait_after(tries: int) -> timedelta:
    """Return how long something waits that was tried so often while Stripe was away."""
    doublings: int = 2 ** min(tries - 1, 10)
    return min(FIRST_WAIT * doublings, LONGEST_WAIT)


@dataclass(frozen=True, slots=True)
class VerificationWorker:
    """Everything that one process does about what Stripe says."""

    room: VerificationRoom
    bell: Bell
    tally: WorkTally

    async def run(self) -> NoReturn:
        """See to everything that is due, forever."""
        async with asyncio.TaskGroup() as tasks:
            for _ in range(CARRIERS):
                tasks.create_task(self._carry())
        raise AssertionError("Carriers never end by themselves.")

    async def _carry(self) -> None:
        while True:
            try:
                newest = await newest_event(self.room.pool)
                if not await self.step():
                    await self.bell.wait_beyond(STRIPE_CHANNEL, newest, LOOK_S)
            except DATABASE_AWAY as error:
                _log.warning("database_away", error=type(error).__name__)
                await before_retry(RETRY_S)

    async def step(self) -> bool:
        """See to one of each kind that is due; return whether there was any."""
        found = [await self._event(), await self._request(), await self._look()]
        return any(found)

    async def _event(self) -> bool:
        event = await take_event(self.room.pool, self.room.now())
        if event is None:
            return False
        put_off = _later(put_off_event, self.room, event)
        await self._see_to(self._one_event(event), put_off, event.tries, event_number=event.number)
        return True

    async def _one_event(self, event: StripeEvent) -> bool:
        room = self.room
        found = await find_enrollment_of(room, event)
        if found is None:
            if await event_done(room.pool, event, "not_ours", room.now()):
                self.tally.event("not_ours")
            return False  # Of many kinds that is known without asking.
        asked = await attend(room, found, lambda c: event_done(c, event, "seen_to", room.now()))
        self.tally.event("seen_to")
        return asked

    async def _request(self) -> bool:
        request = await take_request(self.room.pool, self.room.now())
        if request is None:
            return False
        put_off = _later(put_off_request, self.room, request)
        await self._see_to(fulfill(self.room, request), put_off, request.tries, kind=request.kind)
        return True

    async def _look(self) -> bool:
        look = await take_look(self.room.pool, self.room.now())
        if look is None:
            return False
        put_off = _later(put_off_look, self.room, look)
        await self._see_to(self._one_look(look), put_off, look.tries)
        return True

    async def _one_look(self, look: TakenLook) -> bool:
        async def nothing(_: object) -> None: ...

        return await attend(self.room, look.enrollment_id, nothing)

    async def _see_to(
        self,
        work: Awaitable[bool],
        put_off: Callable[[timedelta], Awaitable[None]],
        tries: int,
        **what: object,
    ) -> None:
        """Do some work, or have it wait for as long as its trouble lasts.

        The work says whether Stripe had to answer for it.
        """
        try:
            has_answered = await work
        except BeingSeenToError:
            await put_off(IN_A_MOMENT)
        except StripeNotYet:
            await put_off(wait_after(tries))
        except StripeAway:
            await put_off(wait_after(tries))
            if await note_away(self.room.pool, self.room.now()):
                _log.warning("stripe_away", detail="Everything that waits for it is tried again.")
        except StripeRefused as refused:
            await put_off(REFUSED_WAIT)
            self.tally.refused()
            _log.error("stripe_refused", detail=str(refused), **what)
        except (HistorySplit, *DATABASE_AWAY):
            raise
        except Exception as error:  # noqa: BLE001
            # A mistake of ours about one enrollment must not keep the service from all others
            # (decision 0041). What it says may hold what Stripe said, so only its kind is told.
            await put_off(FAILED_WAIT)
            self.tally.failed()
            tell_failure(error, **what)
        else:
            if has_answered and await note_back(self.room.pool):
                _log.info("stripe_back")


def _later(
    put_off: Callable[..., Awaitable[None]], room: VerificationRoom, what: object
) -> Callable[[timedelta], Awaitable[None]]:
    return lambda wait: put_off(room.pool, what, _after(room.now(), wait))


def _after(now: datetime, wait: timedelta) -> datetime:
    return now + wait
