"""Owners see what was sent to a server and what it answered, and send it again, or a test."""

import json
import re

from services.notices.webhooks.endpoints import new_endpoint_id
from tests.notices.webhooks.receiver import says
from tests.site.desk.webhooks.conftest import WebhookDesk
from tests.site.players.reading import PageRead

HOSTILE = "</code></pre><script>alert(1)</script>\u202egnp.exe\u2066\x1b[31m &amp; ok"


def event_on(page: PageRead) -> dict[str, object]:
    told: dict[str, object] = json.loads(next(page.main.all("pre")).text)
    return told


async def test_a_test_is_sent_once_for_each_form_and_at_most_ten_times_an_hour(
    desk: WebhookDesk,
) -> None:
    here = await desk.add()
    twice = new_endpoint_id()
    for _ in range(2):
        await desk.press(f"{here}/test", test=twice)
    assert await desk.hooked.send_due() == ["delivered"]
    event = desk.receiver.requests[0].event
    assert (event["type"], event["data"]) == ("test", {})
    for _ in range(8):
        await desk.test(here)
    refused = await desk.owner.send(f"{here}/test", {"test": new_endpoint_id()})
    assert refused.status_code == 429
    assert "Ten tests were sent" in PageRead(refused.text).main.one("p", role="alert").text
    assert len(await desk.hooked.send_due()) == 8
    assert (await desk.owner.send(f"{here}/test", {"test": "x"})).status_code == 404


async def test_a_page_shows_what_was_sent_as_it_was_and_what_was_answered(
    desk: WebhookDesk,
) -> None:
    desk.receiver.usual = says(422, "What is this?")
    here = await desk.add()
    await desk.night()
    await desk.hooked.send_due()
    line = (await desk.owner.page(here)).main.one("ul", class_="people").text
    assert "A session was rated" in line
    assert "not taken: the server answered 422" in line
    event = desk.receiver.requests[0].event
    page = await desk.owner.page(f"{here}/events/{event['number']}")
    assert event_on(page) == event
    assert list(page.main.all("pre"))[1].text.strip() == "What is this?"
    assert desk.receiver.requests[0].headers["webhook-id"] in page.main.text
    assert "It is tried again after" in page.main.text


async def test_what_a_hostile_server_says_is_shown_as_plain_text_and_cut(desk: WebhookDesk) -> None:
    here = await desk.add()
    for said in (HOSTILE, "ä" * 600, "\x00\xff"):
        desk.receiver.usual = says(200, said)
        await desk.test(here)
        await desk.hooked.send_due()
    endpoint = await desk.hooked.endpoint(here.rpartition("/")[2])
    numbers = [each.number for each in await desk.hooked.deliveries(endpoint)]
    hostile, long, odd = [
        (await desk.owner.page(f"{here}/events/{each}")) for each in sorted(numbers)
    ]
    assert not list(hostile.main.all("script"))
    said = list(hostile.main.all("pre"))[1].text
    assert "<script>alert(1)</script>[U+202E]gnp.exe[U+2066][U+001B][31m &amp; ok" in said
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", hostile.html)
    assert list(long.main.all("pre"))[1].text.strip() == "ä" * 512
    assert list(odd.main.all("pre"))[1].text.strip() == "\N{REPLACEMENT CHARACTER}ÿ"


async def test_one_event_or_all_since_a_number_are_sent_again(desk: WebhookDesk) -> None:
    here = await desk.add()
    for month in (1, 2, 3):
        await desk.night(f"2026-0{month}-01")
    await desk.hooked.send_due()
    first, second, third = sorted(each.event["number"] for each in desk.receiver.requests)
    path = f"{here}/events/{second}"
    page = await desk.owner.page(path)
    page.main.one("form", action=f"{path}/again")
    await desk.press(f"{path}/again")
    assert "It is sent again now" in (await desk.owner.page(f"{path}?done=again")).main.text
    await desk.hooked.send_due()
    await desk.press(f"{here}/since", number=f" {second} ")
    await desk.hooked.send_due()
    again = [each.event["number"] for each in desk.receiver.requests[3:]]
    assert again[0] == second
    assert sorted(again[1:]) == [second, third]
    for wrong in ("", "one", "-1", "1.5", "9" * 19):
        refused = await desk.owner.send(f"{here}/since", {"number": wrong})
        assert refused.status_code == 422
        assert "#number" in PageRead(refused.text).main.links()
    for nothing in (f"{here}/events/{third + 1}", f"{here}/events/x", f"{here}/events/{'9' * 30}"):
        assert (await desk.owner.get(nothing)).status_code == 404
        assert (await desk.owner.send(f"{nothing}/again")).status_code == 404
    assert first < second


async def test_a_player_who_becomes_private_is_gone_from_what_is_shown(desk: WebhookDesk) -> None:
    here = await desk.add()
    await desk.night()
    await desk.hooked.send_due()
    pool, ann = desk.desks.town.house.pool, await desk.desks.town.id_of("ann@example.com")
    number = desk.receiver.requests[0].event["number"]
    # As it is of a session that somebody else sent: she was shown because everybody saw her.
    await pool.execute("UPDATE mahjic.notices SET shown_ids = ARRAY[$1]", ann)
    assert ann in (await desk.owner.page(f"{here}/events/{number}")).main.text
    await desk.hooked.town.hide("ann@example.com")
    page = await desk.owner.page(f"{here}/events/{number}")
    assert ann not in page.html
    assert await desk.desks.town.id_of("ben@example.com") in page.main.text


async def test_many_events_come_in_pages_the_newest_first(desk: WebhookDesk) -> None:
    here = await desk.add()
    await desk.desks.town.house.pool.execute(
        "INSERT INTO mahjic.webhook_deliveries (endpoint_id, number) "
        "SELECT $1, n FROM generate_series(1, 45) AS n",
        here.rpartition("/")[2],
    )
    shown, path = [], here
    while path:
        page = await desk.owner.page(path)
        links = page.main.links()
        shown.append([int(each.rpartition("/")[2]) for each in links if "/events/" in each])
        path = next((each for each in links if each.startswith(f"{here}?before=")), "")
    assert shown == [[*range(45, 25, -1)], [*range(25, 5, -1)], [*range(5, 0, -1)]]
    assert "There is nothing older" in (await desk.owner.page(f"{here}?before=1")).main.text
    assert "45 ·" in (await desk.owner.page(f"{here}?before=nonsense")).main.text


async def test_everything_is_not_sent_again_without_pause(desk: WebhookDesk) -> None:
    here = await desk.add()
    answers = [await desk.owner.send(f"{here}/since", {"number": "1"}) for _ in range(11)]
    assert [each.status_code for each in answers] == [*[303] * 10, 429]
    # It is said where it was pressed, beside what was typed.
    page = PageRead(answers[-1].text)
    assert "ten times in the last hour" in page.main.text
    assert page.main.one("input", name="number").attributes["value"] == "1"
