"""Keeps the outbox tidy beside the worker: gives up what is late, forgets what is old, counts."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Final, NoReturn

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge

from services.mail.worker import MailTally
from shared.db.away import DATABASE_AWAY
from shared.db.bell import Bell
from shared.mail.looking import OutboxStanding, standing
from shared.mail.outbox import MAIL_CHANNEL
from shared.mail.taking import MailQueue

# Time between two looks; files of mails that were erased are gone sooner, since the bell rings.
TIDY_S: Final = 10.0

_log = structlog.get_logger(__name__)


class MailFigures:
    """What is measured of mail, by its kind and never by an address."""

    def __init__(self, registry: CollectorRegistry, *, is_sent: bool) -> None:
        self._is_sent = is_sent
        self._queued = Gauge("mahjic_mail_queued", "Mails that wait to be sent.", registry=registry)
        self._late_s = Gauge(
            "mahjic_mail_late_seconds",
            "How long the mail that should have been sent first is overdue; 0 if none is, or if "
            "the operator hands mail on.",
            registry=registry,
        )
        self._settled = Counter(
            "mahjic_mails",
            "Mails by kind and by what became of them: sent, refused, put_off (to be tried "
            "again), given_up.",
            ["kind", "outcome"],
            registry=registry,
        )
        self.tally = MailTally(
            sent=lambda kind: self._settled.labels(kind, "sent").inc(),
            refused=lambda kind: self._settled.labels(kind, "refused").inc(),
            put_off=lambda kind: self._settled.labels(kind, "put_off").inc(),
            given_up=lambda kind: self._settled.labels(kind, "given_up").inc(),
        )

    def show(self, stands: OutboxStanding, *, now: datetime) -> None:
        """Show how the outbox stands."""
        since = stands.oldest_due_at if self._is_sent else None
        self._queued.set(stands.queued)
        self._late_s.set(0 if since is None else max(0.0, (now - since).total_seconds()))


async def keep_outbox(
    queue: MailQueue,
    bell: Bell,
    figures: MailFigures,
    *,
    now: Callable[[], datetime],
    forget_files: Callable[[MailQueue], Awaitable[int]] | None,
) -> NoReturn:
    """Keep the outbox tidy forever."""
    while True:
        try:
            newest = await queue.newest()
            await tidy(queue, figures, now=now())
            if forget_files is not None and (count := await forget_files(queue)):
                _log.info("mail_files_deleted", files=count)
            await bell.wait_beyond(MAIL_CHANNEL, newest, TIDY_S)
        except DATABASE_AWAY as error:
            _log.warning("database_away", error=type(error).__name__)
            await asyncio.sleep(TIDY_S)


async def tidy(queue: MailQueue, figures: MailFigures, *, now: datetime) -> None:
    """Give up what is late, forget what is old, and show how the outbox stands."""
    for mail_id, kind in await queue.give_up_late(now=now):
        figures.tally.given_up(kind)
        _log.warning("mail_given_up", mail=mail_id, kind=kind)
    await queue.sweep(now=now)
    figures.show(await standing(queue.pool, now=now), now=now)
