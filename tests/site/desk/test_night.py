"""A night is typed, looked at and sent without JavaScript, and counts once, whatever happens."""

from datetime import date, timedelta

import pytest

from services.site.desk.routes import DESK_PAGES
from tests.site.desk.conftest import CLUB, OTHER, OWNER, SCORER, STRANGER, Desks
from tests.site.desk.typing import Typist
from tests.site.me.conftest import Member

DAY = "2026-01-31"
NAMES = {
    "alice@ex.com": "Alice",
    "bob@ex.com": "Bob",
    "carol@ex.com": "Carol",
    "PRIVATE:dave@ex.com": "Dave",
    "eve@ex.com": "Eve",
    "frank@ex.com": "Frank",
    "george@ex.com": "George",
}
# How a change that rounds to nothing is written.
WORDS = {"+0": "\u00b10", "-0": "\u00b10"}
COUNT = "SELECT count(*) FROM mahjic.submissions WHERE source = $1 AND status = 'accepted'"
DRAFTS = "SELECT count(*) FROM mahjic.night_drafts"


async def meet(desks: Desks) -> None:
    """Let the club know seven people by name, as a program has sent them."""
    seats = [
        {"email": who, "name": name, "games_played": 1, "mahjongs": 0}
        for who, name in NAMES.items()
    ]
    claim = {
        "session_date": "2026-01-03",
        "game_type": "social",
        "rounds": [
            {"players": seats[:4], "wall_games": 1},
            {"players": seats[4:], "wall_games": 1},
        ],
    }
    answer = await desks.town.running.submit(claim, desks.town.key)
    assert answer.status_code == 201, answer.text
    await desks.town.shown(answer.json()["seq"])


async def league_night(browser: Member) -> Typist:
    """Type the league night of the seeds by the beginnings of names."""
    typist = await Typist.begin(browser)
    typist.type(date=DAY, kind="league", games_0="4")
    typist.row(0, 0, "a", "2", "125").row(0, 1, "b", "1", "80")
    typist.row(0, 2, "c", "1", "45").row(0, 3, "d", "", "-50")
    await typist.press("same")
    typist.row(1, 0, typist.typed["who-1-0"], "1", "60").row(1, 1, "e", "2", "110")
    typist.row(1, 2, "f", "", "40").row(1, 3, "g", "", "\u221210").type(wall_1="1")
    return await typist.press("look")


def as_sent() -> dict[str, object]:
    """Return the same night as a program would send it."""

    def seat(email: str, won: int, points: float) -> dict[str, object]:
        return {"email": email, "games_played": 4, "mahjongs": won, "points": points}

    first = [
        seat("alice@ex.com", 2, 125),
        seat("bob@ex.com", 1, 80),
        seat("carol@ex.com", 1, 45),
        seat("PRIVATE:dave@ex.com", 0, -50),
    ]
    second = [
        seat("alice@ex.com", 1, 60),
        seat("eve@ex.com", 2, 110),
        seat("frank@ex.com", 0, 40),
        seat("george@ex.com", 0, -10),
    ]
    rounds = [{"players": first, "wall_games": 0}, {"players": second, "wall_games": 1}]
    return {"session_date": DAY, "game_type": "league", "rounds": rounds}


async def count(desks: Desks, source: str = CLUB) -> int:
    return int(await desks.town.house.pool.fetchval(COUNT, source))


async def test_the_league_night_does_what_it_said_and_what_a_program_would(desks: Desks) -> None:
    await meet(desks)
    tried = await desks.town.running.client.post(
        "/v1/sessions?dry_run=true",
        json=as_sent(),
        headers={"Authorization": f"Bearer {desks.town.key}"},
    )
    expected = {
        NAMES[each["player"]]: WORDS.get(
            (rounded := f"{each['rating_change']:+.0f}"), rounded.replace("-", "\u2212")
        )
        for each in tried.json()["results"]
    }
    typist = await league_night(await desks.browser_of(SCORER))
    assert typist.at.endswith("/look")
    assert {name: change for name, (_, _, change) in typist.moves().items()} == expected
    said = typist.moves()
    assert await count(desks) == 1
    await typist.send()
    assert "Everything you typed for Saturday, Jan 31, 2026 counts now." in typist.page.main.text
    assert typist.moves() == said
    assert await count(desks) == 2
    # It is the same night for a program that sends it again.
    again = await desks.town.running.submit(as_sent(), desks.town.key)
    assert (again.status_code, again.headers["idempotency-replayed"]) == (200, "true")


async def test_points_that_do_not_add_up_are_pointed_out_unless_the_club_has_ended_that(
    desks: Desks,
) -> None:
    await meet(desks)
    odd = "The points of a round don\u2019t add up to zero. That may be right."
    browser = await desks.browser_of(SCORER)
    assert odd in (await league_night(browser)).page.main.text
    query = "UPDATE mahjic.sources SET points_sum = 'any' WHERE slug = $1"
    await desks.town.house.pool.execute(query, CLUB)
    assert odd not in (await league_night(browser)).page.main.text


async def test_what_is_missing_is_said_in_words_at_its_place(desks: Desks) -> None:
    await meet(desks)
    typist = await Typist.begin(await desks.browser_of(SCORER))
    typist.type(date=DAY, kind="league", games_0="6")
    typist.row(0, 0, "Alice", "2", "1").row(0, 1, "Bob", "2", "x").row(0, 2, "Zora", "1", "0")
    await typist.press("look")
    wrong = typist.wrong()
    assert wrong["sum-0"].startswith("5 of 6 games are accounted for: who won the last one?")
    assert wrong["points-0-1"].startswith("Write points as a number")
    assert "Zora" in wrong["who-0-2"]
    links = typist.page.main.one("div", class_="summary").links()
    assert links == ["#who-0-2", "#sum-0", "#points-0-1"]
    assert all(f'id="{link[1:]}"' in typist.page.html for link in links)
    # It is asked who Zora is, and what was typed stands there still.
    typist.type(wall_0="1").row(0, 1, "Bob", "2", "-1").type(guest_0_how="anonymous")
    await typist.press("look")
    assert typist.at.endswith("/look"), typist.wrong()
    assert "Zora" in typist.moves()
    await typist.send()
    assert "Zora" in typist.moves()


async def test_new_people_come_with_an_address_in_private_or_without_one(desks: Desks) -> None:
    typist = await Typist.begin(await desks.browser_of(SCORER))
    typist.type(date=DAY, kind="social", games_0="3")
    typist.row(0, 0, "Ann", "2").row(0, 1, "Pia", "1").row(0, 2, "Nick").row(0, 3, "bob@mahjic.org")
    await typist.press("look")
    assert [each for each in typist.wrong() if each.startswith("who")] == [
        "who-0-0",
        "who-0-1",
        "who-0-2",
    ]
    typist.type(guest_0_how="address", guest_0_address="ann@ex.com")
    typist.type(guest_1_how="private", guest_1_address="pia@ex.com", guest_2_how="anonymous")
    await (await typist.press("look")).send()
    assert set(typist.moves()) == {"Ann", "Pia", "Nick"}
    rows = await desks.town.house.pool.fetch(
        "SELECT coalesce(email, 'ANON:' || nickname) AS who, is_private FROM mahjic.people"
    )
    assert {(row["who"], row["is_private"]) for row in rows} == {
        ("ann@ex.com", False),
        ("pia@ex.com", True),
        ("ANON:Nick", True),
    }
    # From then on they are on the list, by these names, and Pia stays private.
    await typist.go(f"/desk/{CLUB}/night")
    options = [each.attributes["value"] for each in typist.page.main.all("option")]
    assert {"Ann", "Pia", "Nick"} <= set(options)
    typist.type(date="2026-01-30", games_0="1").row(0, 0, "ann", "1").row(0, 1, "pia")
    await (await typist.press("look")).send()
    private = "SELECT is_private FROM mahjic.people WHERE email = 'pia@ex.com'"
    assert await desks.town.house.pool.fetchval(private)


async def test_the_list_of_a_club_is_its_own(desks: Desks) -> None:
    await meet(desks)
    stranger = await Typist.begin(await desks.browser_of(STRANGER), OTHER)
    options = [each.attributes["value"] for each in stranger.page.main.all("option")]
    assert not set(NAMES.values()) & set(options)
    stranger.type(date=DAY, kind="social").row(0, 0, "Alice", "4").row(0, 1, "Bob")
    await stranger.press("look")
    assert "not on your list" in stranger.wrong()["who-0-0"]
    for address in NAMES:
        assert address.removeprefix("PRIVATE:") not in stranger.page.html


async def test_each_press_keeps_what_was_typed_and_it_is_found_on_another_device(
    desks: Desks,
) -> None:
    await meet(desks)
    typist = await Typist.begin(await desks.browser_of(SCORER))
    typist.type(date=DAY, kind="league", games_0="x<b>").row(0, 0, "a", "?", "(50)")
    typed = dict(typist.content)
    await typist.press("save")
    assert "Saved." in typist.page.main.text
    assert typist.content == typed | {"who-0-0": "Alice", "short-0-0": "a"}
    await typist.press("rotate")
    assert typist.typed["who-1-0"] == "Alice"
    assert typist.typed["who-0-0"] == "Alice"
    await typist.press("table")
    await typist.press("remove-1")
    assert [name for name in typist.typed if name.startswith("games")] == ["games-0", "games-1"]
    phone = await desks.browser_of(SCORER)
    page = await phone.page(f"/desk/{CLUB}")
    (link,) = [each for each in page.main.links() if "/night/" in each]
    found = Typist(phone, page)
    await found.go(link)
    assert found.content == typist.content


async def test_a_suspended_club_sends_nothing_and_keeps_what_was_typed(desks: Desks) -> None:
    await meet(desks)
    typist = await league_night(await desks.browser_of(OWNER))
    await desks.town.house.pool.execute("UPDATE mahjic.sources SET is_suspended = true")
    send = typist.form_with("Send it").attributes["action"]
    answer = await typist.browser.send(send, {"as": "new"})
    assert answer.status_code == 403
    assert "suspended" in answer.text
    assert await count(desks) == 1
    await desks.town.house.pool.execute("UPDATE mahjic.sources SET is_suspended = false")
    await typist.go(send.removesuffix("/send"))
    await typist.press("look")
    await typist.send()
    assert await count(desks) == 2


async def test_the_date_is_that_of_an_evening_in_the_west(desks: Desks) -> None:
    typist = await Typist.begin(await desks.browser_of(SCORER))
    today = date.fromisoformat(typist.typed["date"])
    assert abs(today - date.today()) <= timedelta(days=1)  # noqa: DTZ011
    assert typist.typed["kind"] == "social"
    league = await Typist.begin(await desks.browser_of(STRANGER), OTHER)
    assert league.typed["kind"] == "league"


@pytest.mark.parametrize("draft_id", ["x", "nid_0123456789ABCDEF", "%00", "é", "a" * 500])
async def test_there_is_no_night_behind_what_nobody_typed(desks: Desks, draft_id: str) -> None:
    browser = await desks.browser_of(SCORER)
    answer = await browser.get(f"/desk/{CLUB}/night/{draft_id}")
    assert answer.status_code == 404
    # Nor is that of another club there.
    other = await Typist.begin(await desks.browser_of(STRANGER), OTHER)
    await other.type(date=DAY).press("save")
    theirs = other.action.rpartition("/")[2]
    assert (await browser.get(f"/desk/{CLUB}/night/{theirs}")).status_code == 404


@pytest.mark.parametrize(
    "draft_id", ["x", "%00", "%0A", "nid_%00123456789ABCDEF", "é", "%FF", "a%2Fb", "a" * 9000]
)
async def test_nothing_is_kept_under_an_id_that_was_never_given_out(
    desks: Desks, draft_id: str
) -> None:
    browser = await desks.browser_of(SCORER)
    pages = [each for each in DESK_PAGES if "{draft_id}" in each.path]
    assert len(pages) > 10
    for page in pages:
        path = f"/desk/{CLUB}{page.path.format(draft_id=draft_id, session_id='ses_0')}"
        typed = {"date": DAY, "games-0": "4", "do": "save"}
        answer = await (browser.get(path) if page.method == "GET" else browser.send(path, typed))
        assert answer.status_code == 404, (page.method, page.path)
    assert await desks.town.house.pool.fetchval(DRAFTS) == 0


async def test_a_huge_form_is_refused_and_a_full_hall_is_not(desks: Desks) -> None:
    browser = await desks.browser_of(SCORER)
    typist = await Typist.begin(browser)
    for _ in range(30):
        await typist.press("table")
    assert len([name for name in typist.typed if name.startswith("games-")]) == 24
    for table in range(24):
        for seat in range(4):
            typist.row(table, seat, f"Player {table} {seat} with a long name", "1", "-12.50")
    await typist.press("look")
    assert len(typist.wrong()) >= 96
    answer = await browser.send(typist.action, {"who-0-0": "x" * 200_000})
    assert answer.status_code == 413
