"""Keeps how many mails may be asked for: to one address, and from one network.

Both are counted in the transaction that queues the mail, under the locks of their rows, so two
requests at once never take the same place.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from shared.errors import MahjicError

Connection = asyncpg.Connection | PoolConnectionProxy


@dataclass(frozen=True, slots=True)
class MailLimit:
    """At most so many mails within a time."""

    mails: int
    within: timedelta


TO_ADDRESS: Final = (
    MailLimit(3, timedelta(minutes=15)),
    MailLimit(10, timedelta(days=1)),
)
FROM_NETWORK: Final = (MailLimit(20, timedelta(hours=1)),)
KEPT: Final = timedelta(days=1)

# In one order, so that two that want the same rows wait for each other and not both for both.
TAKE: Final = """
INSERT INTO mahjic.mails_asked_for AS kept (key_hash, last_at)
SELECT asked.key_hash, $2 FROM unnest($1::bytea[]) AS asked (key_hash) ORDER BY asked.key_hash
ON CONFLICT (key_hash) DO UPDATE SET last_at = kept.last_at
RETURNING key_hash, asked_at
"""
NOTE: Final = """
UPDATE mahjic.mails_asked_for SET asked_at = $2, last_at = $3 WHERE key_hash = $1
"""


class TooManyMails(MahjicError):
    """Too many mails were asked for, to this address or from this network."""

    code = "too_many_mails"
    title = "Too many mails were asked for"
    status = 429

    def __init__(self, wait: timedelta, *, is_network: bool) -> None:
        minutes = max(1, -(-int(wait.total_seconds()) // 60))
        whose = "from your network" if is_network else "to this address"
        super().__init__(
            f"Too many mails were asked for {whose} lately. Look through the mail that you have, "
            f"also among spam, or try again in {_told(minutes)}.",
            headers={"Retry-After": str(minutes * 60)},
        )


def free_at(
    asked_at: Sequence[datetime], limits: Sequence[MailLimit], now: datetime
) -> datetime | None:
    """Return when the next mail may be asked for, None if that is now. The newest comes last."""
    waits = []
    for limit in limits:
        counted = [each for each in asked_at if each > now - limit.within]
        if len(counted) >= limit.mails:
            waits.append(counted[-limit.mails] + limit.within)
    return max(waits, default=None)


@dataclass(frozen=True, slots=True)
class FullCount:
    """What had its share of mails, and how long until the next."""

    key: bytes
    wait: timedelta


async def count_mail(
    connection: Connection, limits: Mapping[bytes, Sequence[MailLimit]], now: datetime
) -> FullCount | None:
    """Count a mail by keys that each have limits, in the open transaction.

    Returns the first key that had its share, and then nothing is counted.
    """
    rows = await connection.fetch(TAKE, sorted(limits), now)
    asked = {row["key_hash"]: row["asked_at"] for row in rows}
    for key, of_key in limits.items():
        again = free_at(asked[key], of_key, now)
        if again is not None:
            return FullCount(key, again - now)
    for key, times in asked.items():
        kept = [each for each in times if each > now - KEPT]
        await connection.execute(NOTE, key, [*kept, now], now)
    return None


async def take_mail(
    connection: Connection, *, address_key: bytes, network_key: bytes, now: datetime
) -> None:
    """Count a mail that is asked for, in the open transaction. Raises TooManyMails."""
    limits = {network_key: FROM_NETWORK, address_key: TO_ADDRESS}
    full = await count_mail(connection, limits, now)
    if full is not None:
        raise TooManyMails(full.wait, is_network=full.key == network_key)


def _told(minutes: int) -> str:
    if minutes == 1:
        return "a minute"
    return f"{minutes} minutes" if minutes < 120 else f"{-(-minutes // 60)} hours"
