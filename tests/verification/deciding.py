"""Verifies players as staff do, for tests of everything else."""

import asyncpg

from services.accounts.room import Accounts, Chance
from services.ingest.people.room import PeopleOfAccounts
from services.ingest.record.ids_and_times import IdsAndTimes
from services.ingest.record.waterline import Waterline
from services.verification.deciding import decide
from services.verification.room import StripeAccount, VerificationRoom
from shared.mail.outbox import MailOutbox

SITE = "https://mahjic.example.org"


def room_on(
    pool: asyncpg.Pool,
    waterline: Waterline,
    ids_and_times: IdsAndTimes,
    stripe_account: StripeAccount | None = None,
) -> VerificationRoom:
    """Return a room whose clock is that of the facts."""
    accounts = Accounts(
        pool,
        MailOutbox(None, ids_and_times.now),
        lambda: SITE,
        PeopleOfAccounts(waterline, ids_and_times, ()),
        chance=Chance(now=ids_and_times.now),
    )
    return VerificationRoom(accounts, waterline, ids_and_times, stripe_account)


async def set_verification(
    pool: asyncpg.Pool,
    waterline: Waterline,
    player_id: str,
    ids_and_times: IdsAndTimes,
    *,
    is_verified: bool,
) -> None:
    """Make a player Verified, or keep one from it."""
    room = room_on(pool, waterline, ids_and_times)
    await decide(room, player_id, "grant" if is_verified else "block", None)
