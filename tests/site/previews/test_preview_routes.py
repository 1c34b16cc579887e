"""A preview shows what its page shows, and no one whom pages don't show."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from itertools import pairwise

import httpx
import pytest

from services.site.api import SITE_ROUTES
from services.site.previews.painter import PreviewPainter
from services.site.previews.routes import PREVIEW_ROUTES
from services.site.previews.subjects import (
    BoardPreview,
    Picture,
    PlayerPreview,
    SitePreview,
    SourcePreview,
)
from tests.conftest import Database
from tests.projections.conftest import World, a_world, asked
from tests.projections.season import Round, Season, mj
from tests.site.previews.noting import Notes
from tests.site.previews.showing import seen
from tests.site.serving import serve_site

pytestmark = pytest.mark.starts_servers

ALICE, BEA, CAM, DOT = (mj(number) for number in (1, 2, 3, 4))


@dataclass
class Site:
    """A season whose previews are asked for."""

    world: World
    notes: Notes = field(default_factory=Notes)
    painter: PreviewPainter | None = None
    browser: httpx.AsyncClient = field(init=False)

    def __post_init__(self) -> None:
        app = serve_site(self.world, self.painter or self.notes.painter())
        transport = httpx.ASGITransport(app)
        self.browser = httpx.AsyncClient(transport=transport, base_url="http://mahjic.test")

    async def preview(self, path: str) -> Picture:
        """Return what a preview that must be there shows."""
        answer = await self.browser.get(path)
        assert answer.status_code == 200, (path, answer.text)
        return self.notes.asked[-1]


@pytest.fixture
async def site(database: Database) -> AsyncIterator[Site]:
    """Provide a season of four, of whom Alice wins most and never meets Dot."""
    season = Season(database.pool)
    site = Site(await a_world(season))
    await season.source("a-club", region="west")
    for number, name in enumerate(("Alice", "Bea", "王小明", "Dot"), 1):
        await season.player(number, source="a-club", name=name, region="west")
        await season.verify(mj(number))
    for round_of in (
        Round({ALICE: 6, BEA: 4, CAM: 2}),
        Round({DOT: 1, BEA: 6, CAM: 5}),
        Round({ALICE: 5, BEA: 4, CAM: 3}),
    ):
        await season.play("a-club", round_of)
    await site.world.follow()
    async with asked(site.world), site.browser:
        yield site


async def test_a_player_is_shown_as_on_their_page_with_the_ratings_so_far(site: Site) -> None:
    shown = await site.preview(f"/players/{ALICE}/preview.png")
    assert isinstance(shown, PlayerPreview)
    profile = await site.world.get(f"/v1/players/{ALICE}")
    history = await site.world.get(f"/v1/players/{ALICE}/history")
    alice = shown.player
    assert (alice.name, alice.rating, alice.band) == ("Alice", profile["rating"], profile["band"])
    assert (alice.place, alice.games) == (1, 24)
    after = [round(each["mahjic"]["rating_after"] * 100) for each in history["changes"]]
    assert shown.ratings_centi == [150_000, *reversed(after)]
    assert len(after) == 2


async def test_what_an_id_did_before_it_was_merged_makes_no_jump(site: Site) -> None:
    await site.world.season.merge(DOT, ALICE)
    await site.world.follow()
    shown = await site.preview(f"/players/{ALICE}/preview.png")
    assert isinstance(shown, PlayerPreview)
    steps = pairwise(shown.ratings_centi)
    history = await site.world.get(f"/v1/players/{ALICE}/history")
    own = [each for each in reversed(history["changes"]) if each["played_as"] is None]
    assert [after - before for before, after in steps] == [
        round(each["mahjic"]["rating_change"] * 100) for each in own
    ]


async def test_an_id_may_be_typed_as_people_type_it(site: Site) -> None:
    shown = await site.preview(f"/players/{ALICE.lower()}/preview.png")
    assert isinstance(shown, PlayerPreview)
    assert shown.player.player_id == ALICE
    assert (await site.browser.get("/players/MJ-AAAAAAAA/preview.png")).status_code == 422


async def test_who_has_no_page_has_no_preview_and_all_look_the_same(site: Site) -> None:
    season = site.world.season
    await season.change(BEA, is_private=True)
    await season.erase(CAM)
    await season.merge(DOT, ALICE)
    await site.world.follow()
    answers = [
        await site.browser.get(f"/players/{who}/preview.png") for who in (BEA, CAM, DOT, mj(99))
    ]
    assert [answer.status_code for answer in answers] == [404] * 4
    told = [{**answer.json(), "instance": ""} for answer in answers]
    assert all(each == told[0] for each in told)
    fields = [{name for name in answer.headers if name != "x-request-id"} for answer in answers]
    assert all(each == fields[0] for each in fields)
    for path in ("/leaderboard/preview.png", "/leaderboard/west/preview.png"):
        shown = await site.preview(path)
        assert isinstance(shown, BoardPreview)
        assert [row.player_id for row in shown.rows] == [ALICE]


async def test_a_board_is_shown_by_its_first_rows(site: Site) -> None:
    await site.world.season.source("elsewhere", region="midwest")
    for path, title in (
        ("/leaderboard/preview.png", "Leaderboard"),
        ("/leaderboard/west/preview.png", "Leaderboard: West"),
    ):
        shown = await site.preview(path)
        assert isinstance(shown, BoardPreview)
        assert shown.title == title
        assert [(row.place, row.name) for row in shown.rows] == [
            (1, "Alice"), (2, "Bea"), (3, "Dot"), (4, "王小明")
        ]  # fmt: skip
    empty = await site.preview("/leaderboard/midwest/preview.png")
    assert empty == BoardPreview("Leaderboard: Midwest", [])
    assert (await site.browser.get("/leaderboard/atlantis/preview.png")).status_code == 404


async def test_a_source_is_shown_with_what_it_brought_in(site: Site) -> None:
    assert await site.preview("/sources/a-club/preview.png") == SourcePreview(
        "a-club", "A-Club", sessions=3, games=36, players=4
    )
    assert (await site.browser.get("/sources/nowhere/preview.png")).status_code == 404


async def test_other_pages_show_mahjic_itself_and_links_may_have_been_shared(site: Site) -> None:
    assert await site.preview("/preview.png?fbclid=x") == SitePreview()


async def test_a_preview_is_kept_for_minutes_and_asked_about_then(site: Site) -> None:
    answer = await site.browser.get(f"/players/{ALICE}/preview.png")
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["cache-control"] == "public, max-age=300"
    again = await site.browser.get(
        f"/players/{ALICE}/preview.png", headers={"If-None-Match": answer.headers["etag"]}
    )
    assert (again.status_code, again.content) == (304, b"")


async def test_whoever_asks_while_too_many_do_is_told_when_to_come_again(site: Site) -> None:
    site.notes.is_busy = True
    answer = await site.browser.get("/preview.png")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")


async def test_a_preview_comes_as_a_picture(site: Site) -> None:
    painter = PreviewPainter()
    try:
        painted = Site(site.world, painter=painter)
        async with painted.browser as browser:
            answer = await browser.get(f"/players/{CAM}/preview.png")
        assert seen(answer.content).size == (1200, 630)
    finally:
        await painter.aclose()


def test_every_preview_comes_before_the_page_of_a_board_with_any_name() -> None:
    paths = [route.path for route in SITE_ROUTES]
    boards = paths.index("/leaderboard/{region}")
    assert all(paths.index(route.path) < boards for route in PREVIEW_ROUTES)
