"""A player's page tells who they are, how they stand, and every session behind that."""

from tests.projections.season import Round, mj
from tests.site.players.conftest import SiteWorld

ALICE, BO, CAROL, DAVE = (mj(number) for number in range(1, 5))


async def test_a_player_without_games_is_told_how_it_begins(site: SiteWorld) -> None:
    await site.follow()
    page = await site.page(f"/players/{ALICE}")
    assert page.one("h1").text == ALICE
    assert "1500" in page.one("dl").text
    assert "has no rated games yet" in page.main.text
    assert "Provisional" in page.main.text
    # Nobody has claimed this id.
    assert page.meta("robots") == "noindex"


async def test_one_session_opens_to_its_rounds_and_their_reasons(site: SiteWorld) -> None:
    await site.season.change(ALICE, name="Alice Rosen")
    await site.season.play("club", Round({ALICE: 2, BO: 1, CAROL: 0}, 1), Round({ALICE: 0, BO: 1}))
    await site.follow()
    page = await site.page(f"/players/{ALICE}")
    assert page.title == "Alice Rosen · Mahjic"
    assert page.canonical == f"https://mahjic.test/players/{ALICE}"
    assert page.meta("og:image") == f"https://mahjic.test/players/{ALICE}/preview.png"
    assert page.meta("robots") is None
    (night,) = page.one("ol", class_="nights").all("details")
    assert "Jan 31, 2026" in night.one("summary").text
    assert "won 2 of 5 games, 1 wall game" in night.one("summary").text
    first, second = night.one("ol", class_="rounds").all("li")
    assert "Round 1: won 2 of 4 games, 1 wall game" in first.text
    assert f"with {BO} (1500), {CAROL} (1500)" in first.text
    assert "Round 2: won 0 of 1 game" in second.text
    assert first.links() == [
        f"/players/{BO}",
        f"/players/{CAROL}",
        f"/players/{ALICE}/changes/{ALICE}.2.1",
    ]
    assert second.links()[-1] == f"/players/{ALICE}/changes/{ALICE}.2.2"
