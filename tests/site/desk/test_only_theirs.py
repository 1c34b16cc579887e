"""What one desk or one person has is nothing to another: each page with an id in its address."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import pytest

from services.notices.webhooks.endpoints import add_endpoint, new_endpoint_id
from services.site.api import SITE_ROUTES
from services.site.desk.routes import DESK_PAGES
from services.site.desk.table import DeskPage
from shared.http.routes import Route
from tests.applications.applicants import FORM as APPLICATION
from tests.site.applying.conftest import apply
from tests.site.desk.conftest import CLUB, NOBODY, OTHER, OWNER, SCORER, STRANGER, Desks
from tests.site.desk.test_members import invitation_of, invite
from tests.site.desk.test_who_comes_in import FORM, PARTS, kept
from tests.site.desk.typing import Typist
from tests.site.me.conftest import Member

WITH_IDS = [each for each in DESK_PAGES if "{" in each.path]
# Pages below these are of whoever has an application or an invitation, by its id.
PERSONAL = ("/become-a-source/{", "/invitations/{")
OF_A_PERSON = [each for each in SITE_ROUTES if each.path.startswith(PERSONAL)]
# The others there: the form, which is for everybody, and the list of one's own.
FOREVERYBODY = {
    ("GET", "/become-a-source"),
    ("POST", "/become-a-source"),
    ("GET", "/become-a-source/mine"),
}
MADE_UP = {
    "draft_id": PARTS["draft_id"],
    "session_id": PARTS["session_id"],
    "endpoint_id": PARTS["endpoint_id"],
    "application_id": "app_ZZZZZZZZZZZZZZZZ",
    "invitation_id": "inv_ZZZZZZZZZZZZZZZZ",
}
CLAIM = {
    "session_date": "2026-01-03",
    "game_type": "league",
    "rounds": [
        {
            "players": [
                {"email": who, "name": name, "games_played": 1, "mahjongs": won, "points": 0}
                for who, name, won in (("ivy@ex.com", "Ivy Told", 1), ("joe@ex.com", "Joe Told", 0))
            ],
            "wall_games": 0,
        }
    ],
}


async def things_of_the_other(desks: Desks) -> dict[str, str]:
    """Let the other club have a night that waits, a session and people; return their ids."""
    keeper = await desks.browser_of(STRANGER)
    answer = await desks.town.running.submit(CLAIM, await desks.town.running.source_key(OTHER))
    assert answer.status_code == 201, answer.text
    await desks.town.shown(answer.json()["seq"])
    typist = await Typist.begin(keeper, OTHER)
    await typist.type(date="2026-01-10", kind="social", games_0="1").row(0, 0, "Ivy").press("save")
    players = await keeper.page(f"/desk/{OTHER}/players")
    endpoint_id = new_endpoint_id()
    async with desks.town.house.pool.acquire() as connection, connection.transaction():
        url = "https://told.example.org/"
        await add_endpoint(connection, OTHER, endpoint_id, url, now=datetime.now(UTC))
    entries = [each for each in players.main.links() if re.search(r"/players/(?!add)", each)]
    return {
        "draft_id": typist.at.rpartition("/")[2].partition("?")[0],
        "session_id": answer.json()["session_id"],
        "endpoint_id": endpoint_id,
        "entry": entries[0].rpartition("/")[2],
    }


async def told(browser: Member, method: str, path: str) -> tuple[int, str]:
    """Return how a page answers, without the number of the request and its own address."""
    answer = await (browser.get(path) if method == "GET" else browser.send(path, FORM))
    text = re.sub(r"req_\w+", "", answer.text).replace(path, "PATH")
    where = answer.headers.get("location", "")
    return answer.status_code, where.replace(path, "PATH") + text


async def check_told_alike(
    browser: Member,
    method: str,
    path: Callable[[Mapping[str, str]], str],
    theirs: Mapping[str, str],
) -> None:
    """Fail unless a page answers of a thing of others as of one that was never there."""
    found, made_up = await told(browser, method, path(theirs)), {**theirs, **MADE_UP}
    nothing = await told(browser, method, path(made_up))
    for name, each in theirs.items():
        nothing = nothing[0], nothing[1].replace(made_up[name], each)
    assert found == nothing
    assert "Told" not in found[1]


async def test_a_member_of_one_club_finds_nothing_of_another_at_their_own_desk(
    desks: Desks,
) -> None:
    theirs = {"number": PARTS["number"], **await things_of_the_other(desks)}
    owner, before = await desks.browser_of(OWNER), await kept(desks)

    def at(page: DeskPage) -> Callable[[Mapping[str, str]], str]:
        return lambda ids: f"/desk/{CLUB}{page.path.format_map(ids)}"

    for page in WITH_IDS:
        await check_told_alike(owner, page.method, at(page), theirs)
    # What is typed at an address that nobody has there begins a night or nothing; theirs stays.
    after = await kept(desks)
    assert not [table for table, rows in before.items() if set(rows) - set(after[table])]
    # So it was not for want of those things.
    keeper = await desks.browser_of(STRANGER)
    for name in ("draft_id", "session_id", "endpoint_id", "entry"):
        (path, *_) = [each.path for each in WITH_IDS if each.path.endswith(f"{{{name}}}")]
        answer = await keeper.get(f"/desk/{OTHER}{path.format_map(theirs)}")
        assert answer.status_code == 200, path


def test_every_page_of_applicants_and_invited_is_tried() -> None:
    below = {
        (each.method, each.path)
        for each in SITE_ROUTES
        if each.path.startswith(("/become-a-source", "/invitations"))
    }
    assert below == FOREVERYBODY | {(each.method, each.path) for each in OF_A_PERSON}


@pytest.mark.parametrize("is_logged_in", [True, False])
async def test_an_application_and_an_invitation_are_nothing_to_others(
    desks: Desks, *, is_logged_in: bool
) -> None:
    applicant = await desks.town.new_browser()
    path = await apply(applicant, APPLICATION)
    await invite(await desks.browser_of(OWNER), NOBODY)
    theirs = {
        "application_id": path.rpartition("/")[2],
        "invitation_id": (await invitation_of(desks, NOBODY)).rpartition("/")[2],
    }
    stranger = await (desks.browser_of(SCORER) if is_logged_in else desks.town.new_browser())
    before = await kept(desks)

    def at(route: Route) -> Callable[[Mapping[str, str]], str]:
        return route.path.format_map

    for route in OF_A_PERSON:
        await check_told_alike(stranger, route.method, at(route), theirs)
    assert await kept(desks) == before
    assert (await applicant.get(path)).status_code == 200
