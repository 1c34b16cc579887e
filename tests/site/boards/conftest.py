"""A site over a season, behind every layer of the real one, and a browser that looks at it."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from html import unescape

import httpx
import pytest

from tests.conftest import Database
from tests.projections.conftest import World, a_world
from tests.projections.season import Round, Season
from tests.site.serving import HTML, serve_site

GAMES = 12
# One row of a board: place, id, name, rating.
_ROW = re.compile(
    r'<tr(?: class="medal")?>\s*<td class="place">([0-9,]+)</td>\s*'
    r'<th scope="row"><a href="/players/([^"]+)"><bdi>(.*?)</bdi></a>.*?'
    r'<td class="num big">([0-9−]+) ',
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class BoardLine:
    place: int
    player_id: str
    name: str
    rating: str


@dataclass
class Looked:
    """A season, and a browser that looks at its site."""

    world: World
    browser: httpx.AsyncClient

    @property
    def season(self) -> Season:
        return self.world.season

    async def page(self, path: str) -> str:
        """Return a page that must be there."""
        answer = await self.browser.get(path)
        assert answer.status_code == 200, (path, answer.status_code, answer.text)
        return answer.text

    async def whole_board(self, path: str) -> list[list[BoardLine]]:
        """Walk through the pages of a board by its links, as a reader would."""
        pages = []
        next_path: str | None = path
        while next_path is not None:
            text = await self.page(next_path)
            pages.append(lines_of(text))
            found = re.search(r'rel="next" href="([^"]+)"', text)
            next_path = unescape(found[1]) if found else None
        return pages

    async def level_players(self, count: int, source: str, first: int = 1) -> list[str]:
        """Verify players who all win as often as the others, so that they stay at 1500."""
        people = [await self.season.player(first + n, source=source) for n in range(count)]
        for each in people:
            await self.season.verify(each)
        for four in (people[at : at + 4] for at in range(0, count, 4)):
            await self.season.play(source, Round(dict.fromkeys(four, GAMES // len(four))))
        await self.world.follow()
        return people


def lines_of(page: str) -> list[BoardLine]:
    """Return the rows of the board on a page."""
    return [
        BoardLine(int(place.replace(",", "")), who, unescape(name), rating)
        for place, who, name, rating in _ROW.findall(page)
    ]


def links_of(page: str) -> list[str]:
    """Return where the links of a page lead."""
    return [unescape(each) for each in re.findall(r'<a [^>]*?href="([^"]*)"', page)]


@pytest.fixture
async def looked(database: Database) -> AsyncIterator[Looked]:
    world = await a_world(Season(database.pool))
    async with a_browser(world) as browser:
        yield Looked(world, browser)


def a_browser(world: World) -> httpx.AsyncClient:
    """Return a browser that looks at the site of a season."""
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(serve_site(world)),
        base_url="http://mahjic.test",
        headers=HTML,
    )
