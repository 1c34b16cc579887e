"""The sitemap: every page that search engines should know, and no one who did not ask for it.

Of players, only those who chose a public name themselves are in it; whoever has become private,
or was merged, is gone at once. A small site has one file. A large one has an index, and files of
players that are cut by their ids: the name of each says which part it is of how many, so a crawler
that took the index an hour ago still finds all players in the files it names.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, Final
from xml.sax.saxutils import escape

from fastapi import Path, Request
from starlette.responses import Response

from services.site.boards.choices import LEADERBOARD_PATH
from services.site.boards.places import REGIONS
from services.site.boards.sources import SOURCES_PATH
from services.site.kit.made import made_of
from services.site.kit.pages import Site, SitePages, answer_shown
from services.site.reads import Reads, SiteReads
from shared.errors import NotFound
from shared.http.routes import Route

# The protocol allows 50,000; a file of 10,000 is 60 KB compressed.
ADDRESSES_MAX: Final = 10_000
# So many at most come into a part on average, which leaves room for chance.
_PART_PLAYERS: Final = ADDRESSES_MAX // 2
# Beyond five million players, parts get fuller, and only then may one be cut off.
PARTS_MAX: Final = 1024
XML: Final = "application/xml"
_NAMESPACE: Final = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
PAGES: Final = (
    "/",
    LEADERBOARD_PATH,
    *(f"{LEADERBOARD_PATH}/{region}" for region in REGIONS),
    SOURCES_PATH,
    "/find",
    "/formula",
    "/governance",
    "/about",
    "/privacy",
    "/developers",
    "/developers/embed",
    "/become-a-source",
)

PartNumber = Annotated[int, Path(ge=1, le=PARTS_MAX)]


async def sitemap(request: Request, site: Site, reads: Reads) -> Response:
    """List all pages, or the files that do."""
    pages = await _pages(reads)
    players = await reads.sitemap.count_players()
    if len(pages) + players <= ADDRESSES_MAX:
        # Some may have come since they were counted.
        everyone = await reads.sitemap.players(0, 1, limit=ADDRESSES_MAX - len(pages))
        return _addresses(request, site, [*pages, *map(_player_path, everyone)])
    parts = 1
    while players > parts * _PART_PLAYERS and parts < PARTS_MAX:
        parts *= 2
    files = [f"/sitemap-players-{part}-of-{parts}.xml" for part in range(1, parts + 1)]
    return _answer(request, site, "sitemapindex", "sitemap", ["/sitemap-pages.xml", *files])


async def sitemap_of_pages(request: Request, site: Site, reads: Reads) -> Response:
    """List all pages but those of players."""
    return _addresses(request, site, await _pages(reads))


async def sitemap_of_players(
    request: Request, site: Site, reads: Reads, part: PartNumber, parts: PartNumber
) -> Response:
    """List a part of the players who chose a public name."""
    if part > parts or PARTS_MAX % parts != 0:
        raise NotFound("There is no such part of the sitemap. Start from /sitemap.xml.")
    players = await reads.sitemap.players(part - 1, parts, limit=ADDRESSES_MAX)
    return _addresses(request, site, map(_player_path, players))


async def _pages(reads: SiteReads) -> Sequence[str]:
    answer = await reads.boards.sources()
    sources = [f"{SOURCES_PATH}/{each['slug']}" for each in answer["sources"]]
    return [*PAGES, *sources][:ADDRESSES_MAX]


def _player_path(player_id: str) -> str:
    return f"/players/{player_id}"


def _addresses(request: Request, site: SitePages, paths: Iterable[str]) -> Response:
    return _answer(request, site, "urlset", "url", paths)


def _answer(
    request: Request, site: SitePages, root: str, entry: str, paths: Iterable[str]
) -> Response:
    origin = escape(site.origin.url)
    entries = [f"<{entry}><loc>{origin}{escape(path)}</loc></{entry}>" for path in paths]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<{root} {_NAMESPACE}>",
        *entries,
        f"</{root}>",
        "",
    ]
    return answer_shown(request, made_of("\n".join(lines).encode()), XML)


SITEMAP_ROUTES: Final = (
    Route("GET", "/sitemap.xml", sitemap, ignores_unknown=True),
    Route("GET", "/sitemap-pages.xml", sitemap_of_pages, ignores_unknown=True),
    Route(
        "GET",
        "/sitemap-players-{part}-of-{parts}.xml",
        sitemap_of_players,
        ignores_unknown=True,
    ),
)
