"""A badge and a card say what the page of a player says, and show no one whom pages don't show."""

from collections.abc import AsyncIterator
from itertools import combinations
from xml.etree import ElementTree as Xml

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.site.kit.words import BANDS
from services.site.previews.badge import drawn_badge
from services.site.previews.painter import PreviewPainter, typefaces
from services.site.previews.player_card import CARD_HEIGHT, CARD_WIDTH, drawn_card
from services.site.previews.subjects import PlayerCard
from tests.conftest import Database
from tests.projections.conftest import World, a_world, asked
from tests.projections.season import Round, Season, mj
from tests.site.previews.showing import PLAYER_ID, seen
from tests.site.previews.test_layout import HOSTILE, SVG, box_of
from tests.site.serving import serve_site

ALICE, BEA, CAM, DOT = (mj(number) for number in (1, 2, 3, 4))
FROM_ELSEWHERE = {"Origin": "https://club.example.org"}
NAMES = st.text(max_size=80) | st.sampled_from([*HOSTILE, "W" * 80, "王小明"])


def a_card(name: str) -> PlayerCard:
    return PlayerCard(PLAYER_ID, name, 1612.4, "Intermediate", 1_234_567, 1_234_567)


@given(NAMES)
def test_every_text_of_a_card_is_inside_it_and_on_top_of_no_other(name: str) -> None:
    drawn = Xml.fromstring(drawn_card(a_card(name), typefaces()))
    boxes = [box_of(each) for each in drawn.iter(f"{SVG}text")]
    for left, top, right, bottom in boxes:
        assert 0 <= left < right <= CARD_WIDTH - 40
        assert 0 <= top < bottom <= CARD_HEIGHT
    for one, other in combinations(boxes, 2):
        assert one[3] <= other[1] or other[3] <= one[1], (one, other)


@given(NAMES)
def test_no_name_on_a_card_becomes_anything_but_text(name: str) -> None:
    drawn = Xml.fromstring(drawn_card(a_card(name), typefaces()))
    assert {each.tag.removeprefix(SVG) for each in drawn.iter()} == {
        "svg", "rect", "g", "circle", "text"
    }  # fmt: skip


def test_a_name_in_letters_that_a_card_lacks_gives_way_to_the_id_which_is_said_once() -> None:
    for name in ("王小明", PLAYER_ID):
        texts = Xml.fromstring(drawn_card(a_card(name), typefaces())).iter(f"{SVG}text")
        assert [each.text for each in texts].count(PLAYER_ID) == 1


@pytest.mark.parametrize("band", BANDS)
def test_a_badge_has_room_for_its_texts_in_any_typeface(band: str) -> None:
    badge = Xml.fromstring(drawn_badge(1612.4, band, typefaces().text))
    brand, told = badge.iter(f"{SVG}text")
    assert (brand.text, told.text) == ("Mahjic", f"1612 {band}")
    assert badge.attrib["aria-label"] == f"Mahjic rating 1612 {band}"
    ends = [float(each.attrib["x"]) + float(each.attrib["textLength"]) for each in (brand, told)]
    assert ends[0] < float(told.attrib["x"])
    assert ends[1] < float(badge.attrib["width"])


@pytest.fixture
async def season(database: Database) -> AsyncIterator[World]:
    """Provide a season of four, of whom Alice wins most and never meets Dot."""
    season = Season(database.pool)
    world = await a_world(season)
    await season.source("a-club")
    for number, name in enumerate(("Alice", "Bea", "Cam", "Dot"), 1):
        await season.player(number, source="a-club", name=name)
        await season.verify(mj(number))
    await season.play("a-club", Round({ALICE: 6, BEA: 4, CAM: 2}))
    await season.play("a-club", Round({DOT: 1, BEA: 6, CAM: 5}))
    await world.follow()
    async with asked(world):
        yield world


@pytest.fixture
async def browser(season: World) -> AsyncIterator[httpx.AsyncClient]:
    painter = PreviewPainter()
    transport = httpx.ASGITransport(serve_site(season, painter))
    async with httpx.AsyncClient(transport=transport, base_url="http://mahjic.test") as browser:
        yield browser
    await painter.aclose()


@pytest.mark.starts_servers
async def test_a_badge_says_the_rating_and_its_word(
    season: World, browser: httpx.AsyncClient
) -> None:
    profile = await season.get(f"/v1/players/{ALICE}")
    answer = await browser.get(f"/players/{ALICE}/badge.svg?utm_source=x")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/svg+xml")
    texts = [each.text for each in Xml.fromstring(answer.text).iter(f"{SVG}text")]
    assert texts == ["Mahjic", f"{round(profile['rating'])} {profile['band']}"]


@pytest.mark.starts_servers
async def test_a_card_is_a_picture_of_half_the_size_of_a_preview(
    browser: httpx.AsyncClient,
) -> None:
    answer = await browser.get(f"/players/{ALICE.lower()}/card.png")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    assert seen(answer.content).size == (720, 400)
    other = await browser.get(f"/players/{BEA}/card.png")
    assert other.content != answer.content


@pytest.mark.starts_servers
@pytest.mark.parametrize("picture", ["badge.svg", "card.png"])
async def test_scripts_of_others_may_read_it_and_caches_keep_it_for_minutes(
    browser: httpx.AsyncClient, picture: str
) -> None:
    path = f"/players/{ALICE}/{picture}"
    answer = await browser.get(path, headers=FROM_ELSEWHERE)
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    assert answer.headers["cache-control"] == "public, max-age=300"
    again = await browser.get(path, headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.starts_servers
@pytest.mark.parametrize("picture", ["badge.svg", "card.png"])
async def test_who_has_no_page_has_no_picture_and_all_look_the_same(
    season: World, browser: httpx.AsyncClient, picture: str
) -> None:
    await season.season.change(BEA, is_private=True)
    await season.season.erase(CAM)
    await season.season.merge(DOT, ALICE)
    await season.follow()
    answers = [await browser.get(f"/players/{who}/{picture}") for who in (BEA, CAM, DOT, mj(99))]
    assert [answer.status_code for answer in answers] == [404] * 4
    told = [{**answer.json(), "instance": "the number of the request"} for answer in answers]
    assert all(each == told[0] for each in told)
    assert {answer.headers["access-control-allow-origin"] for answer in answers} == {"*"}
    fields = [{name for name in answer.headers if name != "x-request-id"} for answer in answers]
    assert all(each == fields[0] for each in fields)
