"""Takes mails out of the outbox one by one, so that no two workers ever have the same one.

A mail that was taken is leased: the lease is renewed while its worker is at it, and ends soon after
a worker that was killed. Only then does another take it, under the same Message-ID.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

import asyncpg

from shared.mail.address_hash import AddressHashes
from shared.mail.no_more import wants_no_more

# How long the mails of a worker that was killed wait for another.
LEASED_FOR: Final = timedelta(seconds=60)
# How long the operator can see what became of a mail.
KEPT_FOR: Final = timedelta(days=30)
SWEPT_MAX: Final = 1_000

# The place of the newest mail is read before what is due: one that comes in between rings the bell.
NEWEST: Final = "SELECT coalesce(max(number), 0) FROM mahjic.mails"
TAKE: Final = """
UPDATE mahjic.mails
SET lease = $2, leased_until = $3, tries = tries + 1,
    message_id = coalesce(message_id, mail_id || $4)
WHERE mail_id = (
    SELECT mail_id FROM mahjic.mails
    WHERE state = 'queued' AND due_at <= $1 AND good_until > $1
        AND (leased_until IS NULL OR leased_until <= $1)
    ORDER BY NOT is_asked_for, due_at, number LIMIT 1
    FOR UPDATE SKIP LOCKED
)
RETURNING mail_id, kind, address, is_asked_for, subject, plain, html, no_more_url, queued_at,
    good_until, message_id, tries
"""
RENEW: Final = """
UPDATE mahjic.mails SET leased_until = $2 WHERE state = 'queued' AND lease = ANY($1)
RETURNING lease
"""
# Also when the lease is over: that it was sent is true whoever has it now.
SETTLE: Final = """
UPDATE mahjic.mails
SET state = $2, settled_at = $3, smtp_code = $4, lease = NULL, leased_until = NULL,
    subject = NULL, plain = NULL, html = NULL, no_more_url = NULL
WHERE mail_id = $1 AND state = 'queued'
"""
PUT_OFF: Final = """
UPDATE mahjic.mails SET due_at = $3, smtp_code = $4, lease = NULL, leased_until = NULL
WHERE mail_id = $1 AND lease = $2 AND state = 'queued'
"""
PUT_BACK: Final = """
UPDATE mahjic.mails SET tries = tries - 1, lease = NULL, leased_until = NULL
WHERE mail_id = $1 AND lease = $2 AND state = 'queued'
"""
MARK: Final = """
INSERT INTO mahjic.unreachable_addresses AS earlier (address, since, smtp_code)
VALUES ($1, $2, $3)
ON CONFLICT (address) DO UPDATE SET smtp_code = excluded.smtp_code
"""
UNMARK: Final = "DELETE FROM mahjic.unreachable_addresses WHERE address = $1"
GIVE_UP: Final = """
UPDATE mahjic.mails
SET state = 'given_up', settled_at = $1, lease = NULL, leased_until = NULL,
    subject = NULL, plain = NULL, html = NULL, no_more_url = NULL
WHERE state = 'queued' AND good_until <= $1 AND (leased_until IS NULL OR leased_until <= $1)
RETURNING mail_id, kind
"""
SWEEP: Final = """
DELETE FROM mahjic.mails WHERE mail_id IN (
    SELECT mail_id FROM mahjic.mails WHERE state <> 'queued' AND settled_at <= $1 LIMIT $2
)
"""
WHICH_ARE_KEPT: Final = "SELECT mail_id FROM mahjic.mails WHERE mail_id = ANY($1)"


@dataclass(frozen=True, slots=True)
class TakenMail:
    """A mail that one worker has, to be sent now. Nothing of it shows where it is printed."""

    mail_id: str
    kind: str
    message_id: str
    lease: str
    tries: int
    queued_at: datetime
    good_until: datetime
    is_asked_for: bool
    address: str = field(repr=False)
    subject: str = field(repr=False)
    text: str = field(repr=False)
    html: str = field(repr=False)
    no_more_url: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class MailQueue:
    """The outbox as workers see it; `domain` ends the Message-ID of a mail when it is first taken.

    Every time is handed in. `is_untrue` says, for mails of some kinds, whether what they tell is no
    longer so: it is asked right before one is sent.
    """

    pool: asyncpg.Pool
    hashes: AddressHashes | None = field(repr=False)
    domain: str
    leased_for: timedelta = LEASED_FOR
    is_untrue: Mapping[str, Callable[[TakenMail], Awaitable[bool]]] = field(default_factory=dict)

    async def newest(self) -> int:
        """Return the number of the newest mail, as the bell rings it."""
        return int(await self.pool.fetchval(NEWEST))

    async def take(self, lease: str, *, now: datetime) -> TakenMail | None:
        """Take a mail that is due, None if none is: one that was asked for before all others.

        Among these, the one that has been due the longest.
        """
        row = await self.pool.fetchrow(TAKE, now, lease, now + self.leased_for, f"@{self.domain}")
        if row is None:
            return None
        return TakenMail(lease=lease, text=row["plain"], **_without_plain(row))

    async def renew(self, leases: Sequence[str], *, now: datetime) -> set[str]:
        """Hold the mails of these leases for longer; return those that still were ours."""
        rows = await self.pool.fetch(RENEW, leases, now + self.leased_for)
        return {row["lease"] for row in rows}

    async def is_unwanted(self, mail: TakenMail) -> bool:
        """Return whether a mail's reader has ended such mail since, or it is no longer true."""
        if mail.is_asked_for:
            return False
        if self.hashes is None or await wants_no_more(self.pool, self.hashes.of(mail.address)):
            return True
        is_untrue = self.is_untrue.get(mail.kind)
        return is_untrue is not None and await is_untrue(mail)

    async def sent(self, mail: TakenMail, *, now: datetime) -> None:
        """Note that a mail was sent, and forget what it said; its address can be reached."""
        async with self.pool.acquire() as connection, connection.transaction():
            await connection.execute(SETTLE, mail.mail_id, "sent", now, None)
            await connection.execute(UNMARK, mail.address)

    async def refused(self, mail: TakenMail, code: int, *, now: datetime) -> None:
        """Note that a mail was refused for good, and that its address cannot be reached."""
        async with self.pool.acquire() as connection, connection.transaction():
            status = await connection.execute(SETTLE, mail.mail_id, "refused", now, code)
            if status == "UPDATE 1":  # Otherwise it was erased meanwhile, and so is its address.
                await connection.execute(MARK, mail.address, now, code)

    async def unwanted(self, mail: TakenMail, *, now: datetime) -> None:
        """Note that a mail is no longer wanted."""
        await self.pool.execute(SETTLE, mail.mail_id, "unwanted", now, None)

    async def put_off(
        self, mail: TakenMail, code: int | None, *, until: datetime, now: datetime
    ) -> bool:
        """Have a mail tried again later, or give it up if that is too late. Return which."""
        if until < mail.good_until:
            await self.pool.execute(PUT_OFF, mail.mail_id, mail.lease, until, code)
            return True
        await self.pool.execute(SETTLE, mail.mail_id, "given_up", now, code)
        return False

    async def put_back(self, mail: TakenMail) -> None:
        """Give a mail back that was not tried at all."""
        await self.pool.execute(PUT_BACK, mail.mail_id, mail.lease)

    async def give_up_late(self, *, now: datetime) -> Sequence[tuple[str, str]]:
        """Give up what is good no more, and return the ids and kinds."""
        return [(row["mail_id"], row["kind"]) for row in await self.pool.fetch(GIVE_UP, now)]

    async def sweep(self, *, now: datetime) -> int:
        """Forget mails that were settled long ago, and return how many."""
        swept = 0
        while True:
            status = await self.pool.execute(SWEEP, now - KEPT_FOR, SWEPT_MAX)
            count = int(status.rpartition(" ")[2])
            swept += count
            if count < SWEPT_MAX:
                return swept

    async def kept_of(self, mail_ids: Sequence[str]) -> set[str]:
        """Return which of these mails the outbox still knows."""
        rows = await self.pool.fetch(WHICH_ARE_KEPT, mail_ids)
        return {row["mail_id"] for row in rows}


def _without_plain(row: asyncpg.Record) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "plain"}
