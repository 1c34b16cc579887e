"""Merges, their ends and seats: what is shown before is what happens, once, and never unseen."""

from collections.abc import Mapping
from urllib.parse import urlencode

import pytest

from services.ingest.changes.shown_first import since
from tests.ingest.changes.asking import caught_up
from tests.site.desk.typing import fields_of
from tests.site.me.conftest import Member
from tests.site.players.reading import PageRead
from tests.site.staff.conftest import StaffTown

ANN, ANN_2, BEN, CAL = (f"{name}@example.com" for name in ("ann", "ann.two", "ben", "cal"))


async def two_of_one(staffed: StaffTown) -> tuple[str, str]:
    """Let somebody play by two addresses, and never with herself."""
    town = staffed.town
    await town.play({ANN: 3, BEN: 1}, on="2026-01-10")
    await town.play({ANN_2: 0, BEN: 2, CAL: 1}, on="2026-01-11")
    await town.play({ANN: 1, CAL: 1}, on="2026-01-12")
    await caught_up(town.running)
    return await town.id_of(ANN), await town.id_of(ANN_2)


def moves(page: PageRead) -> Mapping[str, tuple[str, ...]]:
    """Return the figures that a page shows, by player."""
    (table,) = page.main.all("table", class_="moves")
    return {row[0]: tuple(row[1:]) for row in table.rows() if row[0].startswith("MJ-")}


async def standing(staffed: StaffTown, players: list[str]) -> dict[str, tuple[str, str]]:
    """Return rating and games of players, as everyone reads them."""
    found = {}
    for each in players:
        answer = await staffed.town.running.client.get(f"/v1/players/{each}")
        told = answer.json()
        found[each] = (f"{told['rating']:.2f}", str(told["games"]))
    return found


async def press(browser: Member, page: PageRead) -> str:
    """Press the only button that sends something, and return where that leads."""
    (form,) = [each for each in page.main.all("form") if each.attributes.get("method") == "post"]
    answer = await browser.send(form.attributes["action"], fields_of(form))
    assert answer.status_code == 303, (answer.status_code, answer.text)
    return answer.headers["location"]


async def test_a_merge_does_what_was_shown_once_and_so_does_its_end(staffed: StaffTown) -> None:
    ann, other = await two_of_one(staffed)
    everybody = [ann, await staffed.town.id_of(BEN), await staffed.town.id_of(CAL)]
    browser = await staffed.at_desk()
    before = await standing(staffed, everybody)
    page = await browser.page(f"/staff/players/{other}/merge?into={ann}")
    shown = moves(page)
    assert {each: row[0] for each, row in shown.items() if each in everybody} == {
        each: before[each][0] for each in everybody if each in shown
    }
    assert await press(browser, page) == f"/staff/players/{ann}?done=merged"
    await caught_up(staffed.town.running)
    after = await standing(staffed, everybody)
    assert {each: (row[1], row[4]) for each, row in shown.items() if each in everybody} == {
        each: after[each] for each in everybody if each in shown
    }
    assert ann in shown
    # Pressed again, it is done once.
    assert await press(browser, page) == f"/staff/players/{ann}?done=merged"
    pool = staffed.town.house.pool
    count = "SELECT fact_seq FROM mahjic.head"
    end = await pool.fetchval(count)
    page = await browser.page(f"/staff/players/{other}/unmerge")
    back = moves(page)
    assert {each: (row[1], row[4]) for each, row in back.items() if each in everybody} == {
        each: before[each] for each in everybody if each in back
    }
    for _ in range(2):
        assert await press(browser, page) == f"/staff/players/{other}?done=unmerged"
    await caught_up(staffed.town.running)
    assert await standing(staffed, everybody) == before
    assert await pool.fetchval(count) == end + 1
    assert [act for act, _ in await staffed.acts()] == 2 * ["merge_players"] + 2 * [
        "unmerge_player"
    ]


async def test_who_was_merged_with_somebody_else_meanwhile_is_asked_about_again(
    staffed: StaffTown,
) -> None:
    ann, other = await two_of_one(staffed)
    await staffed.town.play({"dee@example.com": 1, "eve@example.com": 1}, on="2026-01-13")
    await caught_up(staffed.town.running)
    browser = await staffed.at_desk()
    await press(browser, await browser.page(f"/staff/players/{other}/merge?into={ann}"))
    old = await browser.page(f"/staff/players/{other}/unmerge")
    await press(browser, old)
    dee = await staffed.town.id_of("dee@example.com")
    await press(browser, await browser.page(f"/staff/players/{other}/merge?into={dee}"))
    # The old page would undo a merge that it never showed.
    at = await press(browser, old)
    assert at.startswith(f"/staff/players/{other}/unmerge?after=")
    page = await browser.page(at)
    assert f"{other} and {dee} would be two players again" in page.main.text


async def test_if_the_record_moved_meanwhile_it_is_asked_again(staffed: StaffTown) -> None:
    ann, other = await two_of_one(staffed)
    browser = await staffed.at_desk()
    path = f"/staff/players/{other}/merge?into={ann}"
    old = await browser.page(path)
    # What has nothing to do with the two changes nothing.
    await staffed.town.play({"dee@example.com": 1, "eve@example.com": 1}, on="2026-01-13")
    await staffed.town.play({ANN: 4, CAL: 1}, on="2026-01-14")
    await caught_up(staffed.town.running)
    at = await press(browser, old)
    assert at.startswith(f"{path}&after=")
    assert await staffed.acts() == []
    page = await browser.page(at)
    assert "something was recorded that affects this" in page.main.text
    assert moves(page) != moves(old)
    assert await press(browser, page) == f"/staff/players/{ann}?done=merged"


async def test_whoever_looked_long_ago_looks_again(
    staffed: StaffTown, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, other = await two_of_one(staffed)
    browser = await staffed.at_desk()
    page = await browser.page(f"/staff/players/{other}/merge?into={ann}")
    await staffed.town.play({"dee@example.com": 1, "eve@example.com": 1}, on="2026-01-13")
    monkeypatch.setattr(since, "FACTS_SINCE_MAX", 0)
    assert "moved=yes" in await press(browser, page)
    assert await staffed.acts() == []


async def test_what_does_not_bear_on_it_changes_nothing(staffed: StaffTown) -> None:
    ann, other = await two_of_one(staffed)
    browser = await staffed.at_desk()
    page = await browser.page(f"/staff/players/{other}/merge?into={ann}")
    await staffed.town.play({"dee@example.com": 1, "eve@example.com": 1}, on="2026-01-13")
    assert await press(browser, page) == f"/staff/players/{ann}?done=merged"


@pytest.mark.parametrize("as_of", ["", "0", "-1", "x", "999999999999999999", "9" * 40])
async def test_nothing_is_changed_that_was_not_shown(staffed: StaffTown, as_of: str) -> None:
    ann, other = await two_of_one(staffed)
    browser = await staffed.at_desk()
    form = {"into": ann, "as_of": as_of}
    answer = await browser.send(f"/staff/players/{other}/merge", form)
    assert "moved=yes" in answer.headers["location"]
    assert (await browser.get(answer.headers["location"])).status_code == 200
    assert await staffed.acts() == []


async def test_who_sat_at_one_table_is_not_merged(staffed: StaffTown) -> None:
    ann, _ = await two_of_one(staffed)
    ben = await staffed.town.id_of(BEN)
    browser = await staffed.at_desk()
    page = await browser.page(f"/staff/players/{ann}/merge?into={ben}")
    assert "They sat at the same table" in page.main.text
    assert not [each for each in page.main.all("form") if each.attributes["method"] == "post"]
    for into in (ann, "MJ-0000001Y"):
        status = (await browser.get(f"/staff/players/{ann}/merge?into={into}")).status_code
        assert status == (200 if into == ann else 404)
    assert (await browser.get(f"/staff/players/{ann}/merge?into=nobody")).status_code == 422
    assert (await browser.get(f"/staff/players/{ann}/unmerge")).status_code == 409


async def test_seats_go_to_somebody_else_as_shown(staffed: StaffTown) -> None:
    ann, _ = await two_of_one(staffed)
    cal, ben = await staffed.town.id_of(CAL), await staffed.town.id_of(BEN)
    browser = await staffed.at_desk()
    path = f"/staff/players/{ann}/reseat"
    page = await browser.page(path)
    (form,) = page.main.all("form")
    boxes = [each.attributes["value"] for each in form.all("input", name="session")]
    assert len(boxes) == 2
    for asked in ([("to", cal)], [("session", boxes[1])], [("to", "x"), ("session", boxes[1])]):
        status = (await browser.get(f"{path}?{urlencode(asked)}")).status_code
        assert status == (200 if asked[0][0] == "session" else 422)
    end = await staffed.town.house.pool.fetchval("SELECT fact_seq FROM mahjic.head")
    for none in ("", "x", " ", "ses_"):
        answer = await browser.send(path, {"to": cal, "sessions": none, "as_of": str(end)})
        assert answer.status_code == 303
        asked_again = await browser.get(answer.headers["location"])
        assert (asked_again.status_code, "sessions-wrong" in asked_again.text) == (422, True)
    assert await staffed.acts() == []
    # The older one was with Ben alone, so Cal can have sat there.
    page = await browser.page(f"{path}?{urlencode([('to', cal), ('session', boxes[1])])}")
    shown = moves(page)
    assert await press(browser, page) == f"/staff/players/{ann}?done=reseated"
    await caught_up(staffed.town.running)
    after = await standing(staffed, [ann, ben, cal])
    assert {each: (row[1], row[4]) for each, row in shown.items() if each in after} == {
        each: told for each, told in after.items() if each in shown
    }
    assert {ann, cal} <= set(shown)
    assert await staffed.acts() == [("reassign_seats", [ann, cal, boxes[1]])]
    # In the other one Cal sat beside her.
    page = await browser.page(f"{path}?{urlencode([('to', cal), ('session', boxes[0])])}")
    assert "does not allow this" in page.main.text
