"""Runs everything of verification that a process does in the background."""

import asyncio
from typing import NoReturn

import structlog
from prometheus_client import CollectorRegistry

from services.verification.figures import VerificationFigures, tell_figures
from services.verification.room import VerificationRoom
from services.verification.work.clock import run_clock
from services.verification.work.worker import VerificationWorker
from shared.db.bell import Bell

_log = structlog.get_logger(__name__)


async def run_verification(
    room: VerificationRoom, bell: Bell, registry: CollectorRegistry
) -> NoReturn:
    """See to payments, identity checks and time, forever.

    Without an account at Stripe there is only time: what staff decided, and who is whom.
    """
    figures = VerificationFigures.on(registry)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(run_clock(room))
        tasks.create_task(tell_figures(room, figures))
        if room.stripe_account is None:
            _log.info("verification_not_open", detail="There is no MAHJIC_STRIPE_KEY.")
        else:
            tasks.create_task(VerificationWorker(room, bell, figures.tally).run())
    raise AssertionError("A part never ends by itself.")
