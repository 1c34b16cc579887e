"""Voiding many sessions: which they are and what moves is shown first, and it happens once."""

from typing import Final
from urllib.parse import urlencode

import pytest

from tests.ingest.changes.asking import caught_up, void
from tests.site.desk.conftest import OTHER
from tests.site.desk.typing import fields_of
from tests.site.players.reading import PageRead
from tests.site.staff.conftest import StaffTown
from tests.site.staff.test_changes_of_the_past import moves, press, standing

ANN, BEN, CAL = (f"{name}@example.com" for name in ("ann", "ben", "cal"))
PATH: Final = "/staff/void"
JANUARY: Final = {"source": "a-club", "from": "2026-01-05", "to": "2026-01-20"}


async def some_nights(staffed: StaffTown) -> dict[str, str]:
    """Let two sources send nights; return them by their days."""
    town = staffed.town
    other = await town.running.source_key(OTHER, kind="league")
    nights = {}
    for day, key, people in [
        ("2026-01-01", town.key, {ANN: 2, BEN: 1}),
        ("2026-01-10", town.key, {ANN: 3, BEN: 1}),
        ("2026-01-11", town.key, {BEN: 2, CAL: 1}),
        ("2026-01-12", other, {ANN: 4, CAL: 1}),
        ("2026-02-01", town.key, {ANN: 1, CAL: 1}),
    ]:
        told = await town.play(people, on=day, key=key)
        nights[day] = told["session_id"]
    await caught_up(town.running)
    return nights


def asking(**fields: str) -> str:
    return f"{PATH}?{urlencode({**fields, 'reason': fields.get('reason', 'test_entry')})}"


def named(page: PageRead) -> set[str]:
    return {row[0] for table in page.main.all("table") for row in table.rows()} & {
        row[0] for table in page.main.all("table") for row in table.rows() if "ses_" in row[0]
    }


async def statuses(staffed: StaffTown) -> dict[str, str]:
    rows = await staffed.town.house.pool.fetch("SELECT session_id, status FROM mahjic.submissions")
    return {row["session_id"]: row["status"] for row in rows}


async def test_what_was_shown_is_voided_once(staffed: StaffTown) -> None:
    nights = await some_nights(staffed)
    meant = {nights["2026-01-10"], nights["2026-01-11"]}
    everybody = [await staffed.town.id_of(each) for each in (ANN, BEN, CAL)]
    browser = await staffed.at_desk()
    page = await browser.page(asking(**JANUARY))
    assert named(page) == meant
    assert set((await statuses(staffed)).values()) == {"accepted"}
    shown = moves(page)
    assert await press(browser, page) == f"{PATH}?voided=2"
    await caught_up(staffed.town.running)
    assert {each for each, told in (await statuses(staffed)).items() if told == "voided"} == meant
    after = await standing(staffed, everybody)
    assert {each: (row[1], row[4]) for each, row in shown.items()} == {
        each: after[each] for each in shown
    }
    # Pressed again, or after a line that broke: one fact, and the same answer.
    assert await press(browser, page) == f"{PATH}?voided=2"
    pool = staffed.town.house.pool
    assert await pool.fetchval("SELECT fact_seq FROM mahjic.head") == 1 + 5 + 1
    page = await browser.page(asking(**JANUARY))
    assert "No session that counts" in page.main.text
    acts = await staffed.acts()
    assert [(act, set(about)) for act, about in acts] == 2 * [("void_sessions", meant)]


async def test_sessions_are_chosen_by_player_as_well(staffed: StaffTown) -> None:
    nights = await some_nights(staffed)
    browser = await staffed.at_desk()
    ann = await staffed.town.id_of(ANN)
    of_ann = {nights[day] for day in ("2026-01-01", "2026-01-10", "2026-01-12", "2026-02-01")}
    assert named(await browser.page(asking(player=ann))) == of_ann
    of_club = of_ann - {nights["2026-01-12"]}
    assert named(await browser.page(asking(player=ann, source="a-club"))) == of_club
    day = {"from": "2026-01-10", "to": "2026-01-10"}
    assert named(await browser.page(asking(player=ann, **day))) == {nights["2026-01-10"]}


@pytest.mark.parametrize("change", ["another night", "one is gone", "a number", "another mark"])
async def test_if_the_record_moved_meanwhile_it_is_asked_again(
    staffed: StaffTown, change: str
) -> None:
    nights = await some_nights(staffed)
    browser = await staffed.at_desk()
    page = await browser.page(asking(**JANUARY))
    form = page.main.one("form", class_="login")
    sent = fields_of(form)
    if change == "another night":
        await staffed.town.play({ANN: 1, BEN: 1}, on="2026-01-15")
    elif change == "one is gone":
        await void(staffed.town.running, nights["2026-01-10"], staffed.town.key)
    elif change == "a number":
        sent["as_of"] = "many"
    else:
        sent["mark"] = "0" * 32
    await caught_up(staffed.town.running)
    before = await statuses(staffed)
    answer = await browser.send(PATH, sent)
    at = answer.headers["location"]
    assert "moved=yes" in at
    again = await browser.page(at)
    assert "something was recorded that affects this" in again.main.text
    assert await statuses(staffed) == before
    assert await staffed.acts() == []
    assert (await press(browser, again)).startswith(f"{PATH}?voided=")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("source", ""),
        ("source", "A Club"),
        ("source", "x' OR 1=1 --"),
        ("player", "ann"),
        ("from", "10.1.2026"),
        ("to", "2026-01-04"),
        ("to", "2026-02-30"),
        ("reason", "because"),
        ("reason", ""),
    ],
)
async def test_what_is_wrong_is_said_and_nothing_is_voided(
    staffed: StaffTown, field: str, value: str
) -> None:
    browser = await staffed.at_desk()
    fields = {**JANUARY, "reason": "test_entry", field: value}
    answer = await browser.get(f"{PATH}?{urlencode(fields)}")
    assert (answer.status_code, f'id="{field}-wrong"' in answer.text) == (422, True)
    sent = await browser.send(PATH, {**fields, "as_of": "1", "mark": ""})
    assert sent.status_code == 303
    assert "voided" not in sent.headers["location"]
    assert await staffed.acts() == []


async def test_a_source_without_sessions(staffed: StaffTown) -> None:
    browser = await staffed.at_desk()
    for fields in ({"source": "no-such-club"}, {"player": "MJ-0000001Y"}):
        page = await browser.page(asking(**fields))
        assert "No session that counts" in page.main.text
