"""Pages of others show what Mahjic shows: under a strict policy, in a sandbox, and from a file."""

from pathlib import Path
from typing import Any, Final, Literal

import pytest
from playwright.async_api import Browser, Locator, expect

from services.site.embeds.made_up import read_round
from services.site.kit.figures import centi
from services.site.kit.words import shown_number, shown_rating
from shared.rating.registry import formula_named
from tests.browser import townsfolk as folk
from tests.browser.axe import check_axe
from tests.browser.embeds.elsewhere import Club, a_page, reading
from tests.browser.town import ALICE, Town

BOARD: Final = '<mahjic-leaderboard source="tuesday-tiles" limit="5"></mahjic-leaderboard>'
CALCULATOR: Final = "<mahjic-calculator></mahjic-calculator>"
HOSTILE: Final = "<img src=x onerror=alert(1)>"
NOBODY: Final = "No public player has this Mahjic ID."
OPEN: Final = {"Access-Control-Allow-Origin": "*"}


def all_of_it(town: Town) -> str:
    """Return one of each element."""
    return f'{BOARD}<mahjic-player id="{town.ids[ALICE]}"></mahjic-player>{CALCULATOR}'


async def answer(town: Town, path: str) -> dict[str, Any]:
    """Return what the interface answers."""
    answered = await town.client.get(path)
    assert answered.status_code == 200, answered.text
    return dict(answered.json())


async def rows_of(element: Locator) -> list[list[str]]:
    """Return the rows of a table that is seen, without its head."""
    await element.locator("tbody tr").first.wait_for()
    rows: list[list[str]] = await element.locator("tbody tr").evaluate_all(
        "(rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    return rows


async def check_shown(town: Town, place: Any) -> None:
    """Fail unless each element shows what the interface answers, or the formula gives."""
    board = await answer(town, "/v1/sources/tuesday-tiles/leaderboard?limit=5")
    assert await rows_of(place.locator("mahjic-leaderboard")) == [
        [
            str(each["place"]),
            each["name"],
            shown_rating(each["verified_rating"]),
            shown_number(each["verified_games"]),
        ]
        for each in board["players"]
    ]
    assert len(board["players"]) == 5
    alice = await answer(town, f"/v1/players/{town.ids[ALICE]}")
    player = place.locator("mahjic-player")
    await expect(player.get_by_role("link", name=alice["name"])).to_be_visible()
    await expect(player.get_by_text(shown_rating(alice["rating"]), exact=True)).to_be_visible()
    await expect(player.get_by_text(alice["band"], exact=True)).to_be_visible()
    moves = read_round({}).moves(formula_named("mahjic-elo/1"))
    assert await rows_of(place.locator("mahjic-calculator")) == [
        [each.name, centi(each.change_centi, signed=True), centi(each.after_centi)]
        for each in moves
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_a_page_with_a_strict_policy_shows_all_of_it_to_everybody(
    browser: Browser, town: Town, club: Club, scheme: Literal["light", "dark"]
) -> None:
    async with reading(browser, color_scheme=scheme) as reader:
        await reader.page.goto(club.shows(all_of_it(town)))
        await check_shown(town, reader.page)
        await check_axe(reader.page)
        asked = [each for each in reader.asked if each.url.startswith(town.url)]
        # The script, what the calculator needs, and one question for each of the two others.
        assert len([each for each in asked if "/v1/" in each.url]) == 2
        for each in asked:
            headers = await each.all_headers()
            assert "cookie" not in headers
            assert "/v1/" not in each.url or "referer" not in headers
        assert await reader.page.context.cookies() == []
        assert all(each.url.startswith((town.url, club.url)) for each in reader.asked)


async def test_a_sandbox_without_storage_shows_all_of_it_and_leads_out(
    browser: Browser, town: Town, club: Club
) -> None:
    club.shows(all_of_it(town), "/inner")
    async with reading(browser) as reader:
        frame = '<iframe sandbox="allow-scripts" title="Inner" src="/inner"></iframe>'
        await reader.page.goto(club.shows(frame))
        inner = reader.page.frame_locator("iframe")
        await check_shown(town, inner)
        led = inner.locator("mahjic-player").get_by_role("link")
        assert await led.get_attribute("target") == "_blank"
        assert await led.get_attribute("href") == f"{town.url}/players/{town.ids[ALICE]}"
        await inner.get_by_role("group", name="Dave").get_by_label("Rating").fill("")
        await inner.get_by_role("button", name="Work it out").click()
        await expect(inner.locator("mahjic-calculator tbody tr")).to_have_count(3)


async def test_a_page_from_a_file_shows_all_of_it(
    browser: Browser, town: Town, tmp_path: Path
) -> None:
    page = a_page(town.url, all_of_it(town)).replace('href="/style.css"', 'href="style.css"')
    (tmp_path / "page.html").write_text(page)
    (tmp_path / "style.css").write_text("")
    async with reading(browser) as reader:
        await reader.page.goto((tmp_path / "page.html").as_uri())
        await check_shown(town, reader.page)


async def test_who_is_not_public_looks_like_somebody_unknown(
    browser: Browser, town: Town, club: Club
) -> None:
    said = set()
    async with reading(browser) as reader:
        for who in (town.ids[folk.HIDDEN], town.ids[folk.ERASED], "MJ-0000001Y", "nobody", ""):
            body = f'<mahjic-player id="{who}"></mahjic-player>'
            await reader.page.goto(club.shows(body))
            await expect(reader.page.get_by_text(NOBODY)).to_be_visible()
            said.add(
                await reader.page.locator("mahjic-player").evaluate(
                    "(each) => each.shadowRoot.innerHTML"
                )
            )
            assert await reader.page.evaluate("localStorage.length") == 0
    assert len(said) == 1


async def test_a_name_is_text_whatever_it_is(browser: Browser, town: Town, club: Club) -> None:
    board = await answer(town, "/v1/sources/tuesday-tiles/leaderboard?limit=5")
    board["players"][0] |= {"name": HOSTILE, "player_id": '"><b>'}
    async with reading(browser) as reader:
        await reader.page.route("**/v1/**", lambda route: route.fulfill(json=board, headers=OPEN))
        await reader.page.goto(club.shows(BOARD))
        link = reader.page.get_by_role("link", name=HOSTILE)
        assert await link.get_attribute("href") == f"{town.url}/players/%22%3E%3Cb%3E"
        assert await reader.page.locator("img, b").count() == 0


async def test_an_element_follows_its_attributes(browser: Browser, town: Town, club: Club) -> None:
    async with reading(browser) as reader:
        await reader.page.goto(club.shows(BOARD))
        rows = reader.page.locator("mahjic-leaderboard tbody tr")
        await expect(rows).to_have_count(5)
        change = "(each, [name, value]) => each.setAttribute(name, value)"
        element = reader.page.locator("mahjic-leaderboard")
        await element.evaluate(change, ["limit", "2"])
        await expect(rows).to_have_count(2)
        await element.evaluate(change, ["source", "nowhere"])
        await expect(element.get_by_text("We can’t find this club on Mahjic.")).to_be_visible()
        await element.evaluate("(each) => each.removeAttribute('source')")
        await expect(rows).to_have_count(2)
        best = await answer(town, "/v1/leaderboard?limit=2")
        assert [row[1] for row in await rows_of(element)] == [
            each["name"] for each in best["players"]
        ]


async def test_a_page_gives_it_colors_of_its_own(browser: Browser, town: Town, club: Club) -> None:
    color = "(each) => getComputedStyle(each).color"
    async with reading(browser) as reader:
        own = BOARD.replace(" source", ' class="own" source')
        await reader.page.goto(club.shows(f"{own}<hr>{BOARD}"))
        cells = reader.page.locator("mahjic-leaderboard td.num")
        assert await cells.first.evaluate(color) == "rgb(1, 2, 3)"
        assert await cells.last.evaluate(color) == "rgb(26, 33, 30)"


async def test_a_calculator_tells_mistakes_at_their_fields(
    browser: Browser, town: Town, club: Club
) -> None:
    async with reading(browser) as reader:
        await reader.page.goto(club.shows(CALCULATOR))
        rating = reader.page.get_by_role("group", name="Bea").get_by_label("Rating")
        await rating.fill("good")
        await reader.page.get_by_role("button", name="Work it out").click()
        await expect(rating).to_have_accessible_description("Write a number like 1500 or 1487.25.")
        await expect(reader.page.get_by_text("Correct what is marked above")).to_be_visible()
        await check_axe(reader.page)
        await reader.page.get_by_label("Kind of game").select_option("social")
        await expect(reader.page.get_by_label("Points")).to_have_count(4)
        await expect(reader.page.get_by_label("Points").first).to_be_hidden()
        await rating.fill("1550")
        await reader.page.get_by_role("button", name="Work it out").click()
        await expect(reader.page.locator("tbody tr")).to_have_count(4)
