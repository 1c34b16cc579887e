"""Random histories: who is invited is who a plain reading of the rules names, and nobody twice.

Two followers run all the time, and are killed at any moment. `MAHJIC_SEED` repeats a run.
"""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest
from prometheus_client import CollectorRegistry

from services import wiring
from services.database import ids_and_times
from services.invitations import running
from services.invitations.place import begin_again, mark_now, read_followed
from services.invitations.running import run_invitations
from shared.access.sources import change_source
from shared.mail.no_more import end_mail
from tests.conftest import Database
from tests.invitations.by_rules import TheRecord, read_record, to_invite
from tests.invitations.town import HASHES, Town
from tests.log.chances import seeded_chance
from tests.log.deadlines import until
from tests.mail.letters import Clock
from tests.service import running_service

STEPS = 90
NAMES = [
    "ada",
    "bo",
    "cleo",
    "drew",
    "eve",
    "finn",
    "gus",
    "hal",
    "ida",
    "jo",
    "kay",
    "lou",
    "max",
    "nell",
]
SOURCES = ["a-club", "b-club", "c-club"]
DAYS_AGO = [0, 0, 0, 1, 3, 29, 30, 31, 60]
COUNT_DUE = "SELECT count(*) FROM mahjic.awaited_invitations WHERE due_at <= $1"
READ_SEATED = """
SELECT people.email FROM mahjic.seats JOIN mahjic.people USING (player_id)
WHERE seats.session_id = $1 AND seats.sits AND people.email IS NOT NULL ORDER BY 1
"""
READ_MERGED = """
SELECT people.email FROM mahjic.players JOIN mahjic.people USING (player_id)
WHERE players.merged_into IS NOT NULL AND people.email IS NOT NULL ORDER BY 1
"""
# What a restore takes back: everything of this room since the backup, which is all of it here.
LOSE = """
DELETE FROM mahjic.invited_addresses;
DELETE FROM mahjic.invitations;
DELETE FROM mahjic.awaited_invitations;
"""


@dataclass
class History:
    """A town in which anything happens, and what was seen of it."""

    town: Town
    chance: random.Random
    sessions: list[tuple[str, str]] = field(default_factory=list)
    invited: set[str] = field(default_factory=set)
    # How many letters each address ever had, also those that were erased with their reader.
    ever: Counter[str] = field(default_factory=Counter)
    mark: datetime | None = None
    # Who had which address when everything about invitations was lost.
    named: dict[str, str] = field(default_factory=dict)
    done: Counter[str] = field(default_factory=Counter)
    followers: list["asyncio.Task[None]"] = field(default_factory=list)

    async def step(self) -> None:
        """Do one thing that may be refused; then nothing has happened."""
        name, act, _ = self.chance.choices(ACTS, [weight for _, _, weight in ACTS])[0]
        try:
            await act(self)
        except AssertionError as refused:
            if "type" not in str(refused) and "Nobody has sent" not in str(refused):
                raise
            name = f"{name} refused"
        self.done[name] += 1
        if self.chance.random() < 0.3:
            self.kill_a_follower()

    def start_follower(self) -> "asyncio.Task[None]":
        log = self.town.service.service.logs.verdicts
        part = run_invitations(self.town.room, log, self.town.nights, CollectorRegistry())
        return asyncio.create_task(part)

    def kill_a_follower(self) -> None:
        place = self.chance.randrange(len(self.followers))
        self.followers[place].cancel()
        self.followers[place] = self.start_follower()

    def some(self, count: int) -> list[str]:
        return self.chance.sample(NAMES, count)

    async def play(self) -> None:
        who = self.some(self.chance.choice([2, 3, 4]))
        who = [f"PRIVATE: {each}" if self.chance.random() < 0.1 else each for each in who]
        source = self.chance.choice(SOURCES)
        session_id = await self.town.night(*who, at=source, days_ago=self.chance.choice(DAYS_AGO))
        self.sessions.append((source, session_id))

    async def void(self) -> None:
        if self.sessions:
            source, session_id = self.chance.choice(self.sessions)
            await self.town.void(session_id, at=source)

    async def correct(self) -> None:
        if self.sessions:
            source, session_id = self.chance.choice(self.sessions)
            corrected = await self.town.correct(
                session_id, *self.some(3), at=source, days_ago=self.chance.choice(DAYS_AGO)
            )
            self.sessions.append((source, corrected))

    async def merge(self) -> None:
        who, into = self.some(2)
        await self.town.merge(who, into)

    async def unmerge(self) -> None:
        rows = await self.town.pool.fetch(READ_MERGED)
        assert rows, "Nobody has sent anyone who is merged."
        await self.town.unmerge(self.chance.choice(rows)["email"])

    async def reseat(self) -> None:
        if self.sessions:
            session_id = self.chance.choice(self.sessions)[1]
            rows = await self.town.pool.fetch(READ_SEATED, session_id)
            assert rows, "Nobody has sent anyone who sits there, or they were forgotten."
            who = self.chance.choice(rows)["email"]
            await self.town.reseat(who, self.some(1)[0], session_id)

    async def claim(self) -> None:
        await self.town.claim_address(self.some(1)[0])

    async def forget(self) -> None:
        await self.town.forget(self.some(1)[0])

    async def hide(self) -> None:
        await self.town.hide(self.some(1)[0])

    async def end_mail(self) -> None:
        address = self.town.address(self.some(1)[0])
        await end_mail(self.town.pool, HASHES.of(address), at=self.town.clock.now())

    async def switch_off(self) -> None:
        await self.town.key("c-club")
        await change_source(self.town.pool, "c-club", lambda before: replace(before, invites=False))

    async def follow_again(self) -> None:
        await begin_again(self.town.pool)

    async def pass_a_day(self) -> None:
        self.town.clock.wind(timedelta(days=1))
        await self.look()

    async def restore(self) -> None:
        """Lose all that is known of invitations; the letters are in people's hands."""
        await self.look()
        for follower in self.followers:
            follower.cancel()
        await asyncio.wait(self.followers)
        async with self.town.pool.acquire() as connection, connection.transaction():
            await connection.execute(LOSE)
            await mark_now(connection, self.town.clock.now())
        await begin_again(self.town.pool)
        self.mark, self.invited = self.town.clock.now(), set()
        self.named = by_address(await read_record(self.town.pool))
        self.followers = [self.start_follower() for _ in self.followers]
        # Whoever plays from now on does so after the restore, wherever on earth.
        self.town.clock.wind(timedelta(days=2))

    async def look(self) -> None:
        """Wait for what is due, and hold what came of it against the rules."""
        town = self.town
        town.clock.wind(timedelta(minutes=16))
        before = await self.letters()
        record, now = await read_record(town.pool), town.clock.now()
        wanted = to_invite(record, now=now, mark=self.mark, invited=self.invited)
        if self.mark is not None:
            # Whoever is lost, forgotten and named again is somebody new, of whom nothing is known.
            for address in wanted:
                if by_address(record)[address] != self.named.get(address):
                    del self.ever[address]
        if self.chance.random() < 0.5:
            self.kill_a_follower()
        await until(self.is_done)
        letters = await self.letters()
        fresh = letters - before
        assert set(fresh) == set(wanted), f"{set(fresh)} and not {set(wanted)}"
        self.ever += fresh
        assert max(self.ever.values(), default=1) == 1, self.ever
        self.invited |= set(wanted)
        self.done["invited"] += len(wanted)

    async def letters(self) -> Counter[str]:
        return Counter(letter.address for letter in await self.town.letters())

    async def is_done(self) -> bool:
        """Whether every verdict was taken in, and all that is due was looked at."""
        end = (await self.town.service.service.logs.facts.tail()).seq
        place = await read_followed(self.town.pool)
        due = await self.town.pool.fetchval(COUNT_DUE, self.town.clock.now())
        return place.fact_seq == end and not due


def by_address(record: TheRecord) -> dict[str, str]:
    return {address: player_id for player_id, address in record.emails.items()}


ACTS: list[tuple[str, Callable[[History], Awaitable[None]], int]] = [
    ("play", History.play, 30),
    ("void", History.void, 8),
    ("correct", History.correct, 8),
    ("merge", History.merge, 8),
    ("unmerge", History.unmerge, 4),
    ("reseat", History.reseat, 6),
    ("claim", History.claim, 2),
    ("forget", History.forget, 6),
    ("hide", History.hide, 1),
    ("end mail", History.end_mail, 1),
    ("switch off", History.switch_off, 1),
    ("follow again", History.follow_again, 3),
    ("a day", History.pass_a_day, 4),
    ("look", History.look, 20),
]


@pytest.fixture
async def history(database: Database, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[History]:
    """Return a town whose every clock is wound by the test, and two followers in it."""
    for name, seconds in (("LOOK_S", 0.02), ("GATHER_S", 0.01)):
        monkeypatch.setattr(running, name, seconds)
    # No night is played in the future of the real clock, which knows no day after today.
    clock = Clock(datetime.now(UTC) - timedelta(days=120))
    real = ids_and_times()
    monkeypatch.setattr(wiring, "ids_and_times", lambda: replace(real, now=clock.now))
    async with running_service(database, wait_s_default=30, change_days_max=900) as service:
        town = Town(service, await service.operator_key(), clock=clock, per_hour=10_000)
        history = History(town, seeded_chance())
        history.followers = [history.start_follower() for _ in range(2)]
        yield history
        for follower in history.followers:
            follower.cancel()
        await asyncio.wait(history.followers)


@pytest.mark.parametrize("run", range(2))
async def test_whoever_the_rules_name_is_invited_and_nobody_twice(
    history: History, run: int
) -> None:
    for _ in range(STEPS):
        await history.step()
    if run:
        await history.restore()
        for _ in range(STEPS // 3):
            await history.step()
    await history.look()
    assert all(not follower.done() for follower in history.followers)
    assert history.done["invited"], history.done
    print(run, history.done)  # noqa: T201 - pytest shows it with a failure.
