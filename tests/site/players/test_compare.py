"""Two players stand side by side, chosen by name or Mahjic ID, without a script."""

from decimal import Decimal

import pytest

from tests.projections.season import Round, mj
from tests.site.players.conftest import SiteWorld
from tests.site.players.test_why import expected_score
from tests.site.serving import ORIGIN

ALICE, BO, CAROL = (mj(number) for number in range(1, 4))


@pytest.fixture
async def met(site: SiteWorld) -> SiteWorld:
    await site.season.change(ALICE, name="Alice")
    await site.season.change(BO, name="Bo")
    for night in range(30):
        await site.season.play("club", Round({ALICE: 2, BO: night % 3, CAROL: 1}, 1))
    await site.follow()
    return site


async def test_two_stand_side_by_side_with_what_to_expect_today(met: SiteWorld) -> None:
    page = await met.page(f"/compare/{ALICE}/{BO}")
    assert page.title == "Alice and Bo · Mahjic"
    assert page.canonical == f"{ORIGIN}/compare/{ALICE}/{BO}"
    profiles = [await met.reads.players.profile(who) for who in (ALICE, BO)]
    own, other = (Decimal(str(each["rating"])) for each in profiles)
    percent = round(expected_score(own, other) * 100)
    lead = page.one("p", class_="lead").text
    assert f"Today Alice would be expected to score {percent}% against Bo." in lead
    rows = {row[0]: row[1:] for row in page.one("table", class_="two").rows()}
    assert rows["Rating"] == [str(round(own)), str(round(other))]
    assert rows["Games"] == [str(each["games"]) for each in profiles]
    record = page.one("dl", class_="record").text
    # Ten times each: Bo won none, one and two of the games.
    assert record == "Alice won 60 Bo won 30 Wall games 30 Games together 150"
    turned = (await met.page(f"/compare/{BO}/{ALICE}")).one("p", class_="lead").text
    assert f"Today Bo would be expected to score {100 - percent}% against Alice." in turned


async def test_their_rounds_together_are_pages_whose_changes_lead_to_reasons(
    met: SiteWorld,
) -> None:
    path, rounds = f"/compare/{ALICE}/{BO}", 0
    reasons: list[str] = []
    while True:
        page = await met.page(path)
        table = page.one("table", class_="meetings")
        rounds += len(table.rows()) - 1
        reasons += table.links()
        older = list(page.main.all("a", rel="next"))
        if not older:
            break
        path = older[0].attributes["href"]
    assert rounds == 30
    assert len(set(reasons)) == len(reasons) == 60
    for reason in reasons[-2:]:
        await met.page(reason)


async def test_two_who_never_met_are_told_so(met: SiteWorld) -> None:
    page = await met.page(f"/compare/{ALICE}/{mj(5)}")
    assert "haven’t met in a round that counts" in page.main.text
    # One of them has not chosen a name.
    assert page.meta("robots") == "noindex"


async def test_the_same_player_twice_is_told_at_the_field(met: SiteWorld) -> None:
    answer = await met.ask(f"/compare/{ALICE}/{ALICE}")
    assert answer.headers["location"] == f"/compare?one={ALICE}&other={ALICE}"
    page = await met.page(answer.headers["location"])
    assert page.one("input", id="other").attributes["aria-invalid"] == "true"
    assert page.one("div", role="alert").links() == ["#other"]


async def test_players_are_chosen_from_what_a_search_finds(met: SiteWorld) -> None:
    page = await met.page("/compare?one=ali&other=bo")
    first, second = page.main.all("ul", class_="people")
    assert first.links() == [f"/compare?one={ALICE}&other=bo"]
    assert second.links() == [f"/compare?other={BO}&one=ali"]
    page = await met.page(first.links()[0])
    assert "First player: Alice" in page.main.text
    (second,) = page.main.all("ul", class_="people")
    last = await met.ask(second.links()[0])
    assert last.headers["location"] == f"/compare/{ALICE}/{BO}"
    # The link on a player's page begins with that player.
    (link,) = (
        each
        for each in (await met.page(f"/players/{BO}")).main.links()
        if each.startswith("/compare?")
    )
    assert "First player: Bo" in (await met.page(link)).main.text
    # A name that needs care in an address.
    await met.season.change(BO, name='B&o "=?#')
    page = await met.page("/compare?one=B%26o&other=ali%26x")
    assert page.main.all("ul", class_="people")


async def test_a_mistake_is_told_at_its_field(met: SiteWorld) -> None:
    page = await met.page(f"/compare?one=a&other={BO[:-1]}Z")
    for name in ("one", "other"):
        field = page.one("input", id=name)
        wrong = field.attributes["aria-describedby"].split()[-1]
        assert page.one("p", id=wrong).text
