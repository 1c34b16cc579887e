"""Every page is fit for everybody: on a phone and at a desk, in the light and in the dark."""

import re
from collections.abc import Callable, Iterable

import pytest
from playwright.async_api import Browser
from starlette.routing import compile_path

from services.site.api import SITE_ROUTES
from services.site.kit.well_known import SECURITY_PATH
from services.site.staff.routes import STAFF_PAGES
from services.site.words.routes import TITLES
from tests.browser import townsfolk as folk
from tests.browser.axe import check_axe
from tests.browser.fitting import check_fits
from tests.browser.looking import look_at
from tests.browser.town import ALICE, INVITED, Town
from tests.browser.visitors import DESKTOP, PLAIN_PHONE, visiting
from tests.site.serving import HTML

CHINESE = "chinese@example.org"
HANNAH = "hannah@example.com"
Path = Callable[[Town], str]


def always(path: str) -> Path:
    """Return a path that is the same in every town."""
    return lambda _: path


PAGES: dict[str, Path] = {
    "the front page": lambda _: "/",
    "the leaderboard": lambda _: "/leaderboard",
    "its second page": lambda _: "/leaderboard?page=2",
    "a page that it does not have": lambda _: "/leaderboard?page=900",
    "a leaderboard of a region": lambda _: "/leaderboard/midwest",
    "a leaderboard on which nobody is": lambda _: "/leaderboard/southwest",
    "the sources": lambda _: "/sources",
    "a source": lambda _: "/sources/tuesday-tiles",
    "a player of one session": lambda town: town.page(folk.ONCE),
    "a player of 2,000 sessions": lambda town: town.page(folk.OFTEN),
    "every rating of a player, one by one": lambda town: f"{town.page(ALICE)}/chart",
    "a player whose only session was voided": lambda town: town.page(folk.VOIDED),
    "a player whose peak was corrected": lambda town: town.page(folk.PEAK),
    "a Chinese name": lambda town: town.page("chinese@example.org"),
    "an Arabic name": lambda town: town.page("arabic@example.org"),
    "a name with combining marks": lambda town: town.page("marks@example.org"),
    "a name of 40 wide letters": lambda town: town.page(folk.WIDE),
    "nobody looked for": lambda _: "/find",
    "a wide name found": lambda _: "/find?q=WWWW",
    "several found": always(f"/find?q={folk.SEVERAL}"),
    "nobody found": lambda _: "/find?q=xyzzy",
    "what cannot be searched": lambda _: "/find?q=%20-%20",
    "a wide name compared": lambda town: f"/compare/{town.ids[folk.WIDE]}/{town.ids[CHINESE]}",
    "two compared who met often": lambda town: (
        f"/compare/{town.ids[folk.OFTEN]}/{town.ids[HANNAH]}"
    ),
    "two to choose": always(f"/compare?one={folk.SEVERAL}&other={folk.SEVERAL}"),
    "why, with a wide name": lambda town: town.newest_change(folk.WIDE),
    "why, of a league night": lambda town: town.newest_change(ALICE),
    "why, of a correction": lambda town: town.newest_change(folk.VOIDED),
    "a leaderboard in a frame": lambda _: "/embed/leaderboard",
    "a board in a frame": lambda _: "/embed/leaderboard/tuesday-tiles?theme=dark",
    "a wide name in a frame": lambda town: f"/embed/player/{town.ids[folk.WIDE]}",
    "the calculator in a frame": lambda _: "/embed/calculator",
    "what is wrong in a frame": lambda _: "/embed/calculator?kind=league&rating-0=x",
    "no more mail": lambda town: town.no_more_mail(ALICE),
    "not the reader of an invitation": always(f"/invited/{INVITED}"),
    "to become a source": lambda _: "/become-a-source",
    "to submit": lambda _: "/submit",
    "to log in": lambda _: "/login",
    "forgotten": lambda _: "/forgotten",
    "about": lambda _: "/about",
    "privacy": lambda _: "/privacy",
    "the formula": lambda _: "/formula",
    "no public log": lambda _: "/log",
    "how the formula changes": lambda _: "/governance",
    "a proposal": lambda _: "/governance/0001",
    "developers": lambda _: "/developers",
    "Mahjic on one's own site": lambda _: "/developers/embed",
    "a board on one's own site": lambda town: (
        f"/developers/embed?source=tuesday-tiles&player={town.ids[ALICE]}"
    ),
    "a slip in an id": lambda _: "/developers/embed?player=MJ-0",
    "the errors of the interface": lambda _: "/developers/errors",
    **{f"the interface: {each}": always(f"/developers/{each}") for each in TITLES},
}
# These are looked at while somebody logs in (journeys/test_logging_in.py), and by whoever has
# (journeys/test_own_pages.py and test_rights.py).
ON_THE_WAY = {
    "/login/sent",
    "/login/link",
    "/login/link/{token}",
    "/account",
    "/account/join",
    "/account/acts",
    *(f"/staff{page.path}" for page in STAFF_PAGES if page.method == "GET"),
    "/me/disputes",
    "/me/sessions/{session_id}/dispute",
    "/me/merge",
    "/me/merge/done",
    "/me/download",
    "/me",
    "/me/welcome",
    "/me/settings",
    "/me/history",
    "/me/chart",
    "/me/why/{change_id}",
    "/me/card",
    "/me/forget",
    # In tests/browser/journeys/test_being_verified.py.
    "/me/verified",
    # In tests/browser/journeys/test_becoming_a_source.py.
    "/become-a-source/mine",
    "/become-a-source/{application_id}",
    "/become-a-source/{application_id}/change",
    "/staff/applications",
    "/staff/applications/{application_id}",
    # In tests/browser/desks, where somebody invites, makes keys and says who they are.
    *(f"/desk/{{slug}}{each}" for each in ("/acts", "/keys", "/leave", "/members", "/profile")),
    *(f"/desk/{{slug}}/webhooks{each}" for each in ("", "/{endpoint_id}")),
    "/desk/{slug}/webhooks/{endpoint_id}/remove",
    "/desk/{slug}/webhooks/{endpoint_id}/events/{number}",
    "/invitations/{invitation_id}",
    # In tests/browser/nights, of sessions, sheets, and the players of a club.
    *(f"/desk/{{slug}}/sessions{each}" for each in ("", "/disputes", "/{session_id}")),
    *(
        f"/desk/{{slug}}/sessions/{{session_id}}{each}"
        for each in ("/void", "/sheet.csv", "/sheet.xlsx")
    ),
    "/desk/{slug}/sessions/{session_id}/correction/{draft_id}",
    *(f"/desk/{{slug}}/sheet{each}" for each in ("", "/{draft_id}")),
    *(f"/desk/{{slug}}/players{each}" for each in ("", "/add", "/{entry}")),
    *(
        f"/desk/{{slug}}{each}"
        for each in ("/embed", "/board", "/standings", "/standings/season.csv")
    ),
    # In tests/browser/nights/test_entering_nights.py.
    "/desk",
    "/desk/{slug}",
    "/desk/{slug}/night",
    "/desk/{slug}/night/{draft_id}",
    "/desk/{slug}/night/{draft_id}/look",
    "/desk/{slug}/night/{draft_id}/sent",
}
PREVIEWS: dict[str, Path] = {
    "the site": lambda _: "/preview.png",
    "a leaderboard": lambda _: "/leaderboard/preview.png",
    "a leaderboard of a region": lambda _: "/leaderboard/midwest/preview.png",
    "a leaderboard on which nobody is": lambda _: "/leaderboard/southwest/preview.png",
    "a source": lambda _: "/sources/tuesday-tiles/preview.png",
    "a player": lambda town: f"{town.page(folk.PEAK)}/preview.png",
    "a player without a chart": lambda town: f"{town.page(folk.VOIDED)}/preview.png",
    "a name of 40 wide letters": lambda town: f"{town.page(folk.WIDE)}/preview.png",
}
PREVIEW_PX = [1200, 630]
# What people put on pages of their own, and how high it is.
PICTURES: dict[str, tuple[Path, int]] = {
    "a badge": (lambda town: f"{town.page(folk.PEAK)}/badge.svg", 24),
    "a card": (lambda town: f"{town.page(folk.PEAK)}/card.png", 400),
}
# What is no page: by its address, what a browser is told that it is.
FILES = {
    "/favicon.ico": "image/png",
    "/manifest.webmanifest": "application/manifest+json",
    "/robots.txt": "text/plain; charset=utf-8",
    SECURITY_PATH: "text/plain; charset=utf-8",
    "/sitemap.xml": "application/xml",
    "/sitemap-pages.xml": "application/xml",
    "/sitemap-players-1-of-1.xml": "application/xml",
    "/docs/errors": "text/html; charset=utf-8",
    "/governance/0001/formula.json": "application/json",
    "/governance/0001/trial.json": "application/json",
    "/sources/tuesday-tiles/leaderboard.csv": "text/csv; charset=utf-8",
    "/embed.js": "text/javascript; charset=utf-8",
}
# What a first view may take, in bytes, and the files that a page or a file of it asks for at once.
FIRST_VIEW_BYTES_MAX = 60_000
GZIP = {"Accept-Encoding": "gzip"}
NEEDED = re.compile(r'(?:src="|href="|from ")(/static/[\w.-]+\.(?:css|js|svg))"')
# Every page asks for some of these, and none may fail.
IN_EVERY_PAGE = "/static/{name}"
MEASURE = """async (path) => {
  const picture = new Image();
  picture.src = path;
  await picture.decode();
  return [picture.naturalWidth, picture.naturalHeight];
}"""
FETCH = """async (path) => {
  const answer = await fetch(path);
  return [answer.status, answer.headers.get("Content-Type")];
}"""


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES.keys())
async def test_a_page_is_fit_for_everybody(browser: Browser, town: Town, path: Path) -> None:
    await look_at(browser, town.url, path(town))


async def test_older_sessions_are_fit_for_everybody(browser: Browser, town: Town) -> None:
    async with visiting(browser, town.url, PLAIN_PHONE) as visitor:
        await visitor.go(town.page(folk.OFTEN))
        await visitor.page.get_by_role("link", name="Older sessions").click()
        await visitor.page.get_by_role("heading", level=1, name="Sessions of").wait_for()
        await check_axe(visitor.page)
        await check_fits(visitor)


async def test_every_preview_is_a_picture_of_the_promised_size(
    browser: Browser, town: Town
) -> None:
    async with visiting(browser, town.url, DESKTOP) as visitor:
        await visitor.go("/about")
        for path in PREVIEWS.values():
            assert await visitor.page.evaluate(MEASURE, path(town)) == PREVIEW_PX, path(town)


async def test_a_picture_for_pages_of_others_is_one(browser: Browser, town: Town) -> None:
    async with visiting(browser, town.url, DESKTOP) as visitor:
        await visitor.go("/about")
        for path, height in PICTURES.values():
            measured = await visitor.page.evaluate(MEASURE, path(town))
            assert measured[1] == height, path(town)


async def test_every_file_is_what_a_browser_takes_it_for(browser: Browser, town: Town) -> None:
    async with visiting(browser, town.url, DESKTOP) as visitor:
        await visitor.go("/about")
        for path, media_type in FILES.items():
            assert await visitor.page.evaluate(FETCH, path) == [200, media_type], path


async def test_a_first_view_of_any_page_is_small(town: Town) -> None:
    sizes = {name: await first_view_bytes(town, path(town)) for name, path in PAGES.items()}
    assert min(sizes.values()) > 1_000
    assert {each: size for each, size in sizes.items() if size > FIRST_VIEW_BYTES_MAX} == {}


async def first_view_bytes(town: Town, path: str) -> int:
    """Return what a page takes over the wire, with all that it needs but fonts."""
    total, wanted = 0, [path]
    for each in wanted:
        answer = await town.client.get(each, headers=HTML | GZIP)
        assert answer.status_code == 200, each
        total += int(answer.headers["Content-Length"])
        wanted += {*NEEDED.findall(answer.text)} - {*wanted}
    return total


def routes_of(paths: Iterable[str]) -> set[str]:
    """Return the addresses, as the site lists them, that answer these paths."""
    return {_route_of(path.partition("?")[0]) for path in paths}


def _route_of(path: str) -> str:
    for route in SITE_ROUTES:
        if compile_path(route.path)[0].match(path):
            return route.path
    raise AssertionError(f"The site has nothing at {path}")


def test_every_address_of_the_site_is_looked_at(town: Town) -> None:
    pages, previews = (
        routes_of(path(town) for path in each.values()) for each in (PAGES, PREVIEWS)
    )
    pictures = routes_of(path(town) for path, _height in PICTURES.values())
    files = routes_of(FILES) | pictures | {IN_EVERY_PAGE}
    everything = {route.path for route in SITE_ROUTES if route.method == "GET"} - ON_THE_WAY
    assert pages | previews | files == everything, "Add a page to PAGES, or a file to FILES."
    assert not pages & (previews | files)
