"""While a night is typed it is kept, and the page hears what is missing and what would happen."""

from tests.site.desk.conftest import CLUB, OWNER, SCORER, Desks
from tests.site.desk.test_night import DAY, DRAFTS, as_sent, count, league_night, meet
from tests.site.desk.test_night_erasure import forget
from tests.site.desk.typing import Typist
from tests.site.players.reading import PageRead

SUM = "4 of 5 games are accounted for: who won the last one? If nobody did, it is a wall game."


FILL = """
INSERT INTO mahjic.night_drafts (source, draft_id, night, named, page, version, changed_at)
SELECT source, 'nid_' || number, night, named, page, version, changed_at + interval '1 second'
FROM mahjic.night_drafts, generate_series(1, $2) AS number WHERE source = $1
"""


async def test_each_pause_keeps_the_night_and_tells_what_is_missing(desks: Desks) -> None:
    await meet(desks)
    typist = await Typist.begin(await desks.browser_of(SCORER))
    typist.type(date=DAY, kind="league", games_0="5").row(0, 0, "al", "2", "\u22125x")
    typist.row(0, 1, "Bob", "2", "(50)")
    told = await typist.live()
    assert ["sum-0", SUM] in told["missing"]
    assert [place for place, _ in told["missing"]] == ["sum-0", "points-0-0"]
    assert (told["version"], told["is_complete"], told["tried"]) == (1, False, "")
    # Names stay as they are while somebody is typing them.
    page = await typist.browser.page(told["action"])
    assert page.main.one("input", id="who-0-0").attributes["value"] == "al"
    typist.row(0, 0, "Alice", "2", "50").type(wall_0="1", version=str(told["version"]))
    told = await typist.live()
    assert (told["version"], told["missing"], told["is_complete"]) == (2, [], True)
    (table,) = PageRead(f"<main>{told['tried']}</main>").main.all("table", class_="moves")
    assert [row[0] for row in table.rows()][1:] == ["Alice", "Bob"]
    assert await count(desks) == 1
    # It is what the look at it says.
    live = {row[0]: tuple(row[1:]) for row in table.rows()[1:]}
    await typist.press("look")
    assert typist.moves() == live
    assert "beginning of some names" not in typist.page.main.text


async def test_whoever_is_new_is_asked_about_at_once(desks: Desks) -> None:
    await meet(desks)
    typist = await Typist.begin(await desks.browser_of(SCORER))
    typist.type(date=DAY, kind="social", games_0="1").row(0, 0, "Alice", "1").row(0, 1, "<b>Zo")
    asked = (await typist.live())["guests"]
    assert list(asked) == ["0"]
    (guest,) = PageRead(f"<main>{asked['0']}</main>").main.all("fieldset", class_="guest")
    assert guest.one("legend").text == "Who is <b>Zo?"
    typist.type(guest_0_name="<b>Zo", guest_0_how="anonymous", version="1")
    told = await typist.live()
    assert told["is_complete"]
    assert "&lt;b&gt;Zo" in told["tried"]


async def test_who_begins_like_one_of_the_list_is_seen_and_may_be_somebody_new(
    desks: Desks,
) -> None:
    await meet(desks)
    typist = await Typist.begin(await desks.browser_of(SCORER))
    typist.type(date=DAY, kind="social", games_0="1").row(0, 0, "al", "1").row(0, 1, "Bob")
    await typist.press("same")
    await typist.type(won_1_1="1").press("look")
    (notice,) = typist.page.main.all("div", class_="notice")
    assert "“al”: Alice" in notice.text
    assert "Bob" not in notice.text
    (link,) = notice.links()
    await typist.go(link)
    assert "You typed “al”, and we took it for Alice." in typist.page.main.text
    await typist.press("other-0-0")
    assert [typist.typed[f"who-{table}-0"] for table in (0, 1)] == ["al", "al"]
    assert typist.typed["guest-0-how"] == "address"
    await typist.type(guest_0_how="anonymous").press("look")
    assert set(typist.moves()) == {"al", "Bob"}
    # Nobody is asked about a name that stands there in full.
    await typist.go(typist.at.removesuffix("/look"))
    await typist.type(who_0_0="alice", who_1_0="Alice").press("look")
    assert "beginning of some names" not in typist.page.main.text


async def test_an_answer_that_was_lost_is_no_change_by_somebody_else(desks: Desks) -> None:
    await meet(desks)
    typist = await Typist.begin(await desks.browser_of(SCORER))
    typist.type(date=DAY).row(0, 0, "Alice", "1")
    for won in ("1", "2", "3"):
        told = await typist.type(won_0_0=won).live()
        assert told["action"] == typist.action
    assert await desks.town.house.pool.fetchval(DRAFTS) == 1
    # Another page is somebody else, and becomes a night of its own, once.
    other = Typist(await desks.browser_of(OWNER), typist.page)
    await other.go(typist.action)
    await typist.type(won_0_0="4").live()
    apart = {(await other.type(won_0_1=won).live())["action"] for won in ("1", "2", "3")}
    assert len(apart) == 1
    assert apart != {typist.action}
    assert await desks.town.house.pool.fetchval(DRAFTS) == 2
    await typist.go(typist.action)
    assert (typist.typed["won-0-0"], typist.typed["won-0-1"]) == ("4", "")


async def test_a_night_that_is_gone_does_not_come_back_by_an_open_page(desks: Desks) -> None:
    await meet(desks)
    typist = await Typist.begin(await desks.browser_of(SCORER))
    await typist.type(date=DAY).row(0, 0, "Alice", "1").press("save")
    await forget(desks, "alice@ex.com")
    for answer in (
        await typist.ask("/live", typist.typed),
        await typist.browser.send(typist.action, {**typist.typed, "do": "save"}),
    ):
        assert answer.status_code == 404
    assert await desks.town.house.pool.fetchval(DRAFTS) == 0


async def test_a_script_is_told_where_each_press_leads(desks: Desks) -> None:
    await meet(desks)
    typist = await league_night(await desks.browser_of(SCORER))
    await typist.go(typist.at.removesuffix("/look"))
    for do, leads_to in {"look": "/look", "save": "?saved=yes", "rotate": "?at=2"}.items():
        answer = await typist.ask("", {**typist.typed, "do": do})
        assert answer.json() == {"leads_to": typist.action + leads_to}
        assert answer.headers["cache-control"] == "no-store"
        await typist.go(typist.action)
    await typist.press("remove-2")
    await (await typist.press("look")).send()
    answer = await typist.browser.client.post(
        typist.at.removesuffix("/sent") + "/live",
        data={"games-0": "4", "version": "1"},
        headers={"Accept": "application/json", "Sec-Fetch-Site": "same-origin"},
    )
    assert answer.json() == {"leads_to": typist.at}
    assert await count(desks) == 2


async def test_a_night_that_is_on_record_is_told_while_it_is_typed(desks: Desks) -> None:
    await meet(desks)
    await desks.town.running.submit(as_sent(), desks.town.key)
    typist = await league_night(await desks.browser_of(SCORER))
    await typist.go(typist.at.removesuffix("/look"))
    assert "exactly this night before" in (await typist.live())["tried"]
    told = await typist.type(points_0_0="126").live()
    assert "with the same people, or all but one" in told["tried"]
    # More than may be tried in a minute is kept all the same.
    desks.town.running.service.recording.trials._limit = 1
    told = await typist.type(points_0_0="127").live()
    assert (told["is_complete"], told["tried"]) == (True, "")
    page = await typist.browser.page(f"/desk/{CLUB}/night/{typist.action.rpartition('/')[2]}")
    assert page.main.one("input", id="points-0-0").attributes["value"] == "127"


async def test_only_so_many_nights_wait_and_the_next_one_is_told_which_to_throw_away(
    desks: Desks,
) -> None:
    await meet(desks)
    pool, browser = desks.town.house.pool, await desks.browser_of(SCORER)
    first = (await Typist.begin(browser)).type(date="2026-01-11").row(0, 0, "Alice", "1")
    oldest = (await first.live())["action"]
    await pool.execute(FILL, CLUB, 58)
    # The last one that fits, and all of them are listed.
    last = (await Typist.begin(browser)).type(date=DAY).row(0, 0, "Bob", "1")
    kept = await last.live()
    desk = await browser.page(f"/desk/{CLUB}")
    assert len([each for each in desk.main.links() if "/night/" in each]) == 60
    too_many = (await Typist.begin(browser)).type(date=DAY).row(0, 0, "Carol", "1")
    refused = await too_many.ask("/live", too_many.typed)
    assert (refused.status_code, refused.json()["code"]) == (409, "too_many_nights")
    words = "60 nights of your club are not sent yet."
    assert words in refused.json()["detail"]
    assert "Jan 11, 2026" in refused.json()["detail"]
    page = await browser.send(too_many.action, {**too_many.typed, "do": "save"})
    assert page.status_code == 409
    assert words in page.text
    # What is kept can be typed on, but not twice over; and room can be made.
    last.row(0, 1, "Dave", "2").type(version=str(kept["version"]))
    assert (await last.live())["action"] == kept["action"]
    other = await last.ask("/live", {**last.typed, "page": "another", "who-0-1": "Alice"})
    assert other.status_code == 409
    await browser.send(f"{oldest}/drop", {})
    assert (await too_many.live())["version"] == 1
    assert await pool.fetchval(DRAFTS) == 60
