"""Forget me, while something else happens to the same person: all of it, or nothing."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager

import httpx
import pytest

from tests.site.login.visiting import Visitor
from tests.site.me.living import WAITING, Living
from tests.site.me.test_forget import DONE, forget
from tests.site.me.whole_life import ADA, WORK, add_address

LOCK_HEAD = "SELECT FROM mahjic.head FOR UPDATE"
LOCK_ACCOUNTS = "SELECT FROM mahjic.accounts FOR UPDATE"
LOCK_PEOPLE = "SELECT FROM mahjic.people FOR UPDATE"
LOCK_MAILS = "SELECT FROM mahjic.mails FOR UPDATE"
DEADLINE_S = 20.0


class Held:
    """Something that others wait for, and who waits."""

    def __init__(self, life: Living) -> None:
        self._life = life
        self._tasks: list[asyncio.Task[httpx.Response]] = []

    async def then(self, asked: Awaitable[httpx.Response]) -> None:
        """Ask for something, and go on once it waits behind the others."""
        self._tasks.append(asyncio.ensure_future(asked))
        async with asyncio.timeout(DEADLINE_S):
            while len(await self.waiting()) < len(self._tasks):
                await asyncio.sleep(0.01)

    async def waiting(self) -> list[int]:
        """Return the processes of the database that wait for a lock."""
        return [row["pid"] for row in await self._life.pool.fetch(WAITING)]

    async def answers(self) -> list[httpx.Response]:
        """Return what came of all."""
        return await asyncio.gather(*self._tasks)


@asynccontextmanager
async def holding(life: Living, statement: str) -> AsyncIterator[Held]:
    """Hold rows for a while."""
    async with life.pool.acquire() as connection, connection.transaction():
        await connection.execute(statement)
        yield Held(life)


async def ada_of_two_players(life: Living) -> Visitor:
    """Let Ada play under two addresses, which are two players still."""
    await life.play({"ada": 2, "ben": 1})
    await life.play({WORK: 1, "cy": 0}, on="2026-01-02")
    visitor = await life.logged_in(ADA)
    await add_address(visitor, WORK)
    return visitor


async def test_two_windows_at_once_do_it_once(life: Living) -> None:
    visitor = await ada_of_two_players(life)
    ada = await life.player_of(ADA)
    async with holding(life, LOCK_HEAD) as held:
        for _ in range(3):
            await held.then(forget(visitor, ada))
    assert [each.headers["location"] for each in await held.answers()] == [DONE] * 3
    assert await life.holding("ada@", WORK) == {}


@pytest.mark.parametrize("statement", [LOCK_HEAD, LOCK_ACCOUNTS, LOCK_PEOPLE, LOCK_MAILS])
async def test_killed_at_any_place_nothing_of_it_is_done(life: Living, statement: str) -> None:
    visitor = await ada_of_two_players(life)
    ada = await life.player_of(ADA)
    before = await life.kept()
    async with holding(life, statement) as held:
        await held.then(forget(visitor, ada))
        (pid,) = await held.waiting()
        await life.pool.execute("SELECT pg_terminate_backend($1)", pid)
        (answer,) = await held.answers()
    assert answer.status_code == 503
    assert await life.kept() == before
    assert (await forget(visitor, ada)).headers["location"] == DONE
    assert await life.holding("ada@", WORK) == {}


async def test_an_address_that_comes_in_meanwhile_goes_as_well(life: Living) -> None:
    await life.play({"ada": 2, "ben": 1})
    await life.play({WORK: 1, "cy": 0}, on="2026-01-02")
    visitor = await life.logged_in(ADA)
    ada, other = await life.player_of(ADA), await life.player_of(WORK)
    await visitor.send("/account/addresses", {"email": WORK})
    code = (await life.house.mails())[-1].code
    async with holding(life, LOCK_ACCOUNTS) as held:
        await held.then(visitor.send("/account/addresses/code", {"code": code}))
        await held.then(forget(visitor, ada))
    added, done = await held.answers()
    assert (added.status_code, done.headers["location"]) == (303, DONE)
    assert await life.holding("ada@", WORK) == {}
    assert (await visitor.get(f"/players/{other}")).status_code == 404


async def test_a_link_pressed_at_the_same_time_lets_in_for_a_moment_at_most(life: Living) -> None:
    visitor = await ada_of_two_players(life)
    elsewhere = await life.browser("203.0.113.8")
    mail = await elsewhere.ask(ADA)
    async with holding(life, LOCK_ACCOUNTS) as held:
        await held.then(elsewhere.press(mail))
        await held.then(forget(visitor, await life.player_of(ADA)))
    pressed, done = await held.answers()
    assert (pressed.status_code, done.headers["location"]) == (303, DONE)
    assert not await elsewhere.is_logged_in()
    assert await life.holding("ada@", WORK) == {}
