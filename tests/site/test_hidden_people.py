"""No page, preview or sitemap shows anything of a hidden person; a walk opens all of them."""

import json
import re
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from html import unescape

import httpx
import pytest

from services.site.api import SITE_ROUTES
from services.site.desk.routes import DESK_PAGES
from services.site.desk.table import SLUG_PATH
from services.site.staff.routes import STAFF_PAGES
from tests.conftest import Database
from tests.projections.answering.hidden import SeasonOfHidden, a_season_of_hidden
from tests.projections.conftest import World, a_world, asked
from tests.projections.season import Season, mj
from tests.site.previews.noting import Notes
from tests.site.serving import HTML, ORIGIN, serve_site

pytestmark = pytest.mark.starts_servers

# The names and addresses of hidden people. "Private" alone is a word of the pages.
TELLING = ("Ada Private", "Ada Erased", "Ada Turned", "Ada Goneby", "nickname-")
# A field of a form may be called an address; nobody's address may be there.
AN_ADDRESS = re.compile(r"address-\d")
# What each parameter of a page is tried with; a page with another one fails the walk.
PLACES = {
    "region": ("west", "midwest"),
    "slug": ("club", "league"),
    "part": ("1",),
    "parts": ("1",),
    "token": ("x" * 43,),
    "number": ("0001",),
}
QUERIES = {
    "/find": ("q=ada", "q=turned", "q=gone", "q=private&as=list", "q=MJ-0", "q=nickname"),
    "/compare": ("one=ada", "one=turned&other=erased"),
    "/leaderboard": ("min_games=0", "page=2", "active_within_days=36500"),
    "/leaderboard/{region}": ("min_games=0",),
    "/sources/{slug}": ("min_games=0",),
    "/sources/{slug}/leaderboard.csv": ("limit=1",),
}
# No person is on these: files, whom to write to, the interface, which this application has not, and
# the pages that are for whoever was sent their link, or is staff.
NOT_WALKED = {
    "/become-a-source/{application_id}",
    "/become-a-source/{application_id}/change",
    "/invitations/{invitation_id}",
    *(SLUG_PATH + page.path for page in DESK_PAGES if page.method == "GET"),
    "/static/{name}",
    "/.well-known/security.txt",
    "/developers/{group}",
    "/mail/no-more/{token}",
    "/invited/{token}",
    "/login/link/{token}",
    "/account/acts",
    *(f"/staff{page.path}" for page in STAFF_PAGES if page.method == "GET"),
    # Everyone else is led to the login, whatever is asked for.
    "/me/why/{change_id}",
    "/me/sessions/{session_id}/dispute",
}


@dataclass
class Town:
    """Two people whom everyone may see, and one for each way of not being seen."""

    world: World
    notes: Notes
    browser: httpx.AsyncClient
    played: SeasonOfHidden

    def addresses(self) -> Iterable[tuple[str, str]]:
        """Yield each address with the path of its route."""
        people = [self.played.ada, self.played.bo, *self.played.hidden]
        places = PLACES | dict.fromkeys(("player_id", "one_id", "other_id"), tuple(people))
        places["change_id"] = tuple(self.played.changes)
        for route in SITE_ROUTES:
            if route.path in NOT_WALKED or route.method != "GET":
                continue
            filled = [route.path]
            for name in re.findall(r"\{(\w+)\}", route.path):
                filled = [each.replace(f"{{{name}}}", v) for each in filled for v in places[name]]
            for address in filled:
                # Someone beside themselves leads on, whoever that is: nobody is looked up.
                if len({*address.split("/")[2:]}) == 1 and address.startswith("/compare/"):
                    continue
                yield route.path, address
                for query in QUERIES.get(route.path, ()):
                    yield route.path, f"{address}?{query}"


@pytest.fixture
async def town(database: Database) -> AsyncIterator[Town]:
    season, notes = Season(database.pool), Notes()
    world = await a_world(season)
    await season.source("club", region="west")
    await season.source("league", kind="league")
    # Who is merged never sat with the other one.
    gone = await season.player(7, source="club", name="Ada Goneby")
    played = await a_season_of_hidden(season, gone)
    await world.follow()
    # Three of them could be seen until here. Whoever is merged into a hidden player is hidden too,
    # as soon as the views have followed; the others are at once.
    await season.merge(gone, played.private)
    await world.follow()
    await played.hide()
    app = serve_site(world, notes.painter())
    transport = httpx.ASGITransport(app)
    async with (
        asked(world),
        httpx.AsyncClient(transport=transport, base_url=ORIGIN, headers=HTML) as browser,
    ):
        yield Town(world, notes, browser, played)


async def test_no_page_preview_or_sitemap_shows_a_hidden_person(town: Town) -> None:
    for moment in ("at once", "after the views have followed"):
        opened, shown = set(), set()
        for path, address in town.addresses():
            opened.add(path)
            answer = await town.browser.get(address)
            if answer.status_code < 400:
                shown.add(path)
            assert_tells_of_none(town, address, answer, moment)
        assert opened == shown, "Every page must have been shown once."
        assert len(opened) > 25
        await town.world.follow()
    listed = (await town.browser.get("/sitemap.xml")).text
    assert f"{ORIGIN}/players/{town.played.ada}" in listed
    assert town.played.bo not in listed, "Bo has not chosen a name."


def assert_tells_of_none(town: Town, address: str, answer: httpx.Response, moment: str) -> None:
    """Check what is sent, or painted: a page about someone who is hidden is not there."""
    assert answer.status_code in {200, 302, 308, 404}, (address, answer.status_code)
    said = unescape(answer.text) + "".join(map(repr, town.notes.asked))
    said += json.dumps(dict(answer.headers))
    town.notes.asked.clear()
    is_asked = [each for each in town.played.hidden if each in address]
    for each in town.played.hidden:
        assert each not in said, (moment, address, each)
    if is_asked:
        assert answer.status_code == 404, (moment, address)
    for each in TELLING:
        assert each not in said, (moment, address, each)
    assert not AN_ADDRESS.search(said), (moment, address)


async def test_hidden_and_unknown_people_get_the_same_page_and_the_same_picture(town: Town) -> None:
    idle = await town.world.season.player(99, source="club", is_private=True)
    others = (mj(98), idle)  # Nobody, and someone who never played.
    page = "/players/{}"
    pictures = [f"{page}/{each}" for each in ("preview.png", "card.png", "badge.svg")]
    for path in (page, f"{page}/chart", *pictures, f"/compare/{{}}/{town.played.ada}"):
        said = {
            (await town.browser.get(path.format(each))).text
            for each in (*town.played.hidden, *others)
        }
        assert len(said) == 1, path
