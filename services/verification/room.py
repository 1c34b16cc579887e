"""What everything about Verified players is done with."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias, TypeVar

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from services.accounts.room import Accounts
from services.ingest.record.ids_and_times import IdsAndTimes
from services.ingest.record.waterline import Waterline
from services.verification.documents import DocumentHashes
from services.verification.stripe.port import Stripe
from shared.errors import MahjicError

Connection: TypeAlias = asyncpg.Connection | PoolConnectionProxy
Database: TypeAlias = asyncpg.Pool | Connection
Done = TypeVar("Done")


class VerificationNotOpen(MahjicError):
    """This installation has no account at Stripe."""

    code = "verification_not_open"
    title = "Verification is not open here"
    status = 503

    def __init__(self) -> None:
        super().__init__(
            "Nobody can become Verified here by paying yet, as this service has no account at "
            "Stripe. Everything else works as always."
        )


@dataclass(frozen=True, slots=True)
class StripeAccount:
    """What an installation that takes payments has: Stripe, its secrets, and a key for hashes."""

    stripe: Stripe
    webhook_secrets: tuple[str, ...] = field(repr=False)
    hashes: DocumentHashes = field(repr=False)


@dataclass(frozen=True, slots=True)
class VerificationRoom:
    """What the functions of this room are handed first. Without a `stripe_account` nobody pays."""

    accounts: Accounts
    waterline: Waterline
    ids_and_times: IdsAndTimes
    stripe_account: StripeAccount | None = None

    @property
    def pool(self) -> asyncpg.Pool:
        """The database."""
        return self.accounts.pool

    def now(self) -> datetime:
        """Return the time."""
        return self.accounts.chance.now()

    @property
    def opened(self) -> StripeAccount:
        """The account at Stripe. Raises VerificationNotOpen."""
        if self.stripe_account is None:
            raise VerificationNotOpen
        return self.stripe_account

    async def settled(self, work: Callable[[Connection], Awaitable[Done]]) -> Done:
        """Return what some work in one transaction gives, once that is committed.

        Raises ServiceUnavailable, and what the work raises; then nothing of it was done.
        """
        return await self.accounts.settled(work)
