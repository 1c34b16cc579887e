"""Staff try a formula on all that is on record, and adopt it as it was shown, once."""

from dataclasses import replace
from datetime import date
from typing import Any

import orjson
from hypothesis import given
from hypothesis import strategies as st

from services.site.staff.at_staff import StaffRoom
from shared.papers.drawing import BARS, bars_of
from shared.proposals.proposal import Outcome
from shared.proposals.shelf import ProposalShelf, ShelvedProposal, read_shelf
from shared.rating.registry import Formula, formula_named
from tests.conftest import Database
from tests.ingest.changes.asking import caught_up
from tests.site.desk.typing import fields_of
from tests.site.staff.conftest import StaffTown, a_staff_town
from tests.site.staff.test_changes_of_the_past import moves, standing

ANN, BEN, CAL = (f"{name}@example.com" for name in ("ann", "ben", "cal"))
NAME = "mahjic-elo/2-scaled"
PATH = f"/staff/formulas/try?formula={NAME}"


async def some_nights(staffed: StaffTown) -> list[str]:
    for day, people in enumerate([{ANN: 3, BEN: 1, CAL: 0}, {ANN: 0, BEN: 2}, {BEN: 1, CAL: 4}]):
        await staffed.town.play(people, on=f"2026-01-{day + 10}")
    await caught_up(staffed.town.running)
    return [await staffed.town.id_of(each) for each in (ANN, BEN, CAL)]


async def adopt(staffed: StaffTown, browser: Any, page: Any, since: str, **chosen: str) -> str:
    (form,) = [each for each in page.main.all("form") if each.attributes["method"] == "post"]
    sent = {**fields_of(form), "since": since, **chosen}
    answer = await browser.send(form.attributes["action"], sent)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


async def test_a_formula_is_tried_and_adopted_as_shown(staffed: StaffTown) -> None:
    everybody = await some_nights(staffed)
    browser = await staffed.at_desk()
    assert NAME in (await browser.page("/staff/formulas")).main.text
    before = await standing(staffed, everybody)
    page = await browser.page(PATH)
    shown = moves(page)
    assert {each: row[0] for each, row in shown.items()} == {
        each: before[each][0] for each in everybody
    }
    for words in ("Log loss", "Brier score", "9 of 10, at most", "On all 3 rounds on record"):
        assert words in page.main.text
    assert len(list(page.main.all("svg"))) == 2
    assert await standing(staffed, everybody) == before
    assert await adopt(staffed, browser, page, "beginning") == "/staff/formulas?done=beginning"
    await caught_up(staffed.town.running)
    after = await standing(staffed, everybody)
    assert {each: row[1] for each, row in shown.items()} == {
        each: after[each][0] for each in everybody
    }
    assert await adopt(staffed, browser, page, "beginning") == "/staff/formulas?done=beginning"
    pool = staffed.town.house.pool
    assert await pool.fetchval("SELECT count(*) FROM mahjic.formulas") == 2
    assert await staffed.acts() == 2 * [("adopt_formula_from_beginning", [NAME])]


async def test_from_now_on_nobody_moves(staffed: StaffTown) -> None:
    everybody = await some_nights(staffed)
    browser = await staffed.at_desk()
    before = await standing(staffed, everybody)
    page = await browser.page(PATH)
    # A night that comes in between is none of the trial's business.
    await staffed.town.play({"dee@example.com": 1, "eve@example.com": 1}, on="2026-01-20")
    assert await adopt(staffed, browser, page, "now") == "/staff/formulas?done=now"
    await caught_up(staffed.town.running)
    assert await standing(staffed, everybody) == before
    assert (await browser.page("/staff/formulas")).main.text.count("in use") == 1


async def test_if_the_past_moved_meanwhile_it_is_asked_again(staffed: StaffTown) -> None:
    await some_nights(staffed)
    browser = await staffed.at_desk()
    page = await browser.page(PATH)
    await adopt(
        staffed,
        browser,
        await browser.page("/staff/formulas/try?formula=mahjic-elo/1"),
        "beginning",
    )
    at = await adopt(staffed, browser, page, "beginning")
    assert "moved=yes" in at
    again = await browser.page(at)
    assert "something was recorded that affects this" in again.main.text
    assert await adopt(staffed, browser, again, "beginning") == "/staff/formulas?done=beginning"


async def test_what_is_no_formula_is_not_tried(staffed: StaffTown) -> None:
    browser = await staffed.at_desk()
    for name in ("", "mahjic-elo/99", "x" * 3000, "%00"):
        assert (await browser.get(f"/staff/formulas/try?formula={name}")).status_code == 404
        form = {"formula": name, "since": "now", "proposal": "none", "as_of": "1"}
        assert (await browser.send("/staff/formulas/adopt", form)).status_code == 404
    form = {"formula": NAME, "since": "yesterday", "proposal": "none", "as_of": "1"}
    answer = await browser.send("/staff/formulas/adopt", form)
    assert answer.headers["location"].startswith("/staff/formulas/try?")
    assert await staffed.acts() == []


def decided(number: str, formula: Formula, outcome: Outcome) -> ShelvedProposal:
    """Return the first proposal as if it proposed a formula, and was decided."""
    first = read_shelf().proposals[-1]
    proposal = replace(
        first.proposal,
        number=number,
        title=f"Why {formula.name}",
        state="decided",
        opened=date(2026, 1, 5),
        discussion="https://example.org/1",
        decided=date(2026, 3, 2),
        outcome=outcome,
    )
    return replace(first, proposal=proposal, parameters=formula.rules)


def put_on_shelf(staffed: StaffTown, *proposals: ShelvedProposal) -> None:
    """Let the staff desk know these proposals and no others."""
    ports = staffed.town.running.app.state.ports
    room = ports[StaffRoom]
    formulas = replace(room.formulas, shelf=ProposalShelf(proposals))
    ports[StaffRoom] = replace(room, formulas=formulas)


async def last_adoption(staffed: StaffTown) -> tuple[str, str | None]:
    """Return which formula the last adoption is of, and which proposal it names."""
    body = await staffed.town.house.pool.fetchval(
        "SELECT body FROM mahjic.facts JOIN mahjic.formulas ON fact_seq = seq "
        "ORDER BY seq DESC LIMIT 1"
    )
    event = orjson.loads(body)["data"]
    return event["formula"], event.get("proposal")


async def test_an_adoption_names_the_proposal_that_was_chosen(staffed: StaffTown) -> None:
    await some_nights(staffed)
    tried, other = formula_named(NAME), formula_named("mahjic-elo/1")
    put_on_shelf(
        staffed,
        decided("0005", other, "adopted"),
        decided("0004", tried, "declined"),
        decided("0003", tried, "adopted"),
        decided("0002", tried, "adopted"),
    )
    browser = await staffed.at_desk()
    page = await browser.page(PATH)
    assert "Which proposal led to it?" in page.main.text
    assert f"0003: Why {NAME}" in page.main.text
    assert "Adopted on Mar 2, 2026." in page.main.text
    choices = [
        each.attributes["value"]
        for each in page.main.all("input")
        if each.attributes["name"] == "proposal"
    ]
    assert choices == ["0003", "0002", "none"]
    # Not chosen, declined, of another formula, unknown: it is asked again, and nothing happens.
    for wrong in ("", "0004", "0005", "0009", "%00"):
        at = await adopt(staffed, browser, page, "now", proposal=wrong)
        assert at.startswith("/staff/formulas/try?"), wrong
    assert await staffed.acts() == []
    for _ in range(2):
        at = await adopt(staffed, browser, page, "now", proposal="0002")
        assert at == "/staff/formulas?done=now"
    assert await last_adoption(staffed) == (NAME, "0002")
    pool = staffed.town.house.pool
    assert await pool.fetchval("SELECT count(*) FROM mahjic.formulas") == 2


async def test_a_formula_that_no_proposal_led_to_is_adopted_without_one(
    staffed: StaffTown,
) -> None:
    await some_nights(staffed)
    browser = await staffed.at_desk()
    page = await browser.page(PATH)
    assert "The record will name no proposal" in page.main.text
    assert "/governance" in page.main.links()
    assert "try?" in await adopt(staffed, browser, page, "now", proposal="0001")
    put_on_shelf(staffed, decided("0002", formula_named(NAME), "adopted"))
    page = await browser.page(PATH)
    assert "The record will name no proposal." in page.main.text
    assert await adopt(staffed, browser, page, "now", proposal="none") == (
        "/staff/formulas?done=now"
    )
    assert await last_adoption(staffed) == (NAME, None)


async def test_a_record_that_is_too_long_is_said_plainly(database: Database) -> None:
    async with a_staff_town(database, replayed_rounds_max=2) as staffed:
        ann, ben, _ = await some_nights(staffed)
        browser = await staffed.at_desk()
        page = await browser.page(PATH)
        assert "too long to try this here" in page.main.text
        void = await browser.page("/staff/void?source=a-club&reason=test_entry")
        assert "too long to try this here" in void.main.text
        for each in (page, void):
            assert not [f for f in each.main.all("form") if f.attributes["method"] == "post"]
        assert (
            "sat at the same table"
            in (await browser.page(f"/staff/players/{ann}/merge?into={ben}")).main.text
        )


@given(st.lists(st.integers(-(10**7), 10**7), max_size=60))
def test_bars_hold_every_move_where_it_belongs(moves_centi: list[int]) -> None:
    bars = bars_of(moves_centi)
    assert sum(each.players for each in bars) == len(moves_centi)
    if not moves_centi:
        return
    assert len(bars) == BARS
    assert bars[0].low == -bars[-1].high
    for bar in bars:
        inside = sum(100 * bar.low < each < 100 * bar.high for each in moves_centi)
        around = sum(100 * bar.low <= each <= 100 * bar.high for each in moves_centi)
        assert inside <= bar.players <= around
