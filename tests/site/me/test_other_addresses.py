"""Somebody's addresses come and go; what they have played stays theirs, to change and to forget."""

import httpx

from tests.site.login.visiting import Visitor
from tests.site.me.living import Living
from tests.site.me.whole_life import add_address

OLD, NEW, WORK = "ada@example.com", "ada.new@example.org", "ada.work@example.org"
COUNT_MAILS = "SELECT count(*) FROM mahjic.mails WHERE address = $1"
CHOICES = {"name": "Ada Lake", "region": "west", "seen": "visible", "mail": "important"}


async def remove(visitor: Visitor, address: str) -> httpx.Response:
    return await visitor.send("/account/addresses/remove", {"email": address, "sure": "yes"})


async def ada_with(life: Living, *more: str) -> tuple[Visitor, str]:
    """Let Ada play, choose a name, and prove more addresses; return her browser and her id."""
    await life.play({"ada": 2, "ben": 1})
    visitor = await life.logged_in(OLD)
    for each in more:
        await add_address(visitor, each)
    assert (await visitor.send("/me/welcome", CHOICES)).status_code == 303
    return visitor, await life.player_of(OLD)


async def test_who_changes_their_address_keeps_their_player(life: Living) -> None:
    visitor, ada = await ada_with(life, NEW)
    assert (await remove(visitor, OLD)).status_code == 303
    assert ada in (await visitor.get("/me")).text
    assert await life.player_of(NEW) == ada
    # Whoever plays under the old one is somebody new, and under the new one it is her.
    await life.play({"ada": 1, NEW: 0}, on="2026-01-20")
    assert await life.player_of(OLD) != ada
    assert await life.player_of(NEW) == ada
    assert (await visitor.send("/me/settings", {**CHOICES, "seen": "private"})).status_code == 303
    assert (await visitor.get(f"/players/{ada}")).status_code == 404
    assert (await visitor.send("/me/forget", {"typed": ada})).status_code == 303
    assert await life.holding("ada.new@", "Ada Lake") == {}


async def test_the_first_address_that_is_nobodys_takes_the_players_place(life: Living) -> None:
    await life.play({WORK: 1, "cy": 0}, on="2026-01-02")
    visitor, ada = await ada_with(life, WORK, NEW)
    work = await life.player_of(WORK)
    assert (await remove(visitor, OLD)).status_code == 303
    assert (await life.player_of(NEW), await life.player_of(WORK)) == (ada, work)


async def test_the_last_address_of_a_player_stays_until_the_players_are_one(life: Living) -> None:
    await life.play({WORK: 1, "cy": 0}, on="2026-01-02")
    visitor, ada = await ada_with(life, WORK)
    work = await life.player_of(WORK)
    before = await life.kept()
    refused = await remove(visitor, OLD)
    assert refused.status_code == 409
    assert ada in refused.text
    assert await life.kept() == before
    async with life.pool.acquire() as connection, connection.transaction():
        await life.people.merge(connection, work, ada, is_private=False)
    assert (await remove(visitor, OLD)).status_code == 303
    assert await life.player_of(WORK) == ada
    assert ada in (await visitor.get("/me")).text


async def test_tabs_that_remove_two_of_three_leave_the_player_with_the_third(life: Living) -> None:
    visitor, ada = await ada_with(life, WORK, NEW)
    for each in (OLD, WORK):
        assert (await remove(visitor, each)).status_code == 303
    assert await life.player_of(NEW) == ada
    assert (await remove(visitor, NEW)).status_code == 422
    assert await life.player_of(NEW) == ada


async def test_who_gets_an_address_later_sees_nothing_of_who_had_it(life: Living) -> None:
    visitor, _ = await ada_with(life, NEW)
    await add_address(visitor, WORK)
    assert await life.pool.fetchval(COUNT_MAILS, OLD)
    assert (await remove(visitor, OLD)).status_code == 303
    assert not await life.pool.fetchval(COUNT_MAILS, OLD)
    ben = await life.logged_in(OLD, "203.0.113.7")
    told = (await ben.send("/me/download")).json()
    assert {each["kind"] for each in told["mails"]} == {"proof"}
    assert told["players"] == []
