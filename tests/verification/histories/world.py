"""A few people with accounts, a Stripe, and workers between them; time and luck are the test's."""

import asyncio
import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import asyncpg

from services.accounts.logging_in.logins import Login
from services.accounts.room import Accounts, Chance
from services.ingest.claim.people import read_person
from services.ingest.people.room import PeopleOfAccounts
from services.ingest.players.acts import register
from services.ingest.record.ids_and_times import IdsAndTimes
from services.ingest.record.waterline import Waterline
from services.ports import ERASABLES
from services.verification.documents import DocumentHashes
from services.verification.leaving import move_enrollments
from services.verification.room import StripeAccount, VerificationRoom
from services.verification.stripe.inbox import add_event
from services.verification.stripe.port import Stripe
from services.verification.work.clock import tick
from services.verification.work.reconciling import look_at_all
from services.verification.work.worker import VerificationWorker, WorkTally
from shared.db.bell import Bell
from shared.ids import PLAYER_ID_SPACE
from shared.mail.outbox import MailOutbox
from tests.verification.deciding import SITE
from tests.verification.stripe.account.clock import Clock
from tests.verification.stripe.account.holdings import Event
from tests.verification.stripe.account.memory import StripeInMemory
from tests.verification.stripe.account.people import People
from tests.verification.stripe.account.state import Account
from tests.verification.stripe.account.switches import Switches

# Longer than anything that was put off waits.
A_WHILE = timedelta(minutes=31)
ROUNDS_MAX = 60

ADD_ACCOUNT = """
INSERT INTO mahjic.accounts (account_id, passkey_handle, made_at) VALUES ($1, $2, $3)
"""
ADD_ADDRESS = "INSERT INTO mahjic.addresses (address, account_id, proved_at) VALUES ($1, $2, $3)"
UNDONE = """
SELECT (SELECT count(*) FROM mahjic.stripe_events WHERE done_at IS NULL)
    + (SELECT count(*) FROM mahjic.stripe_requests WHERE due_at IS NOT NULL AND done_at IS NULL)
    + (SELECT count(*) FROM mahjic.enrollments WHERE look_due_at IS NOT NULL)
    + (SELECT count(*) FROM mahjic.enrollments WHERE account_id IS NULL)
    + (SELECT count(*) FROM mahjic.verification_doubts)
"""
IS_SOMEONES = """
SELECT EXISTS (
    SELECT FROM mahjic.identity_checks JOIN mahjic.enrollments USING (enrollment_id)
    WHERE key = $1 AND account_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM mahjic.stripe_requests AS asked
        WHERE asked.kind = 'redact_check' AND asked.object_id = session_id
    )
)
"""
CUSTOMER = "SELECT customer_id FROM mahjic.enrollments WHERE account_id = $1"


@dataclass
class Someone:
    """A person with an account, an address and a player."""

    account_id: str
    address: str
    player_id: str
    is_forgotten: bool = False
    has_bad_card: bool = False
    # Since their identity has been checked at Stripe.
    has_passed: bool = False
    customer_id: str | None = None


@dataclass
class World:
    """Everything of one history. Many histories share a database: nobody meets another's people."""

    pool: asyncpg.Pool
    number: int
    clock: Clock = field(default_factory=Clock)
    people: list[Someone] = field(default_factory=list)
    # Events that are not delivered yet, and how many of Stripe's were looked at.
    late: list[Event] = field(default_factory=list)
    told: int = 0

    def __post_init__(self) -> None:
        account = Account(self.clock)
        account._numbers = itertools.count(self.number * 1_000_000)
        in_memory = StripeInMemory(account)
        chance = random.Random(self.number)
        made = IdsAndTimes(player_number=lambda: chance.randrange(PLAYER_ID_SPACE), now=self.clock)
        waterline = Waterline()
        self.accounts = Accounts(
            self.pool,
            MailOutbox(None, self.clock),
            lambda: SITE,
            PeopleOfAccounts(waterline, made, ERASABLES),
            chance=Chance(now=self.clock, random_bytes=chance.randbytes),
            on_join=(move_enrollments,),
        )
        self.made = made
        self.waterline = waterline
        self.go_to(in_memory, account, in_memory.switches)

    def go_to(self, stripe: Stripe, account: Account, switches: Switches) -> None:
        """Have everybody pay and be checked at an account, by a way to it that has switches."""
        self.account, self.switches, self.acts = account, switches, People(account)
        hashes = DocumentHashes(b"a key of tests, which is in no database")
        self.room = VerificationRoom(
            self.accounts, self.waterline, self.made, StripeAccount(stripe, ("whsec_t",), hashes)
        )

    async def settle_in(self, count: int) -> None:
        """Let people come who have an account and a player each."""
        for place in range(count):
            address = f"p{self.number}-{place}@example.com"
            known = await register(self.pool, self.room.waterline, read_person(address), self.made)
            account_id = f"acc_{self.number}_{place}"
            handle = f"{self.number:016d}{place:016d}".encode()
            await self.pool.execute(ADD_ACCOUNT, account_id, handle, self.clock())
            await self.pool.execute(ADD_ADDRESS, address, account_id, self.clock())
            self.people.append(Someone(account_id, address, known.player_id))

    def login(self, who: Someone) -> Login:
        """Return a login that has just begun."""
        return Login(
            f"log_{who.account_id}", who.account_id, "person", False, "Tests", self.clock()
        )

    async def customer_of(self, who: Someone) -> str | None:
        """Return who somebody is at Stripe; that stays known when they are forgotten here."""
        if who.customer_id is None:
            who.customer_id = await self.pool.fetchval(CUSTOMER, who.account_id)
        return who.customer_id

    # What Stripe tells.

    def take_new_events(self) -> Sequence[Event]:
        """Return what Stripe has told since the last time."""
        new = self.account.outbox[self.told :]
        self.told += len(new)
        return new

    async def deliver(self, events: Sequence[Event]) -> None:
        """Have events come in."""
        for event in events:
            await add_event(self.pool, event.id, event.type, event.object_id, self.clock())

    # What workers do.

    def worker(self) -> VerificationWorker:
        return VerificationWorker(
            self.room, Bell(), WorkTally(lambda _: None, lambda: None, self._fail)
        )

    @staticmethod
    def _fail() -> None:
        raise AssertionError("The log says where it failed.")

    async def work(self) -> None:
        """Do everything that is due now."""
        worker = self.worker()
        for _ in range(ROUNDS_MAX * 10):
            if not await worker.step():
                return
        raise AssertionError("There is no end of work.")

    async def come_to_rest(self) -> None:
        """Have time looked at, ask Stripe for everything, and wait until nothing is left to do."""
        self.switches.away = None
        self.switches.lose = 0
        await self.finish_what_is_nobodys()
        await tick(self.room)
        await look_at_all(self.pool, self.clock())
        for _ in range(ROUNDS_MAX):
            await self.finish_what_is_nobodys()
            await self.work()
            await tick(self.room)
            if not await self.pool.fetchval(UNDONE):
                return
            self.clock.now += A_WHILE
        raise AssertionError("It never comes to rest.")

    async def finish_what_is_nobodys(self) -> None:
        """Have Stripe look through what is to be erased: of the forgotten, and what is too old."""
        for check in self.account.checks.values():
            key = check.metadata.get("mahjic_check")
            if check.state == "processing" and not await self.pool.fetchval(IS_SOMEONES, key):
                self.acts.fail_check(check.id)

    async def work_with_kills(self, luck: random.Random) -> None:
        """Let two workers work at once for a while, and kill one or both in the middle."""

        async def travel() -> None:
            for _ in range(luck.randrange(4)):
                await asyncio.sleep(0)

        self.switches.travel = travel
        workers = [asyncio.create_task(self._work_on()) for _ in range(2)]
        for each in workers:
            if luck.random() < 0.5:
                for _ in range(luck.randrange(40)):
                    await asyncio.sleep(0)
                each.cancel()
        await _end(workers)
        self.switches.travel = None

    async def work_with_kills_between_answers(self, luck: random.Random) -> None:
        """Do the same over a network: they are killed while an answer is on its way."""
        workers = [asyncio.create_task(self._work_on()) for _ in range(2)]

        async def travel() -> None:
            if luck.random() < 0.1:
                luck.choice(workers).cancel()

        self.switches.travel = travel
        await _end(workers)
        self.switches.travel = None

    async def _work_on(self) -> None:
        worker = self.worker()
        for _ in range(6):
            if not await worker.step():
                return

    # What time brings at Stripe.

    def next_turn(self) -> datetime | None:
        """Return when Stripe does something by itself the next time."""
        turns = [self.turn_of(each.id) for each in self.account.subscriptions.values()]
        return min((turn for turn in turns if turn is not None), default=None)

    def turn_of(self, subscription_id: str) -> datetime | None:
        """Return when a subscription renews, ends, or is given up: after three weeks of trying."""
        sub = self.account.subscriptions[subscription_id]
        if sub.status == "past_due":
            return sub.period_start + timedelta(days=21)
        return sub.period_end if sub.status == "active" else None

    def take_turns(self) -> None:
        """Let Stripe do what is due by now."""
        for sub in list(self.account.subscriptions.values()):
            turn = self.turn_of(sub.id)
            if turn is None or turn > self.clock():
                continue
            owners = [each for each in self.people if each.customer_id == sub.customer_id]
            if sub.status == "past_due" or sub.cancel_at_period_end:
                self.acts.end(sub.id)
            elif any(each.has_bad_card for each in owners):
                self.acts.fail_renewal(sub.id)
            else:
                self.acts.renew(sub.id)


async def _end(workers: Sequence["asyncio.Task[None]"]) -> None:
    """Wait for workers, some of whom were killed; raise what made another one fail."""
    for end in await asyncio.gather(*workers, return_exceptions=True):
        if isinstance(end, Exception):
            raise end
