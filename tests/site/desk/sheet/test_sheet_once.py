"""A sheet counts once, whatever happens on its way, and what was mended is never lost."""

import asyncio
import json

import pytest

from tests.service import bearer
from tests.sheets.sheets import FIELD_CSV
from tests.site.desk.conftest import CLUB, OTHER, OWNER, SCORER, Desks
from tests.site.desk.sheet.uploading import MENDED, TYPED, WRONG, Uploader, book_of
from tests.site.desk.test_night import count
from tests.site.desk.typing import fields_of
from tests.site.players.reading import PageRead

SENDING = """
UPDATE mahjic.night_drafts SET state = 'sending', sending = $1 WHERE state = 'open'
"""


async def test_pressed_twice_and_from_two_tabs_it_counts_once(desks: Desks) -> None:
    browser = await desks.browser_of(SCORER)
    uploader = await Uploader.of(browser, FIELD_CSV)
    send = uploader.form_with("Send it").attributes["action"]
    answers = await asyncio.gather(*[browser.send(send, {"as": "new"}) for _ in range(4)])
    assert {answer.status_code for answer in answers} == {303}
    assert len({answer.headers["location"] for answer in answers}) == 1
    assert await count(desks) == 1
    # From every page that is still open one gets to what was sent.
    assert await browser.leads_to(uploader.at) == answers[0].headers["location"]
    late = await browser.send(uploader.at, {"c-1-A": "x", "do": "look"})
    assert late.headers["location"] == uploader.at
    # The file of the same night again is known as such.
    again = await Uploader.of(browser, FIELD_CSV)
    assert "This night is on record already" in again.page.main.text
    await again.send("It is the same night: don’t send the sheet")
    assert await count(desks) == 1


async def test_what_broke_off_on_its_way_is_sent_again_and_counts_once(desks: Desks) -> None:
    browser = await desks.browser_of(SCORER)
    uploader = await Uploader.of(browser, FIELD_CSV)
    tried = await desks.town.running.client.post(
        "/v1/sheets?dry_run=true",
        content=FIELD_CSV,
        headers={**bearer(desks.town.key), "Content-Type": "text/csv"},
    )
    going = {"claim": tried.json()["claim"], "send_as": "new", "corrects": ""}
    going["is_whole_night"] = True
    await desks.town.house.pool.execute(SENDING, json.dumps(going))
    await uploader.go(uploader.at)
    assert "while this night was on its way" in uploader.page.main.text
    await uploader.send("Send it again")
    assert uploader.page.main.one("h1").text == "The night is sent"
    assert await count(desks) == 1


async def test_what_was_mended_is_found_on_another_device_and_by_another_member(
    desks: Desks,
) -> None:
    uploader = await Uploader.of(await desks.browser_of(SCORER), book_of(*WRONG))
    await uploader.type(TYPED).press("look")
    owner = await Uploader.begin(await desks.browser_of(OWNER))
    desk = await owner.browser.page(f"/desk/{CLUB}")
    assert uploader.at in desk.main.links()
    assert uploader.at in owner.page.main.links()
    await owner.go(uploader.at)
    assert owner.typed["c-7-A"] == "bea@ex.com"
    # Both change it: nobody's words are lost, and each has their own.
    await owner.type({"c-6-B": "3"}).press("look")
    await uploader.type({"c-6-B": "1"}).press("look")
    assert uploader.draft_id != owner.draft_id
    assert "Somebody else changed the same sheet" in uploader.page.main.text
    assert uploader.typed["c-6-B"] == "1"
    await owner.go(owner.at)
    assert owner.typed["c-6-B"] == "3"


async def test_a_button_pressed_twice_adds_one_row(desks: Desks) -> None:
    browser = await desks.browser_of(SCORER)
    uploader = await Uploader.of(browser, book_of(*WRONG))
    sent = {**uploader.typed, "row": "9", "do": "insert"}
    for _ in range(2):
        answer = await browser.send(uploader.at, sent)
        assert answer.headers["location"].partition("?")[0] == uploader.at
    await uploader.go(uploader.at)
    assert (uploader.typed["c-10-A"], uploader.typed["c-11-A"]) == ("", "Total")
    assert await desks.town.house.pool.fetchval("SELECT count(*) FROM mahjic.night_drafts") == 1


async def test_an_ended_login_gives_back_what_was_mended(desks: Desks) -> None:
    browser = await desks.browser_of(SCORER)
    uploader = await Uploader.of(browser, book_of(*WRONG))
    uploader.type({"c-7-A": '"><b>bea@ex.com'})
    await desks.town.house.pool.execute("DELETE FROM mahjic.logins")
    answer = await browser.send(uploader.at, {**uploader.typed, "do": "look"})
    assert answer.status_code == 401
    (form,) = [each for each in PageRead(answer.text).main.all("form") if list(each.all("button"))]
    held = fields_of(form)
    assert held["c-7-A"] == '"><b>bea@ex.com'
    await browser.log_in(SCORER)
    again = await browser.send(form.attributes["action"], held)
    await uploader.go(again.headers["location"])
    assert uploader.typed["c-7-A"] == '"><b>bea@ex.com'


@pytest.mark.parametrize("way", ["grown", "slip"])
async def test_a_night_that_is_on_record_in_another_way_is_asked_about(
    desks: Desks, way: str
) -> None:
    browser = await desks.browser_of(SCORER)
    rows = [list(each) for each in MENDED]
    if way == "grown":
        first = rows[:16]
    else:
        first = [list(each) for each in rows]
        first[5][1], first[6][1] = 1, 2
    await (await Uploader.of(browser, book_of(*first))).send()
    uploader = await Uploader.of(browser, book_of(*rows))
    assert "Is this night on record already?" in uploader.page.main.text
    await uploader.send("The sheet is right: replace what is on record")
    rows_of = "SELECT status FROM mahjic.submissions ORDER BY fact_seq"
    states = [row["status"] for row in await desks.town.house.pool.fetch(rows_of)]
    assert len(states) == 2
    page = await browser.get(f"/desk/{CLUB}/sheet")
    assert "not sent yet" not in page.text
    # What counts now is the sheet.
    again = await Uploader.of(browser, book_of(*rows))
    assert "This night is on record already" in again.page.main.text


async def test_the_same_people_may_have_played_twice(desks: Desks) -> None:
    browser = await desks.browser_of(SCORER)
    rows = [list(each) for each in MENDED]
    await (await Uploader.of(browser, book_of(*rows))).send()
    rows[5][1], rows[6][1] = 1, 2
    uploader = await Uploader.of(browser, book_of(*rows))
    assert "Is this night on record already?" in uploader.page.main.text
    await uploader.send("Both were played: send the sheet as well")
    assert await count(desks) == 2


async def test_a_night_that_another_club_has_sent_is_refused_in_words(desks: Desks) -> None:
    key = await desks.town.running.source_key(OTHER)
    told = await desks.town.running.client.post(
        "/v1/sheets",
        content=FIELD_CSV,
        headers={**bearer(key), "Content-Type": "text/csv"},
    )
    assert told.status_code == 201, told.text
    uploader = await Uploader.of(await desks.browser_of(SCORER), FIELD_CSV)
    send = uploader.form_with("Send it").attributes["action"]
    answer = await uploader.browser.send(send, {"as": "new"})
    assert answer.status_code == 409
    uploader.page = PageRead(answer.text)
    assert "Another club has sent a round of this night" in uploader.page.main.text
    assert "allow_duplicate" not in answer.text
    assert await count(desks) == 0
    await uploader.send("It really was played: send it")
    assert await count(desks) == 1


async def test_games_that_do_not_add_up_are_told_in_the_words_of_the_sheet(desks: Desks) -> None:
    rows = [list(each) for each in MENDED]
    rows[5][1] = 1
    uploader = await Uploader.of(await desks.browser_of(SCORER), book_of(*rows))
    assert uploader.mistakes() == [
        ("Row 4", "3 mahjongs and 0 wall games make 3, but Games Played is 4.")
    ]


async def test_what_somebody_mends_while_it_is_looked_at_is_not_sent_unseen(desks: Desks) -> None:
    uploader = await Uploader.of(await desks.browser_of(SCORER), book_of(*MENDED))
    owner = await Uploader.begin(await desks.browser_of(OWNER))
    await owner.go(f"{uploader.at}?part=1")
    await owner.type({"c-13-B": "2", "c-14-B": "0"}).press("look")
    assert owner.at.partition("?")[0] == uploader.at
    await uploader.send()
    assert uploader.at.endswith("?changed=yes")
    assert "after you looked at it, so nothing was sent" in uploader.page.main.text
    assert await count(desks) == 0
    await uploader.send()
    assert uploader.page.main.one("h1").text == "The night is sent"
    assert await count(desks) == 1
