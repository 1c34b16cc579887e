"""A player's page tells who they are, how they stand, and every session behind that."""

import re

from shared.events.facts import SessionsVoided
from tests.projections.corrections.test_correcting import one_record
from tests.projections.season import Round, mj
from tests.site.players.conftest import SiteWorld
from tests.site.serving import ORIGIN

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
    assert page.canonical == f"{ORIGIN}/players/{ALICE}"
    assert page.meta("og:image") == f"{ORIGIN}/players/{ALICE}/preview.png"
    assert page.meta("robots") is None
    (night,) = page.one("ol", class_="nights").all("details")
    assert "Jan 31, 2026" in night.one("summary").text
    assert "won 2 of 5 games, 1 wall game" in night.one("summary").text
    first, second = night.one("ol", class_="rounds").all("li")
    assert "Round 1: won 2 of 4 games, 1 wall game" in first.text
    assert f"with {BO} (1500), {CAROL} (1500)" in first.text
    assert "Round 2: won 0 of 1 game" in second.text
    reason = f"/players/{ALICE}/changes/{ALICE}.2.1"
    assert first.links() == [f"/players/{BO}", f"/players/{CAROL}", reason]
    assert second.links()[-1] == f"/players/{ALICE}/changes/{ALICE}.2.2"


async def test_sessions_are_pages_of_real_links_that_lead_to_all_and_back(site: SiteWorld) -> None:
    for night in range(60):
        await site.season.play("club", Round({ALICE: night % 3, BO: 1}))
    await site.follow()
    path, seen, back = f"/players/{ALICE}", [], []
    while True:
        page = await site.page(path)
        assert page.canonical == f"{ORIGIN}/players/{ALICE}"
        nights = list(page.one("ol", class_="nights").all("details"))
        seen.append([each.links()[-2] for each in nights])
        back.append(path)
        older = list(page.main.all("a", rel="next"))
        if not older:
            break
        path = older[0].attributes["href"]
    assert [len(each) for each in seen] == [25, 25, 10]
    assert len({each for page_seen in seen for each in page_seen}) == 60
    # The same pages again, by the links to the newer ones; the first is the player's own page.
    for expected in reversed(back[:-1]):
        (newer,) = page.main.all("a", rel="prev")
        page = await site.page(newer.attributes["href"])
        nights = list(page.one("ol", class_="nights").all("details"))
        assert [each.links()[-2] for each in nights] == seen[back.index(expected)]


async def test_who_has_no_games_left_is_not_told_that_nobody_they_met_can_be_seen(
    site: SiteWorld,
) -> None:
    session, _ = await site.season.play("club", Round({ALICE: 2, BO: 1}))
    await site.follow()
    assert BO in (await site.page(f"/players/{ALICE}")).one("table", class_="met").text
    await site.told.void(session)
    await site.follow()
    assert "Played with most" not in (await site.page(f"/players/{ALICE}")).main.text


async def test_the_ratings_that_a_session_tells_ask_for_no_sum_of_rounded_numbers(
    site: SiteWorld,
) -> None:
    for who in (ALICE, BO):
        await site.season.verify(who)
    for _ in range(3):
        await site.season.play("club", Round({ALICE: 2, BO: 1}))
    await site.follow()
    page = await site.page(f"/players/{ALICE}")
    for night in page.one("ol", class_="nights").all("details"):
        assert re.search(r"Verified rating: \d+ → \d+\. Submitted by", night.text), night.text


async def test_a_session_that_no_longer_counts_is_marked_in_words(site: SiteWorld) -> None:
    session, _ = await site.season.play("club", Round({ALICE: 2, BO: 1}))
    correction = await site.told.void(session)
    await site.follow()
    page = await site.page(f"/players/{ALICE}")
    corrected, night = page.one("ol", class_="nights").all("li", class_="card")
    assert "correction Session taken out. A session no longer counts." in corrected.text
    assert "Reason: entered twice." in corrected.text
    assert corrected.links() == [f"/players/{ALICE}/changes/{ALICE}.{correction}"]
    assert "taken out later" in night.text
    assert "A correction further up took its changes back." in night.text


async def test_a_replaced_session_is_marked_in_words(site: SiteWorld) -> None:
    session, _ = await site.season.play("club", Round({ALICE: 2, BO: 1}))
    await site.told.correct(session, Round({ALICE: 0, BO: 2}))
    await site.follow()
    page = await site.page(f"/players/{ALICE}")
    text = page.one("ol", class_="nights").text
    assert "corrected later" in text
    assert "A corrected session took the place of this one." in text
    assert "A session was replaced by a corrected one. Reason: wrong result." in text


async def test_whom_a_player_met_most_stands_with_what_both_won(site: SiteWorld) -> None:
    await site.season.change(BO, name="Bo")
    await site.season.change(DAVE, is_private=True)
    await site.season.play("club", Round({ALICE: 3, BO: 1, DAVE: 1}), Round({ALICE: 0, BO: 2}, 1))
    await site.season.play("club", Round({ALICE: 1, CAROL: 2}))
    await site.follow()
    page = await site.page(f"/players/{ALICE}")
    rows = page.one("table", class_="met").rows()[1:]
    assert [row[1:] for row in rows] == [["8", "3", "3"], ["3", "1", "2"]]
    assert rows[0][0].startswith("Bo ")
    assert f"/compare/{ALICE}/{BO}" in page.one("table", class_="met").links()
    # A private player is at the table, without a link and without a word about later.
    (night,) = list(page.one("ol", class_="nights").all("details"))[1:]
    assert "a private player (1500)" in night.text
    assert DAVE not in page.html


async def test_a_survivor_has_the_sessions_of_both_and_a_merged_id_leads_there(
    site: SiteWorld,
) -> None:
    await site.season.play("club", Round({ALICE: 2, BO: 1}))
    await site.season.play("club", Round({CAROL: 2, BO: 1}))
    await site.told.merge(CAROL, ALICE)
    await site.follow()
    answer = await site.ask(f"/players/{CAROL}")
    assert (answer.status_code, answer.headers["location"]) == (302, f"/players/{ALICE}")
    assert answer.headers["cache-control"] == "no-cache"
    page = await site.page(f"/players/{ALICE}")
    assert "Two Mahjic IDs joined" in page.main.text
    assert f"Played as {CAROL}" in page.main.text
    for path in [each for each in page.main.links() if "/changes/" in each]:
        await site.page(path)
    reason = f"/changes/{CAROL}.3.1"
    moved = await site.ask(f"/players/{CAROL}{reason}")
    assert moved.headers["location"] == f"/players/{ALICE}{reason}"
    compared = await site.ask(f"/compare/{BO}/{CAROL}")
    assert compared.headers["location"] == f"/compare/{BO}/{ALICE}"
    await site.told.unmerge(CAROL, ALICE)
    await site.follow()
    assert (await site.page(f"/players/{CAROL}")).one("h1").text == CAROL
    assert "Two Mahjic IDs separated" in (await site.page(f"/players/{ALICE}")).main.text


async def test_a_seat_of_somebody_else_is_told_on_both_pages_and_counts_where_it_belongs(
    site: SiteWorld,
) -> None:
    session, _ = await site.season.play("club", Round({ALICE: 2, BO: 1}))
    await site.season.play("club", Round({ALICE: 1, CAROL: 1}))
    await site.told.reseat(ALICE, DAVE, session)
    await site.follow()
    for who, other in ((ALICE, DAVE), (DAVE, ALICE)):
        page = await site.page(f"/players/{who}")
        assert "Seat given to the right player" in page.main.text
        assert "A seat was under the wrong player" in page.main.text
        assert other not in page.main.text  # Nobody is told who shares an address with whom.
        for path in [each for each in page.main.links() if "/changes/" in each]:
            await site.page(path)
    # The round stays where it was published, and whoever sat there has met Bo.
    of_alice = await site.page(f"/players/{ALICE}")
    assert len([*of_alice.one("ol", class_="nights").all("details")]) == 2
    met = (await site.page(f"/players/{DAVE}")).one("table", class_="met")
    assert [row[1:] for row in met.rows()[1:]] == [["3", "2", "1"]]
    assert f"/compare/{DAVE}/{BO}" in met.links()
    met = of_alice.one("table", class_="met")
    assert f"/compare/{ALICE}/{BO}" not in met.links()
    await site.told.reseat(DAVE, ALICE, session)
    await site.follow()
    met = (await site.page(f"/players/{ALICE}")).one("table", class_="met")
    assert f"/compare/{ALICE}/{BO}" in met.links()


async def test_while_a_correction_is_worked_in_the_page_says_so(site: SiteWorld) -> None:
    people = [mj(number) for number in range(1, 7)]
    sessions = [
        (await site.season.play("club", Round({who: 1 + at for at, who in enumerate(four)})))[0]
        for four in (people[:4], people[2:], people[1:5])
    ]
    await site.follow()
    notice = "We are working in a correction right now."
    assert notice not in (await site.page(f"/players/{ALICE}")).main.text
    await site.season.tell(SessionsVoided((sessions[0],), "not_played"))
    await one_record(site.told.world)
    assert notice in (await site.page(f"/players/{ALICE}")).main.text
    assert notice in (await site.page(f"/compare/{ALICE}/{BO}")).main.text
    await site.follow()
    assert notice not in (await site.page(f"/players/{ALICE}")).main.text


async def test_a_place_leads_to_the_board_and_who_has_none_to_nowhere(site: SiteWorld) -> None:
    for who in (ALICE, BO):
        await site.season.verify(who)
    await site.season.play("club", Round({ALICE: 6, BO: 4}))
    await site.season.play("club", Round({CAROL: 6, DAVE: 4}))
    await site.follow()
    for who, links in ((ALICE, ["/leaderboard"]), (BO, ["/leaderboard"]), (CAROL, [])):
        standing, *_record = (await site.page(f"/players/{who}")).main.all("dl", class_="facts")
        assert standing.links() == links
