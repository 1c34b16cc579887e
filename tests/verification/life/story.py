"""Tells a story about a few people: what they do, what Stripe says, and what is on record then."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

import asyncpg

from services.ingest.players.acts import forget
from services.ingest.record.founding import found_log
from services.ports import ERASABLES
from services.verification.starting import be_checked, pay
from services.verification.work.clock import tick
from shared.events.codec import decode_fact
from shared.events.facts import PlayerVerificationEnded, PlayerVerified
from tests.ingest.changes.linking.merges import merge, unmerge
from tests.verification.histories.world import Someone, World
from tests.verification.stripe.account.odd import Document, a_document

FACTS = "SELECT body FROM mahjic.facts ORDER BY seq"
IS_VERIFIED = """
SELECT EXISTS (
    SELECT FROM mahjic.verified_players JOIN mahjic.read_players USING (player_id)
    WHERE survivor_id = mahjic.survivor($1)
)
"""
MAILS = "SELECT address, plain FROM mahjic.mails WHERE kind = 'verified' ORDER BY number"
AWAY = "SELECT away_since FROM mahjic.verification_place"


@dataclass
class Story:
    """People in a world of their own; nothing is seen to until `goes_on` or `passes_time`."""

    world: World
    people: list[Someone] = field(default_factory=list)

    @property
    def pool(self) -> asyncpg.Pool:
        return self.world.pool

    # What people do.

    async def opens_page(self, who: Someone) -> str:
        """Open Stripe's page for paying, and return its session."""
        url = await pay(self.world.room, self.world.login(who), (who.player_id,))
        await self.world.customer_of(who)
        return url.rpartition("/")[2]

    async def pays(self, who: Someone) -> str:
        """Pay for a year, and return the subscription."""
        return self.world.acts.pay(await self.opens_page(who)).id

    async def begins_check(self, who: Someone) -> str:
        """Open Stripe's page for showing a document, and return its session."""
        url = await be_checked(self.world.room, self.world.login(who), (who.player_id,))
        return url.rpartition("/")[2]

    async def shows(self, who: Someone, document: Document) -> str:
        """Show a document, and return the session."""
        session_id = await self.begins_check(who)
        self.world.acts.pass_check(session_id, document)
        return session_id

    async def becomes_verified(self, who: Someone, document: Document | None = None) -> str:
        """Pay, show a document of one's own, and return the subscription."""
        subscription_id = await self.pays(who)
        await self.shows(who, document or a_document(self.people.index(who)))
        await self.goes_on()
        assert await self.is_verified(who)
        return subscription_id

    async def is_forgotten(self, who: Someone) -> None:
        room = self.world.room
        await forget(self.pool, room.waterline, who.player_id, self.world.made, ERASABLES)
        who.is_forgotten = True

    async def are_merged(self, who: Someone, into: Someone) -> None:
        await merge(self.pool, who.player_id, into.player_id, self.world.made)

    async def are_parted(self, who: Someone) -> None:
        await unmerge(self.pool, who.player_id, self.world.made)

    # What follows.

    async def goes_on(self) -> None:
        """Deliver what Stripe tells, let the clock look, and have everything seen to."""
        await self.world.deliver(self.world.take_new_events())
        await tick(self.world.room)
        await self.world.work()
        await tick(self.world.room)
        await self.world.work()

    async def passes_time(self, span: timedelta) -> None:
        """Let time pass, at Stripe as well, while nobody looks; then go on."""
        self.world.clock.now += span
        self.world.take_turns()
        await self.goes_on()

    # What is on record.

    async def is_verified(self, who: Someone) -> bool:
        return bool(await self.pool.fetchval(IS_VERIFIED, who.player_id))

    async def facts_about(self, who: Someone) -> list[str]:
        """Return which beginnings and ends about a player are on the log."""
        events = [decode_fact(row["body"]).event for row in await self.pool.fetch(FACTS)]
        return [
            "begun" if isinstance(each, PlayerVerified) else "ended"
            for each in events
            if isinstance(each, PlayerVerified | PlayerVerificationEnded)
            and each.player_id == who.player_id
        ]

    async def mails_to(self, who: Someone) -> Sequence[str]:
        """Return what somebody was mailed about being Verified, the first one first."""
        rows = await self.pool.fetch(MAILS)
        return [row["plain"] for row in rows if row["address"] == who.address]

    async def is_away(self) -> bool:
        return await self.pool.fetchval(AWAY) is not None


async def a_story(pool: asyncpg.Pool, count: int) -> Story:
    """Return a story about some people, on a new database."""
    world = World(pool, 1)
    await found_log(pool, "log_of_a_test", world.made)
    await world.settle_in(count)
    return Story(world, world.people)
