"""Sends what is in the outbox: several mails at a time, each by one carrier alone.

A mail that was handed over is noted as sent at once; a kill between the two sends it again, under
the same Message-ID. Whatever goes wrong with one mail has that mail wait; whatever goes wrong with
every mail has the worker wait, and no mail suffers for it.
"""

import asyncio
import contextlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NoReturn

import structlog

from services.mail.posts import LeaseOver, MailHold, MailPost, MailPutOff, MailRefused, PostAway
from services.mail.waits import mail_wait, server_wait_s
from shared.db.away import DATABASE_AWAY
from shared.db.bell import Bell
from shared.db.retrying import before_retry
from shared.mail.outbox import MAIL_CHANNEL
from shared.mail.taking import MailQueue, TakenMail

# Connections to the server at once; with a few, a slow receiver does not hold up the others.
CARRIERS: Final = 4
# The longest time between two looks, also when no bell rings.
LOOK_S: Final = 5.0
# Carriers keep their connection for so long when there is nothing to send.
IDLE_S: Final = 10.0
# Leases are renewed four times before they end.
RENEWALS: Final = 4
RETRY_S: Final = 0.5

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class MailTally:
    """Whom to tell what became of mails, by kind."""

    sent: Callable[[str], None]
    refused: Callable[[str], None]
    put_off: Callable[[str], None]
    given_up: Callable[[str], None]


class _ServerTrouble:
    """How often in a row nothing could be sent, whatever the mail, and until when we wait.

    Carriers wait together, and go on together once one of them gets through.
    """

    def __init__(self, clock_s: Callable[[], float]) -> None:
        self._clock_s = clock_s
        self._failures = 0
        self._until_s = 0.0
        self._told = ""
        self._back = asyncio.Event()

    def over(self) -> None:
        """Wake those who wait."""
        if self._failures:
            _log.info("mail_server_back", failures=self._failures)
            self._failures, self._told = 0, ""
            self._back.set()
            self._back = asyncio.Event()

    async def met(self, why: str) -> None:
        """Say it, unless it is the same as before, and wait."""
        if why != self._told:
            _log.warning("mail_server_away", detail=why)
            self._told = why
        now_s = self._clock_s()
        if now_s >= self._until_s:
            self._failures += 1
            self._until_s = now_s + server_wait_s(self._failures)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._until_s - now_s):
                await self._back.wait()


@dataclass
class MailWorker:
    """Everything that one process does to send mails. `clock_s` is monotonic, `now` is the time."""

    queue: MailQueue
    open_post: Callable[[], MailPost]
    bell: Bell
    now: Callable[[], datetime]
    clock_s: Callable[[], float]
    tally: MailTally
    _held: dict[str, float] = field(default_factory=dict, init=False)
    _trouble: _ServerTrouble = field(init=False)

    def __post_init__(self) -> None:
        self._trouble = _ServerTrouble(self.clock_s)

    async def run(self) -> NoReturn:
        """Send mails forever."""
        async with asyncio.TaskGroup() as tasks:
            for _ in range(CARRIERS):
                tasks.create_task(self._carry())
            tasks.create_task(self._renew())
        raise AssertionError("Carriers never end by themselves.")

    async def _carry(self) -> None:
        post = self.open_post()
        try:
            while True:
                try:
                    await self._carry_all(post)
                except DATABASE_AWAY as error:
                    _log.warning("database_away", error=type(error).__name__)
                    await before_retry(RETRY_S)
        finally:
            await post.close()

    async def _carry_all(self, post: MailPost) -> None:
        idle_since_s = self.clock_s()
        while True:
            newest = await self.queue.newest()
            if await self._carry_one(post):
                idle_since_s = self.clock_s()
                continue
            if self.clock_s() - idle_since_s >= IDLE_S:
                await post.close()
            await self.bell.wait_beyond(MAIL_CHANNEL, newest, LOOK_S)

    async def _carry_one(self, post: MailPost) -> bool:
        """Take one mail and see to it; return whether there was one."""
        lease, taken_s = secrets.token_hex(16), self.clock_s()
        mail = await self.queue.take(lease, now=self.now())
        if mail is None:
            return False
        self._held[lease] = taken_s + self.queue.leased_for.total_seconds()
        try:
            if await self.queue.is_unwanted(mail):
                await self.queue.unwanted(mail, now=self.now())
            else:
                await self._send(post, MailHold(mail, lambda: self.clock_s() < self._held[lease]))
        finally:
            del self._held[lease]
        return True

    async def _send(self, post: MailPost, hold: MailHold) -> None:
        mail = hold.mail
        try:
            await post.send(hold)
        except MailRefused as refused:
            await self.queue.refused(mail, refused.code, now=self.now())
            self.tally.refused(mail.kind)
            _log.warning("mail_refused", mail=mail.mail_id, kind=mail.kind, code=refused.code)
        except MailPutOff as put_off:
            await self._put_off(mail, put_off.code)
        except PostAway as away:
            await self.queue.put_back(mail)
            await self._trouble.met(str(away))
            return
        except LeaseOver:
            _log.warning("mail_held_up", mail=mail.mail_id)
            return
        else:
            await self._note_sent(hold)
        self._trouble.over()

    async def _put_off(self, mail: TakenMail, code: int | None) -> None:
        now = self.now()
        is_again = await self.queue.put_off(mail, code, until=now + mail_wait(mail.tries), now=now)
        told = {"mail": mail.mail_id, "kind": mail.kind, "code": code, "tries": mail.tries}
        if is_again:
            self.tally.put_off(mail.kind)
            _log.info("mail_put_off", **told)
        else:
            self.tally.given_up(mail.kind)
            _log.warning("mail_given_up", **told)

    async def _note_sent(self, hold: MailHold) -> None:
        """Note it although the database is away for a moment: otherwise it is sent again."""
        mail = hold.mail
        self.tally.sent(mail.kind)
        _log.info("mail_sent", mail=mail.mail_id, kind=mail.kind, tries=mail.tries)
        while True:
            try:
                await self.queue.sent(mail, now=self.now())
            except DATABASE_AWAY:
                if not hold.is_held():
                    raise
                await before_retry(RETRY_S)
            else:
                return

    async def _renew(self) -> None:
        """Renew the leases of what is in our hands, long before they end."""
        leased_s = self.queue.leased_for.total_seconds()
        while True:
            await asyncio.sleep(leased_s / RENEWALS)
            leases, renewed_s = list(self._held), self.clock_s()
            with contextlib.suppress(*DATABASE_AWAY):
                ours = await self.queue.renew(leases, now=self.now()) if leases else set()
                for lease in ours & self._held.keys():
                    self._held[lease] = renewed_s + leased_s
