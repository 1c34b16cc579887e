"""The part of a process that sends events to the addresses of sources.

Slow addresses have places of their own, so they hold up no others. Whoever is killed in the middle
leaves a lease, after which the event is sent again under the same id.
"""

import asyncio
from collections.abc import Sequence
from typing import Final, NoReturn

import asyncpg
import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge

from services.notices.webhooks.looking import oldest_due
from services.notices.webhooks.sending import WebhookRoom, send_event
from services.notices.webhooks.taking import TakenEvent, spread_events, take_events
from shared.db.away import DATABASE_AWAY
from shared.db.bell import Bell
from shared.db.retrying import before_retry
from shared.json_text import INTEGER_MAX
from shared.notices.writing import NOTICES_CHANNEL

# Tries at once, to addresses that answer soon and to the others.
PLACES: Final = 100
# The longest time between two looks: a pause of 5 s is over then.
LOOK_S: Final = 2.0
# What ends together is one look.
GATHER_S: Final = 0.02
RETRY_S: Final = 0.5
FIGURES_S: Final = 10.0

_log = structlog.get_logger(__name__)


class WebhookFigures:
    """What is measured of what is sent, never by an address."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._tries = Counter(
            "mahjic_webhook_tries",
            "Events that were sent to addresses of sources, by what came of it: delivered, failed, "
            "left_out.",
            ["outcome"],
            registry=registry,
        )
        self._late_s = Gauge(
            "mahjic_webhooks_late_seconds",
            "How long the event that should have been sent first is overdue, at addresses that do "
            "not pause; 0 if none is.",
            registry=registry,
        )

    def count(self, outcome: str) -> None:
        """Count a try."""
        self._tries.labels(outcome).inc()

    def show_late(self, seconds: float) -> None:
        """Show how long the first one is overdue."""
        self._late_s.set(seconds)


async def run_webhooks(
    room: WebhookRoom | None, bell: Bell, registry: CollectorRegistry
) -> NoReturn:
    """Send events until canceled; none without a room."""
    if room is None:
        _log.warning("no_events_are_sent", detail="MAHJIC_WEBHOOKS_SENT says so.")
        await asyncio.Event().wait()
        raise AssertionError("A part never ends by itself.")
    figures = WebhookFigures(registry)
    lanes = [_Lane(room, figures, is_slow=False), _Lane(room, figures, is_slow=True)]
    try:
        async with asyncio.TaskGroup() as tasks:
            for lane in lanes:
                tasks.create_task(lane.run())
            tasks.create_task(_spread(room, lanes, bell))
            tasks.create_task(_measure(room, figures))
    finally:
        await room.post.close()
    raise AssertionError("A part never ends by itself.")


class _Lane:
    """Places for tries at once, to addresses that are slow or to those that are not."""

    def __init__(self, room: WebhookRoom, figures: WebhookFigures, *, is_slow: bool) -> None:
        self._room = room
        self._figures = figures
        self._is_slow = is_slow
        self._under_way = 0
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """Look now."""
        self._woken.set()

    async def run(self) -> NoReturn:
        """Take what is due, and have it sent, forever."""
        async with asyncio.TaskGroup() as tasks:
            while True:
                self._woken.clear()
                if not await self._take(tasks):
                    await self._wait()

    async def _take(self, tasks: asyncio.TaskGroup) -> bool:
        """Return whether there may be more."""
        places = PLACES - self._under_way
        if not places:
            return False
        room = self._room
        try:
            taken = await take_events(room.pool, slow=self._is_slow, places=places, now=room.now())
        except DATABASE_AWAY as error:
            _log.warning("webhooks_wait", error=type(error).__name__)
            await before_retry(RETRY_S)
            return True
        for event in taken:
            self._under_way += 1
            tasks.create_task(self._send(event))
        return bool(taken)

    async def _wait(self) -> None:
        try:
            async with asyncio.timeout(LOOK_S):
                await self._woken.wait()
        except TimeoutError:
            return
        await asyncio.sleep(GATHER_S)

    async def _send(self, event: TakenEvent) -> None:
        try:
            outcome = await send_event(self._room, event)
        except (*DATABASE_AWAY, asyncpg.PostgresError) as error:
            # What came of it is not kept, so it is sent again once the lease is over.
            _log.warning("webhook_not_settled", error=type(error).__name__)
        else:
            self._figures.count(outcome)
        finally:
            self._under_way -= 1
            self._woken.set()


async def _spread(room: WebhookRoom, lanes: Sequence[_Lane], bell: Bell) -> NoReturn:
    """Give new events to the addresses they are for, and wake those who send them."""
    while True:
        try:
            while await spread_events(room.pool, now=room.now()):
                _wake(lanes)
        except DATABASE_AWAY as error:
            _log.warning("webhooks_wait", error=type(error).__name__)
            await before_retry(RETRY_S)
            continue
        await bell.wait_beyond(NOTICES_CHANNEL, INTEGER_MAX, LOOK_S)
        _wake(lanes)


def _wake(lanes: Sequence[_Lane]) -> None:
    for lane in lanes:
        lane.wake()


async def _measure(room: WebhookRoom, figures: WebhookFigures) -> NoReturn:
    while True:
        try:
            now = room.now()
            since = await oldest_due(room.pool, now=now)
            figures.show_late(0 if since is None else (now - since).total_seconds())
        except DATABASE_AWAY as error:
            _log.warning("webhooks_not_measured", error=type(error).__name__)
        await before_retry(FIGURES_S)
