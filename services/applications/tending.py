"""Tends applications in the background: has an agent asked, and takes away what was never sent."""

import asyncio
from typing import Final, NoReturn

import structlog

from services.accounts.room import Accounts
from services.applications.reviewing.case import case_of
from services.applications.reviewing.port import Reviewer
from services.applications.reviewing.wanted import settle_case, take_case
from services.applications.rows import UnknownApplication, read_application_row
from services.applications.sending import sweep_begun
from shared.errors import ServiceUnavailable

# A person reads it hours later.
ASKED_EVERY_S: Final = 15.0

_log = structlog.get_logger(__name__)


async def ask_for_advice(accounts: Accounts, reviewer: Reviewer) -> bool:
    """Ask about one application that wants advice; return whether there was one.

    Nothing is held in the database while the agent thinks. Raises ServiceUnavailable.
    """
    now = accounts.chance.now
    case = await accounts.settled(lambda c: take_case(c, now()))
    if case is None:
        return False
    try:
        application = await accounts.settled(lambda c: read_application_row(c, case.application_id))
    except UnknownApplication:
        return True  # It was erased meanwhile.
    found = await reviewer.review(case_of(application))
    await accounts.settled(lambda c: settle_case(c, case, found, now()))
    return True


async def tend_applications(accounts: Accounts, reviewer: Reviewer | None) -> NoReturn:
    """Do what there is to do, now and at regular intervals, also after the database was away."""
    while True:
        try:
            await sweep_begun(accounts)
            while reviewer is not None and await ask_for_advice(accounts, reviewer):
                continue
        except ServiceUnavailable:
            _log.warning("applications_wait_for_database")
        await asyncio.sleep(ASKED_EVERY_S)
