"""A club whose players pay and are checked at an account at Stripe that is kept in memory."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

import asyncpg

from services.ingest.claim.people import read_person
from services.ingest.players.acts import register
from services.ingest.record.founding import found_log
from services.ingest.record.ids_and_times import IdsAndTimes
from services.ingest.record.waterline import Waterline
from services.verification.documents import DocumentHashes
from services.verification.room import StripeAccount, VerificationRoom
from services.verification.starting import be_checked, pay
from services.verification.stripe.inbox import add_event
from services.verification.work.clock import tick
from services.verification.work.worker import VerificationWorker, WorkTally
from shared.db.bell import Bell
from shared.ids import PLAYER_ID_SPACE
from tests.accounts.people import House
from tests.verification.stripe.account.memory import StripeInMemory
from tests.verification.stripe.account.odd import Document
from tests.verification.stripe.account.people import People
from tests.verification.stripe.account.state import Account

HASH_KEY = "h" * 32


@dataclass
class Club:
    """People who become Verified, the room that decides it, and its worker."""

    pool: asyncpg.Pool
    starts_at: datetime
    # The account of another club, whose database this one's was once.
    known_stripe: StripeInMemory | None = None
    house: House = field(init=False)
    stripe: StripeInMemory = field(init=False)
    room: VerificationRoom = field(init=False)
    worker: VerificationWorker = field(init=False)
    told: int = 0

    def __post_init__(self) -> None:
        self.house = House(self.pool)
        self.house.clock.at = self.starts_at
        now, chance = self.house.clock.now, random.Random(7)
        self.stripe = self.known_stripe or StripeInMemory(Account(now))
        self.room = VerificationRoom(
            self.house.accounts,
            Waterline(),
            IdsAndTimes(player_number=lambda: chance.randrange(PLAYER_ID_SPACE), now=now),
            StripeAccount(self.stripe, ("whsec_a",), DocumentHashes(HASH_KEY.encode())),
        )
        tally = WorkTally(event=lambda _: None, refused=lambda: None, failed=lambda: None)
        self.worker = VerificationWorker(self.room, Bell(), tally)

    @property
    def people(self) -> People:
        return People(self.stripe.account)

    async def player(self, email: str) -> str:
        """Return the player of an address, who is put on record if needed."""
        known = await register(
            self.pool, self.room.waterline, read_person(email), self.room.ids_and_times
        )
        return known.player_id

    async def pays(self, email: str) -> str:
        """Have somebody pay for a year, and return the subscription."""
        player_id = await self.player(email)
        login = await self.house.log_in(email)
        url = await pay(self.room, login, (player_id,))
        subscription = self.people.pay(url.rpartition("/")[2])
        await self.catch_up()
        return subscription.id

    async def shows(self, email: str, document: Document) -> str:
        """Have somebody show a document, and return the session of the check."""
        return await self._checked(email, lambda session: self.people.pass_check(session, document))

    async def begins(self, email: str) -> str:
        """Have somebody begin a check and not go on with it, and return its session."""
        return await self._checked(email, lambda _session: None)

    async def fails(self, email: str) -> str:
        """Have somebody fail a check, and return its session."""
        return await self._checked(email, self.people.fail_check)

    async def _checked(self, email: str, act: Callable[[str], None]) -> str:
        player_id = await self.player(email)
        login = await self.house.log_in(email)
        url = await be_checked(self.room, login, (player_id,))
        session_id = url.rpartition("/")[2]
        act(session_id)
        await self.catch_up()
        return session_id

    async def catch_up(self) -> None:
        """Deliver all that Stripe tells, and have it seen to."""
        outbox = self.stripe.account.outbox
        for event in outbox[self.told :]:
            await add_event(self.pool, event.id, event.type, event.object_id, self.room.now())
        self.told = len(outbox)
        while await self.worker.step():
            continue

    async def tick(self) -> None:
        """Let the clock look."""
        await tick(self.room)


async def a_club(pool: asyncpg.Pool, now: datetime) -> Club:
    """Return a club on a new database."""
    club = Club(pool, now)
    await found_log(pool, "log_of_a_test", club.room.ids_and_times)
    return club
