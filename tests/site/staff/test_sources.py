"""Staff suspend sources and change what is said about them, and each act is kept."""

import pytest

from shared.access.sources import KnownSource, list_sources
from tests.ingest.claims import a_round, a_session
from tests.service import bearer
from tests.site.staff.conftest import StaffTown

PATH = "/staff/sources/a-club"
FORM = {"name": "A Club", "type": "club", "region": "west", "limit": "", "invites": "yes"}
FORM |= {"points_sum": "zero"}


async def the_club(staffed: StaffTown) -> KnownSource:
    (club,) = await list_sources(staffed.town.house.pool)
    return club


async def status_of_sending(staffed: StaffTown) -> int:
    body = a_session(a_round({"ann@example.com": 2, "ben@example.com": 1}), on="2026-01-30")
    answer = await staffed.town.running.submit(body, staffed.town.key)
    return answer.status_code


async def test_a_source_is_suspended_and_sends_again(staffed: StaffTown) -> None:
    browser = await staffed.at_desk()
    assert "A Club" in (await browser.page("/staff/sources")).main.text
    for act, status, state in (("suspend", 403, "suspended"), ("resume", 201, "active")):
        answer = await browser.send(f"{PATH}/{act}")
        assert answer.status_code == 303
        assert (await browser.page(answer.headers["location"])).main.all("p", role="status")
        assert state in (await browser.page("/staff/sources")).main.text
        assert await status_of_sending(staffed) == status
    assert await staffed.acts() == [("suspend_source", ["a-club"]), ("resume_source", ["a-club"])]


async def test_region_and_limit_are_changed_and_the_rest_stays(staffed: StaffTown) -> None:
    browser = await staffed.at_desk()
    before = (await the_club(staffed)).details
    answer = await browser.send(PATH, {**FORM, "region": "midwest", "limit": " 1,200 "})
    assert answer.status_code == 303
    after = (await the_club(staffed)).details
    assert (after.region, after.limit_per_minute) == ("midwest", 1200)
    assert (after.name, after.type, after.invites) == (before.name, before.type, before.invites)
    page = await browser.page(PATH)
    assert page.main.one("input", id="limit").attributes["value"] == "1200"
    await browser.send(PATH, {**FORM, "region": "", "invites": "no", "points_sum": "any"})
    after = (await the_club(staffed)).details
    assert (after.region, after.limit_per_minute, after.invites) == (None, None, False)
    assert after.points_sum == "any"
    chosen = [
        each.attributes["value"]
        for each in (await browser.page(PATH)).main.all("input", name="points_sum")
        if "checked" in each.attributes
    ]
    assert chosen == ["any"]
    assert await staffed.acts() == 2 * [("change_source", ["a-club"])]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("name", "x" * 81),
        ("name", "A\u202eClub"),
        ("type", "church"),
        ("region", "the moon"),
        ("limit", "0"),
        ("limit", "1000001"),
        ("limit", "many"),
        ("limit", "9" * 400),
        ("limit", "-1"),
    ],
)
async def test_what_is_wrong_is_said_at_its_field_and_nothing_changes(
    staffed: StaffTown, field: str, value: str
) -> None:
    browser = await staffed.at_desk()
    before = await the_club(staffed)
    answer = await browser.send(PATH, {**FORM, "name": "Another", field: value})
    assert answer.status_code == 422
    assert f'id="{field}-wrong"' in answer.text
    assert f'href="#{field}"' in answer.text
    assert await the_club(staffed) == before


async def test_a_source_that_is_not_there(staffed: StaffTown) -> None:
    browser = await staffed.at_desk()
    for slug in ("no-such-club", "A%00Club", "x" * 300):
        assert (await browser.get(f"/staff/sources/{slug}")).status_code == 404
        for act in ("", "/suspend", "/resume"):
            assert (await browser.send(f"/staff/sources/{slug}{act}", FORM)).status_code == 404
    assert await staffed.acts() == []


async def test_who_is_refused_keeps_reading(staffed: StaffTown) -> None:
    """A suspended source can't send; what it sent before counts as ever."""
    await staffed.town.play({"ann@example.com": 2, "ben@example.com": 1})
    browser = await staffed.at_desk()
    await browser.send(f"{PATH}/suspend")
    key = await staffed.town.running.operator_key()
    ann = await staffed.town.id_of("ann@example.com")
    told = await staffed.town.running.client.get(f"/v1/players/{ann}", headers=bearer(key))
    assert told.json()["games"] > 0
