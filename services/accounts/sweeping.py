"""Takes away what has ended by itself: proofs, challenges, logins, invitations, counts of mails."""

import asyncio
from typing import Final, NoReturn

import structlog

from services.accounts.desk_acts import sweep_desk_acts
from services.accounts.logging_in.limits import KEPT
from services.accounts.logging_in.logins import UNUSED_MAX
from services.accounts.logging_in.proofs import GOOD_FOR
from services.accounts.members.inviting import GOOD_FOR as INVITATION_GOOD_FOR
from services.accounts.members.ownerless import tell_of_ownerless
from services.accounts.own.ceremonies import GOOD_FOR as CHALLENGE_GOOD_FOR
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from shared.db.erasing import note_erased
from shared.errors import ServiceUnavailable

# What has ended is refused at once; only its row may stay for a while.
SWEPT_EVERY_S: Final = 300.0

SWEEP_PROOFS: Final = """
WITH swept AS (DELETE FROM mahjic.address_proofs WHERE asked_at <= $1 RETURNING 1)
SELECT count(*) FROM swept
"""
SWEEP_CHALLENGES: Final = "DELETE FROM mahjic.passkey_challenges WHERE asked_at <= $1"
SWEEP_LOGINS: Final = "DELETE FROM mahjic.logins WHERE kind = $1 AND used_at <= $2"
SWEEP_INVITATIONS: Final = """
WITH swept AS (DELETE FROM mahjic.member_invitations WHERE invited_at <= $1 RETURNING 1)
SELECT count(*) FROM swept
"""
SWEEP_COUNTS: Final = "DELETE FROM mahjic.mails_asked_for WHERE last_at <= $1"

_log = structlog.get_logger(__name__)


async def sweep_accounts(accounts: Accounts) -> None:
    """Take away what has ended by now. Raises ServiceUnavailable."""
    now = accounts.chance.now()

    async def sweep(connection: Connection) -> None:
        if await connection.fetchval(SWEEP_PROOFS, now - GOOD_FOR):
            await note_erased(connection, "address_proofs")
        if await connection.fetchval(SWEEP_INVITATIONS, now - INVITATION_GOOD_FOR):
            await note_erased(connection, "member_invitations")
        await sweep_desk_acts(connection, now)
        await connection.execute(SWEEP_CHALLENGES, now - CHALLENGE_GOOD_FOR)
        await connection.execute(SWEEP_COUNTS, now - KEPT)
        for kind, unused_max in UNUSED_MAX.items():
            await connection.execute(SWEEP_LOGINS, kind, now - unused_max)

    await accounts.settled(sweep)
    await tell_of_ownerless(accounts)


async def sweep_accounts_forever(accounts: Accounts) -> NoReturn:
    """Sweep now and at regular intervals, also after the database was away."""
    while True:
        try:
            await sweep_accounts(accounts)
        except ServiceUnavailable:
            _log.warning("accounts_not_swept")
        await asyncio.sleep(SWEPT_EVERY_S)
