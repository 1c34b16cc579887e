"""The part of a process that follows the verdicts, and writes what is due.

What is wrong with a log or the database never stops the process that it runs in: sessions are taken
in whatever becomes of mail.
"""

import asyncio
from functools import partial
from typing import Final, NoReturn

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge

from services.invitations.following import RECORDS_MAX, follow_on
from services.invitations.inviting import drop_old, invite_next
from services.invitations.place import begin_again, read_followed
from services.invitations.room import InvitationRoom
from services.invitations.summing_up import RatedNights, drop_old_summaries, sum_up_next
from shared.feed.followers import follow_forever
from shared.log.port import Log

# Between two looks while verdicts come: many of them are one transaction.
GATHER_S: Final = 1.0
# Between two looks at what is due while no verdict comes.
LOOK_S: Final = 5.0

_log = structlog.get_logger(__name__)


class InvitationFigures:
    """What is measured: how far the verdicts are followed, and how many letters were written."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._place = Gauge(
            "mahjic_invitations_fact_seq",
            "The last fact whose verdict was looked at for invitations and summaries.",
            registry=registry,
        )
        self._written = Counter(
            "mahjic_letters",
            "Letters written since the start: rated (invitations), summary.",
            ["kind"],
            registry=registry,
        )

    def show_place(self, fact_seq: int) -> None:
        """Show how far the verdicts are followed."""
        self._place.set(fact_seq)

    def count(self, kind: str, letters: int = 1) -> None:
        """Count letters that were written."""
        self._written.labels(kind).inc(letters)


async def run_invitations(
    room: InvitationRoom, log: Log, nights: RatedNights, registry: CollectorRegistry
) -> NoReturn:
    """Follow the verdicts and write letters until canceled."""
    if room.outbox.hashes is None:
        _log.warning(
            "nobody_is_invited",
            detail="Without MAHJIC_ADDRESS_HASH_KEY nobody gets mail that they did not ask for.",
        )
        await asyncio.Event().wait()  # A part never ends by itself.
    figures = InvitationFigures(registry)
    await follow_forever(
        "invitations",
        partial(_look_once, room, log, nights, figures),
        partial(begin_again, room.pool),
    )


async def _look_once(
    room: InvitationRoom, log: Log, nights: RatedNights, figures: InvitationFigures
) -> None:
    """Take in verdicts, write what is due, and wait until there may be more."""
    count = await follow_on(room, log)
    place = await read_followed(room.pool)
    figures.show_place(place.fact_seq)
    await write_due(room, nights, figures)
    if count == RECORDS_MAX:
        return
    if count:
        await asyncio.sleep(GATHER_S)
    else:
        await log.wait_beyond(0 if place.position is None else place.position.seq, LOOK_S)


async def write_due(room: InvitationRoom, nights: RatedNights, figures: InvitationFigures) -> None:
    """Write all letters whose time has come."""
    while (is_written := await invite_next(room)) is not None:
        if is_written:
            figures.count("rated")
    while (written := await sum_up_next(room, nights)) is not None:
        figures.count("summary", written)
    await drop_old(room)
    await drop_old_summaries(room)
