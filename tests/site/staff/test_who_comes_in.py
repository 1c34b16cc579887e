"""Who gets to which page of the staff desk: each page of the table, tried by all who may not."""

from collections.abc import Mapping

import pytest

from services.site.api import SITE_ROUTES
from services.site.staff.at_staff import STAFF_PATH
from services.site.staff.routes import STAFF_PAGES
from services.site.staff.staff_table import StaffPage
from tests.db.rows import rows_by_table
from tests.site.desk.typing import fields_of
from tests.site.me.conftest import Member
from tests.site.players.reading import PageRead
from tests.site.staff.conftest import NEW_STAFF, NOBODY, OPERATOR, REVIEWER, StaffTown

# What stands for the parts of addresses. An act on a thing that is not there is refused as such.
PARTS: Mapping[str, str] = {
    "slug": "a-club",
    "number": "1",
    "mail_id": "mail_0123456789ABCDEF",
    "player_id": "MJ-0000001Y",
    "act": "hide",
    "decision": "verify",
    "check": "ask_0123456789ABCDEF",
    "application_id": "app_0123456789ABCDEF",
}
FORM = {"reason": "test_entry", "text": "words"}
OPEN = [each for each in STAFF_PAGES if each.method == "GET"]
SENT = [each for each in STAFF_PAGES if each.method != "GET"]
# When a login was used is noted whatever is asked, and views are built meanwhile.
KEPT_ANYWAY = {"mahjic.logins", "mahjic.views", "mahjic.view_builds"}


def address(page: StaffPage) -> str:
    return STAFF_PATH + page.path.format_map(PARTS)


async def ask(browser: Member, page: StaffPage) -> tuple[int, str]:
    path = address(page)
    answer = await (browser.get(path) if page.method == "GET" else browser.send(path, FORM))
    return answer.status_code, answer.text


async def kept(staffed: StaffTown) -> dict[str, list[str]]:
    """Return every row that an act could change."""
    rows = await rows_by_table(staffed.town.house.pool)
    return {
        table: held
        for table, held in rows.items()
        if table.startswith("mahjic.") and table not in KEPT_ANYWAY
    }


def test_every_page_below_the_desk_is_a_row_of_the_table() -> None:
    below = {
        (route.method, route.path)
        for route in SITE_ROUTES
        if f"{route.path}/".startswith(f"{STAFF_PATH}/")
    }
    assert below == {(page.method, STAFF_PATH + page.path) for page in STAFF_PAGES}
    assert len(below) == len(STAFF_PAGES)


async def test_whoever_is_not_logged_in_logs_in_and_sends_nothing(staffed: StaffTown) -> None:
    browser = await staffed.town.new_browser()
    before = await kept(staffed)
    for page in OPEN:
        assert await browser.leads_to(address(page)) == f"/login?to={address(page)}"
    for page in SENT:
        status, text = await ask(browser, page)
        assert (status, "no longer logged in" in text) == (401, True), page
    assert await kept(staffed) == before


async def test_for_everybody_else_there_is_nothing(staffed: StaffTown) -> None:
    browser = await staffed.town.member(NOBODY)
    before = await kept(staffed)
    nothing = await browser.get(f"{STAFF_PATH}/nothing-here")
    for page in STAFF_PAGES:
        status, text = await ask(browser, page)
        assert status == nothing.status_code == 404, page
        assert _without_request_id(text) == _without_request_id(nothing.text), page
    assert await kept(staffed) == before


def _without_request_id(text: str) -> str:
    """Return a page without the number of the request, which is another each time."""
    head, _, rest = text.partition("req_")
    return head + rest[26:]


async def test_staff_without_a_passkey_add_it_first(staffed: StaffTown) -> None:
    browser = await staffed.town.member(NEW_STAFF)
    before = await kept(staffed)
    for page in OPEN:
        assert await browser.leads_to(address(page)) == "/account"
    for page in SENT:
        assert (await ask(browser, page))[0] == 403, page
    assert await kept(staffed) == before


async def test_a_reviewer_is_told_what_is_for_operators(staffed: StaffTown) -> None:
    browser = await staffed.at_desk(REVIEWER)
    before = await kept(staffed)
    for page in STAFF_PAGES:
        if page.needs == "operator":
            status, text = await ask(browser, page)
            assert (status, "for operators" in text) == (403, True), page
    assert await kept(staffed) == before
    # So it was not for want of a login; and nobody is led to what is closed to them.
    start = await browser.page(STAFF_PATH)
    open_to = {address(page) for page in OPEN if page.needs == "reviewer"}
    assert {each for each in start.main.links() if each.startswith(STAFF_PATH)} <= open_to


async def test_whoever_is_staff_no_longer_is_out_at_once(staffed: StaffTown) -> None:
    browser = await staffed.at_desk(OPERATOR)
    assert (await browser.get(STAFF_PATH)).status_code == 200
    await staffed.dismiss(OPERATOR)
    for page in OPEN:
        assert await browser.leads_to(address(page)) == f"/login?to={address(page)}"
    for page in SENT:
        assert (await ask(browser, page))[0] == 401, page


async def test_another_site_sends_nothing(staffed: StaffTown) -> None:
    browser = await staffed.at_desk(OPERATOR)
    before = await kept(staffed)
    for page in SENT:
        headers = {"Sec-Fetch-Site": "cross-site"}
        answer = await browser.client.post(address(page), data=FORM, headers=headers)
        assert (answer.status_code, "another site" in answer.text) == (403, True), page
    assert await kept(staffed) == before


async def test_what_hurts_needs_a_fresh_login(staffed: StaffTown) -> None:
    browser = await staffed.at_desk(OPERATOR)
    await browser.make_stale()
    before = await kept(staffed)
    for page in STAFF_PAGES:
        if page.hurts:
            status, text = await ask(browser, page)
            assert (status, "Log in once more" in text) == (403, True), page
            assert form_given_back(text) == (address(page), FORM), page
    assert await kept(staffed) == before


async def test_what_is_sent_after_the_login_has_ended_is_given_back(staffed: StaffTown) -> None:
    browser = await staffed.at_desk(OPERATOR)
    await staffed.town.house.pool.execute("DELETE FROM mahjic.logins")
    before = await kept(staffed)
    for page in SENT:
        status, text = await ask(browser, page)
        assert (status, "no longer logged in" in text) == (401, True), page
        assert form_given_back(text) == (address(page), FORM), page
    assert await kept(staffed) == before


def form_given_back(text: str) -> tuple[str, dict[str, str]]:
    """Return where the form of a page goes that gives back what was sent, and with what."""
    (form,) = PageRead(text).main.all("form")
    return form.attributes["action"], fields_of(form)


@pytest.mark.parametrize("who", [OPERATOR, REVIEWER])
async def test_all_links_of_the_desk_lead_somewhere(staffed: StaffTown, who: str) -> None:
    browser = await staffed.at_desk(who)
    start = await browser.page(STAFF_PATH)
    links = {each for each in start.main.links() if each.startswith(STAFF_PATH)}
    assert {STAFF_PATH, "/staff/acts"} <= links
    for each in links:
        page = await browser.page(each)
        assert page.main.one("h1").text
