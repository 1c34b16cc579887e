"""A night counts once, whatever happens on its way and whoever types it as well."""

import asyncio
import json

import asyncpg
import pytest

from tests.log.deadlines import until
from tests.site.desk.conftest import CLUB, OWNER, SCORER, Desks
from tests.site.desk.test_night import (
    DAY,
    DRAFTS,
    NAMES,
    as_sent,
    count,
    league_night,
    meet,
)
from tests.site.desk.typing import Typist
from tests.site.me.conftest import Member

WAITING = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


SECOND_SEATS = """
SELECT draft_id, night #>> '{tables,0,seats,1,who}' AS who FROM mahjic.night_drafts
"""
BEGUN_TO_BE_SENT = """
UPDATE mahjic.night_drafts SET state = 'sending', sending = '{}' WHERE draft_id = $1
"""
TYPED_INTO = """
UPDATE mahjic.night_drafts
SET page = 'another', night = jsonb_set(night, '{tables,0,seats,1,who}', '"Dave"')
WHERE draft_id = $1
"""


async def test_pressed_twice_reloaded_and_from_two_tabs_it_counts_once(desks: Desks) -> None:
    await meet(desks)
    browser = await desks.browser_of(SCORER)
    typist = await league_night(browser)
    form = typist.form_with("Send it")
    send = form.attributes["action"]
    answers = await asyncio.gather(*[browser.send(send, {"as": "new"}) for _ in range(4)])
    assert {answer.status_code for answer in answers} == {303}
    assert len({answer.headers["location"] for answer in answers}) == 1
    again = await browser.send(send, {"as": "new"})
    assert again.status_code == 303
    assert await count(desks) == 2
    # Back to the form, and once more from there: it leads to what was sent.
    back = await browser.send(send.removesuffix("/send"), {"games-0": "9", "do": "look"})
    assert back.headers["location"] == send.removesuffix("/send") + "/sent"
    assert await browser.leads_to(send.removesuffix("/send")) == back.headers["location"]
    assert await browser.leads_to(send.removesuffix("/send") + "/look") == back.headers["location"]


async def break_off(desks: Desks) -> None:
    """Leave the one draft there is as a process leaves it that dies while it sends."""
    going = {"claim": as_sent(), "send_as": "new", "corrects": ""}
    await desks.town.house.pool.execute(
        "UPDATE mahjic.night_drafts SET state = 'sending', sending = $1, session_id = NULL",
        json.dumps(going),
    )


@pytest.mark.parametrize("is_recorded", [False, True], ids=["before", "after"])
async def test_a_night_that_broke_off_on_its_way_is_sent_again_and_counts_once(
    desks: Desks, is_recorded: bool
) -> None:
    await meet(desks)
    browser = await desks.browser_of(SCORER)
    typist = await league_night(browser)
    night = typist.form_with("Send it").attributes["action"].removesuffix("/send")
    if is_recorded:
        await typist.send()
    await break_off(desks)
    await typist.go(night)
    assert "on its way" in typist.page.main.text
    # What is typed meanwhile in another window changes nothing of it.
    other = await browser.send(night, {"games-0": "9", "do": "look"})
    assert other.headers["location"] == f"{night}/sent"
    await typist.send("Send it again")
    assert set(typist.moves()) == set(NAMES.values())
    assert await count(desks) == 2


async def test_while_nothing_can_be_recorded_a_night_waits(desks: Desks) -> None:
    await meet(desks)
    browser = await desks.browser_of(SCORER)
    typist = await league_night(browser)
    send = typist.form_with("Send it").attributes["action"]
    await desks.town.running.stop_part("recorder")
    answer = await browser.send(send, {"as": "new"})
    assert answer.status_code == 503
    assert await browser.leads_to(send.removesuffix("/send")) == (
        send.removesuffix("/send") + "/sent"
    )
    # Pressed again, it goes on as it was begun: the same night, under the same key.
    going = "SELECT state, sending::text FROM mahjic.night_drafts"
    begun = await desks.town.house.pool.fetch(going)
    assert (await browser.send(send, {"as": "another"})).status_code == 503
    assert await desks.town.house.pool.fetch(going) == begun
    assert begun[0]["state"] == "sending"


async def test_what_two_type_into_one_night_is_kept_twice(desks: Desks) -> None:
    await meet(desks)
    owner = await Typist.begin(await desks.browser_of(OWNER))
    owner.type(date=DAY).row(0, 0, "Alice", "1")
    await owner.press("save")
    scorer = Typist(await desks.browser_of(SCORER), owner.page)
    await scorer.go(owner.action)
    await owner.row(0, 1, "Bob", "2").press("save")
    await scorer.row(0, 1, "Carol", "3").press("save")
    assert scorer.typed["who-0-1"] == "Carol"
    page = await scorer.browser.page(f"/desk/{CLUB}")
    links = [each for each in page.main.links() if "/night/" in each]
    assert len(links) == 2
    names = set()
    for link in links:
        await scorer.go(link)
        names.add(scorer.typed["who-0-1"])
    assert names == {"Bob", "Carol"}


@pytest.mark.parametrize(
    ("change", "kept_there"),
    [
        (TYPED_INTO, "Dave"),
        (BEGUN_TO_BE_SENT, "Carol"),
        ("DELETE FROM mahjic.night_drafts WHERE draft_id = $1", None),
    ],
    ids=["typed into", "sent", "thrown away"],
)
async def test_what_happens_to_the_copy_of_a_page_at_that_moment_is_not_overwritten(
    desks: Desks, change: str, kept_there: str | None
) -> None:
    await meet(desks)
    pool = desks.town.house.pool
    owner = await Typist.begin(await desks.browser_of(OWNER))
    await owner.type(date=DAY).row(0, 0, "Alice", "1").press("save")
    scorer = Typist(await desks.browser_of(SCORER), owner.page)
    await scorer.go(owner.action)
    await owner.row(0, 1, "Bob", "2").press("save")
    # Theirs is kept apart, but they never hear of it, and type on where they were.
    copy = (await scorer.row(0, 1, "Carol", "3").live())["action"].rpartition("/")[2]
    async with pool.acquire() as other, other.transaction():
        await other.execute(change, copy)
        typing_on = asyncio.create_task(scorer.row(0, 1, "Erin", "3").live())
        await until_somebody_waits(pool)
    told = (await typing_on)["action"].rpartition("/")[2]
    seated = {row["draft_id"]: row["who"] for row in await pool.fetch(SECOND_SEATS)}
    assert seated.get(copy) == kept_there
    assert seated[told] == "Erin"
    assert told != copy


async def until_somebody_waits(pool: asyncpg.Pool) -> None:
    """Wait until somebody is waiting for a row that somebody else has."""

    async def they_do() -> bool:
        return bool(await pool.fetchval(WAITING))

    await until(they_do)


async def test_a_login_that_ended_meanwhile_loses_nothing(desks: Desks) -> None:
    await meet(desks)
    browser = await desks.browser_of(SCORER)
    typist = await Typist.begin(browser)
    typist.type(date=DAY, kind="social").row(0, 0, "Alice", "4").row(0, 1, '"><b>Bob')
    before = await desks.town.house.pool.fetchval(DRAFTS)
    await desks.town.house.pool.execute("DELETE FROM mahjic.logins")
    answer = await browser.send(typist.action, {**typist.typed, "do": "save"})
    assert answer.status_code == 401
    assert await desks.town.house.pool.fetchval(DRAFTS) == before
    held = Typist(browser, typist.page.__class__(answer.text))
    form = held.form_with("I am logged in: go on")
    await browser.log_in(SCORER)
    await held.send("I am logged in: go on")
    assert form.attributes["action"] == typist.action
    assert held.typed["who-0-1"] == '"><b>Bob'
    assert held.typed["won-0-0"] == "4"


async def same_night_differently(browser: Member) -> Typist:
    typist = await Typist.begin(browser)
    typist.type(date=DAY, kind="league", games_0="4")
    typist.row(0, 0, "Alice", "1", "125").row(0, 1, "Bob", "2", "80")
    typist.row(0, 2, "Carol", "1", "45").row(0, 3, "Dave", "", "-50")
    return await typist.press("look")


@pytest.mark.parametrize(
    ("button", "counted", "alice"),
    [
        ("It is the same night: don’t send mine", 2, True),
        ("Mine is right: replace what is on record", 2, True),
        ("Both were played: send mine as well", 3, True),
    ],
)
async def test_a_second_helper_with_the_same_night_is_asked(
    desks: Desks, button: str, counted: int, alice: bool
) -> None:
    await meet(desks)
    await (await league_night(await desks.browser_of(OWNER))).send()
    typist = await same_night_differently(await desks.browser_of(SCORER))
    assert "Is this night on record already?" in typist.page.main.text
    cards = list(typist.page.main.all("div", class_="card"))
    assert [next(each.all("table")).rows()[1][:2] for each in cards] == [
        ["Alice", "2"],
        ["Alice", "1"],
    ]
    await typist.send(button)
    assert await count(desks) == counted
    if "same night" in button:
        assert "Thrown away" in typist.page.main.text
    else:
        assert ("Alice" in typist.moves()) is alice
    statuses = await desks.town.house.pool.fetch(
        "SELECT status FROM mahjic.submissions WHERE source = $1 ORDER BY fact_seq", CLUB
    )
    assert ("corrected" in {row["status"] for row in statuses}) is ("Mine is right" in button)


async def test_the_second_of_two_at_once_is_asked_when_it_sends(desks: Desks) -> None:
    await meet(desks)
    scorer = await same_night_differently(await desks.browser_of(SCORER))
    await (await league_night(await desks.browser_of(OWNER))).send()
    answer = await scorer.browser.send(
        scorer.form_with("Send it").attributes["action"], {"as": "new"}
    )
    assert answer.status_code == 409
    assert "Is this night on record already?" in answer.text
    assert await count(desks) == 2


async def test_the_very_same_night_changes_nothing(desks: Desks) -> None:
    await meet(desks)
    await (await league_night(await desks.browser_of(OWNER))).send()
    typist = await league_night(await desks.browser_of(SCORER))
    assert "This night is on record already" in typist.page.main.text
    assert await count(desks) == 2


async def test_what_somebody_changes_while_it_is_looked_at_is_not_sent_unseen(
    desks: Desks,
) -> None:
    await meet(desks)
    typist = await league_night(await desks.browser_of(SCORER))
    looked_at = typist.at.removesuffix("/look")
    other = await Typist.begin(await desks.browser_of(OWNER))
    await other.go(looked_at)
    await other.row(0, 0, "Alice", "2", "12").press("save")
    await typist.send()
    assert typist.at == f"{looked_at}/look?changed=yes"
    assert "after you looked at it, so nothing was sent" in typist.page.main.text
    assert await count(desks) == 1
    assert "12" in [each.text for each in typist.page.main.all("td")]
    await typist.send()
    assert typist.page.main.one("h1").text == "The night is sent"
    assert await count(desks) == 2
