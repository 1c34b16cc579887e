"""Who gets to which page of a desk: each page of the table, tried by everybody who may not."""

import re
from collections.abc import Mapping

from fastapi import Request
from starlette.responses import PlainTextResponse, Response

from services.site.api import SITE_ROUTES
from services.site.desk.at_desk import AtDesk
from services.site.desk.routes import DESK_PAGES
from services.site.desk.table import SLUG_PATH, DeskPage, desk_route
from shared.http.routes import add_routes
from tests.db.rows import rows_by_table
from tests.site.desk.conftest import CLUB, NOBODY, NOWHERE, OTHER, OWNER, SCORER, STRANGER, Desks
from tests.site.me.conftest import Member

# What stands for the parts of addresses behind that of the desk.
PARTS: Mapping[str, str] = {
    "draft_id": "nid_0123456789ABCDEF",
    "session_id": "ses_01HZX3Y5ZQ8W6V4T2R0PNMKJHG",
    "number": "1",
    "endpoint_id": "wh_0123456789",
    "entry": "new-1",
}
READ = [each for each in DESK_PAGES if each.method == "GET"]
SENT = [each for each in DESK_PAGES if each.method != "GET"]
OWNERS = [each for each in DESK_PAGES if each.needs == "owner"]
FORM = {"do": "save", "as": "new", "games-0": "1", "who-0-0": "alice@example.com"}
# When a login was used is noted whatever is asked, and what was recorded before is rated and shown
# meanwhile. What a page recorded would be among the facts.
KEPT_ANYWAY = {
    "mahjic.logins",
    "mahjic.views",
    "mahjic.view_builds",
    "mahjic.verdicts",
    "mahjic.rater",
}


def address(page: DeskPage, source: str = CLUB) -> str:
    return f"/desk/{source}{page.path.format_map(PARTS)}"


async def ask(browser: Member, page: DeskPage, source: str = CLUB) -> tuple[int, str]:
    path = address(page, source)
    answer = await (browser.get(path) if page.method == "GET" else browser.send(path, FORM))
    # The number of the request is another each time, and the address stands where it was asked.
    return answer.status_code, answer.text.replace(source, "SLUG")


async def kept(desks: Desks) -> dict[str, list[str]]:
    """Return every row that an act could change."""
    rows = await rows_by_table(desks.town.house.pool)
    return {
        table: held
        for table, held in rows.items()
        if table.startswith("mahjic.") and table not in KEPT_ANYWAY
    }


def test_every_page_below_the_desk_is_a_row_of_the_table() -> None:
    below = {(route.method, route.path) for route in SITE_ROUTES if route.path.startswith("/desk/")}
    rows = {(page.method, SLUG_PATH + page.path) for page in DESK_PAGES}
    assert below == rows
    assert len(rows) == len(DESK_PAGES)


async def test_whoever_is_not_logged_in_logs_in_and_comes_back(desks: Desks) -> None:
    browser = await desks.town.new_browser()
    for page in READ:
        # For a desk that does not exist nothing is different before the login.
        for path in (address(page), address(page, NOWHERE)):
            assert await browser.leads_to(path) == f"/login?to={path}"
    for page in READ[-3:]:
        back = await desks.town.new_browser()
        answer = await back.press(await back.ask(OWNER, to=address(page)))
        assert answer.headers["location"] == address(page)


async def test_what_is_sent_without_a_login_changes_nothing(desks: Desks) -> None:
    browser = await desks.town.new_browser()
    before = await kept(desks)
    for page in SENT:
        status, text = await ask(browser, page)
        assert status == 401, page
        assert re.search("You are (not|no longer) logged in", text), page
    assert await kept(desks) == before


async def test_a_desk_of_others_is_as_one_that_does_not_exist(desks: Desks) -> None:
    for stranger in (STRANGER, NOBODY):
        browser = await desks.browser_of(stranger)
        before = await kept(desks)
        for page in DESK_PAGES:
            theirs, nothing = await ask(browser, page), await ask(browser, page, NOWHERE)
            assert theirs == nothing, page
            assert theirs[0] == 404, page
            assert "A Club" not in theirs[1], page
        assert await kept(desks) == before
    # So it was not for want of a desk at all.
    keeper = await desks.browser_of(STRANGER)
    assert (await keeper.get(f"/desk/{OTHER}")).status_code == 200


async def only_for_owners(_request: Request, at: AtDesk) -> Response:
    return PlainTextResponse(f"{at.desk.role} of {at.desk.name}")


async def test_a_scorer_is_told_what_is_for_owners(desks: Desks) -> None:
    probe = DeskPage("GET", "/for-owners", only_for_owners, "owner")
    add_routes(desks.town.running.app, [desk_route(probe)])
    browser = await desks.browser_of(SCORER)
    before = await kept(desks)
    for page in [probe, *OWNERS]:
        status, text = await ask(browser, page)
        assert status == 403
        assert "Only an owner" in text
    assert await kept(desks) == before
    shown = await browser.page(f"/desk/{CLUB}")
    for_owners = {address(each) for each in OWNERS}
    assert not for_owners & set(shown.main.links())
    owner = await desks.browser_of(OWNER)
    assert await ask(owner, probe) == (200, "owner of A Club")
    assert (await ask(owner, probe, OTHER))[0] == 404


async def test_whoever_is_removed_is_out_at_once(desks: Desks) -> None:
    browser = await desks.browser_of(SCORER)
    assert (await browser.get(f"/desk/{CLUB}")).status_code == 200
    await desks.remove(SCORER)
    before = await kept(desks)
    for page in DESK_PAGES:
        assert (await ask(browser, page))[0] == 404, page
    assert await kept(desks) == before


async def test_another_site_sends_nothing(desks: Desks) -> None:
    browser = await desks.browser_of(OWNER)
    before = await kept(desks)
    headers = {"Sec-Fetch-Site": "cross-site"}
    for page in SENT:
        answer = await browser.client.post(address(page), data=FORM, headers=headers)
        assert (answer.status_code, "another site" in answer.text) == (403, True), page
    assert await kept(desks) == before


async def test_new_staff_add_their_passkey_first(desks: Desks) -> None:
    await desks.town.house.pool.execute(
        "INSERT INTO mahjic.staff (account_id, role, since) SELECT account_id, 'operator', now() "
        "FROM mahjic.addresses WHERE address = $1",
        OWNER,
    )
    browser = await desks.browser_of(OWNER)
    for page in DESK_PAGES:
        if page.method == "GET":
            assert await browser.leads_to(address(page)) == "/account"
        else:
            assert (await ask(browser, page))[0] == 403


async def test_one_desk_is_reached_at_once_and_of_several_one_is_chosen(desks: Desks) -> None:
    browser = await desks.browser_of(OWNER)
    assert await browser.leads_to("/desk") == f"/desk/{CLUB}"
    page = await browser.page(f"/desk/{CLUB}")
    assert page.main.one("h1").text == "A Club"
    await desks.make(OWNER, "scorer", OTHER)
    page = await browser.page("/desk")
    links = [each for each in page.main.links() if each.startswith("/desk/")]
    assert links == [f"/desk/{CLUB}", f"/desk/{OTHER}"]
    assert "You keep score" in page.main.text


async def test_whoever_has_no_desk_reads_how_to_get_one(desks: Desks) -> None:
    browser = await desks.browser_of(NOBODY)
    page = await browser.page("/desk")
    assert "ask one of its owners to invite you" in page.main.text
    assert "A Club" not in page.main.text
    anonymous = await desks.town.new_browser()
    assert await anonymous.leads_to("/desk") == "/login?to=/desk"
