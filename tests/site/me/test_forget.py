"""Forget me: said before, done whole or not at all, and nothing is left that says who it was."""

import re

import httpx
import pytest

from tests.accounts.people import BEN
from tests.site.login.visiting import Visitor
from tests.site.me.living import Living
from tests.site.me.whole_life import (
    ADA,
    APPLIED,
    DRAFTED,
    ON_ROSTER,
    WORDS,
    WORK,
    ada_with_everything,
    add_address,
)

PATH = "/me/forget"
DONE = "/forgotten"
COUNT_CHANGED = "SELECT count(*) FROM mahjic.mails WHERE address = $1 AND kind <> 'proof'"


async def forget(visitor: Visitor, typed: str) -> httpx.Response:
    return await visitor.send(PATH, {"typed": typed})


async def test_it_is_said_before_what_goes_and_what_stays(life: Living) -> None:
    visitor = (await ada_with_everything(life)).visitor
    page = (await visitor.get(PATH)).text
    ada, other = await life.player_of(ADA), await life.player_of(WORK)
    for words in (ADA, WORK, ada, other, "can’t be undone", "Backups", 'href="/me/download"'):
        assert words in page
    assert "It is " + ada in page
    assert "staff" not in re.sub(r"<[^>]+>", "", page)


async def test_afterward_no_table_knows_who_it_was_and_the_log_is_whole(life: Living) -> None:
    herself = await ada_with_everything(life)
    visitor, (ada, other) = herself.visitor, herself.ids
    ben = await life.logged_in(BEN, "203.0.113.5")
    held = await life.holding(*WORDS)
    assert held.keys() >= {
        "mahjic.people",
        "mahjic.acquaintances",
        "mahjic.disputes",
        "mahjic.addresses",
        "mahjic.address_proofs",
        "mahjic.passkeys",
        "mahjic.mails",
        "mahjic.unreachable_addresses",
        "mahjic.source_members",
        "mahjic.member_invitations",
        "mahjic.desk_acts",
    }
    facts = set((await life.everything())["mahjic.facts"])
    done = await forget(visitor, f" {ada.lower()} ")
    assert (done.status_code, done.headers["location"]) == (303, DONE)
    assert 'mahjic-login=""; ' in done.headers["set-cookie"]
    assert await life.holding(*WORDS) == {}
    assert facts < set((await life.everything())["mahjic.facts"])
    assert not await visitor.is_logged_in()
    assert not await herself.elsewhere.is_logged_in()
    for each in (ada, other):
        assert (await visitor.get(f"/players/{each}")).status_code == 404
    assert await ben.is_logged_in()
    assert await life.holding("Ben B.") != {}
    assert await life.holding("ben@example.com")
    assert await life.holding(ada) != {}


async def test_other_mail_to_an_address_that_was_not_proved_stays(life: Living) -> None:
    visitor = await life.logged_in(ADA)
    ben = await life.logged_in(BEN, "203.0.113.5")
    await add_address(ben, "ben.work@example.org")
    assert await life.pool.fetchval(COUNT_CHANGED, BEN) == 1
    await visitor.send("/account/addresses", {"email": BEN})
    await forget(visitor, "forget me")
    assert await life.pool.fetchval(COUNT_CHANGED, BEN) == 1
    assert await ben.is_logged_in()


async def test_the_page_after_it_knows_nobody(life: Living) -> None:
    visitor = await life.logged_in(ADA)
    before = (await (await life.browser()).get(DONE)).text
    await forget(visitor, "forget me")
    page = await visitor.get(DONE)
    assert page.text == before
    assert page.headers["cache-control"] == "no-store"
    assert "cookie" not in str(page.request.headers)


async def test_an_account_without_a_player_is_forgotten_as_well(life: Living) -> None:
    visitor = await life.logged_in(ADA)
    await life.source_key("b-club")
    for keep in (APPLIED, DRAFTED, ON_ROSTER):
        await life.pool.execute(keep, ADA)
    assert len(await life.holding(ADA)) > 3
    assert "forget me" in (await visitor.get(PATH)).text
    assert (await forget(visitor, "yes")).status_code == 422
    assert (await forget(visitor, " Forget  ME ")).headers["location"] == DONE
    assert await life.holding(*WORDS) == {}
    await visitor.log_in(ADA)


@pytest.mark.parametrize("typed", ["", "yes", "forget me", "MJ-00000000", "MJ-7K3Q9XZM", "ben"])
async def test_nothing_else_that_is_typed_forgets_anyone(life: Living, typed: str) -> None:
    await life.play({"ada": 1, "ben": 0})
    visitor = await life.logged_in(ADA)
    before = await life.kept()
    answer = await forget(visitor, await life.player_of(BEN) if typed == "ben" else typed)
    assert answer.status_code == 422
    assert "Nothing was erased." in answer.text
    assert await life.kept() == before


async def test_staff_are_forgotten_and_the_act_stays_by_its_id(life: Living) -> None:
    visitor = await life.logged_in(ADA)
    account = await life.pool.fetchval("SELECT account_id FROM mahjic.addresses")
    await life.pool.execute("INSERT INTO mahjic.staff VALUES ($1, 'operator', now())", account)
    await life.pool.execute("UPDATE mahjic.logins SET kind = 'staff', by_passkey = true")
    assert "Your place among the staff" in (await visitor.get(PATH)).text
    assert (await forget(visitor, "forget me")).headers["location"] == DONE
    assert await life.pool.fetchval("SELECT count(*) FROM mahjic.staff") == 0
    acts = await life.pool.fetch("SELECT staff_id, act, about FROM mahjic.staff_acts")
    assert tuple(acts[-1]) == (account, "forget_oneself", [account])
