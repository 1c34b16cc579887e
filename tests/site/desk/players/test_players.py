"""The list of a club: who is on it, adding, renaming, taking off, and who is forgotten."""

from datetime import timedelta

from services.ingest.roster.keeping import KEPT_FOR, tidy_rosters
from tests.db.rows import rows_by_table
from tests.ingest.changes.asking import ask
from tests.site.desk.conftest import CLUB, OTHER, SCORER, STRANGER, Desks
from tests.site.desk.players.reading import standings
from tests.site.desk.test_night import meet
from tests.site.desk.typing import Typist
from tests.site.me.conftest import Member
from tests.site.players.reading import PageRead

PLAYERS = f"/desk/{CLUB}/players"
NEW = "SELECT count(*) FROM mahjic.roster WHERE address IS NOT NULL"


def cards(page: PageRead) -> dict[str, str]:
    """Return what the list says of each, by the name."""
    return {
        next(card.all("strong")).text: card.text.removeprefix(next(card.all("strong")).text).strip()
        for card in page.main.all("a", class_="card")
    }


async def listed(browser: Member, query: str = "") -> dict[str, str]:
    return cards(await browser.page(PLAYERS + query))


async def link_to(browser: Member, name: str, query: str = "") -> str:
    """Return the address of somebody's page."""
    page = await browser.page(PLAYERS + query)
    return next(
        card.attributes["href"]
        for card in page.main.all("a", class_="card")
        if next(card.all("strong")).text == name
    )


async def send(browser: Member, path: str, **typed: str) -> PageRead:
    """Send a form, and return the page that it leads to or that says what is wrong."""
    answer = await browser.send(path, typed)
    if answer.status_code == 303:
        return await browser.page(answer.headers["location"])
    assert answer.status_code == 422, answer.text
    return PageRead(answer.text)


def wrong(page: PageRead) -> dict[str, str]:
    """Return what is wrong, by the field; each is in the list on top, too."""
    found = {
        each.attributes["id"].removesuffix("-wrong"): each.text
        for each in page.main.all("p", class_="wrong")
    }
    assert page.main.one("div", class_="summary").links() == [f"#{each}" for each in found]
    return found


async def test_everybody_is_listed_with_what_they_did_here(desks: Desks) -> None:
    await meet(desks)
    await desks.town.play({"alice@ex.com": 2, "ANON:Nick <b>": 1}, on="2026-02-02")
    browser = await desks.browser_of(SCORER)
    people = await listed(browser)
    assert list(people) == ["Alice", "Bob", "Carol", "Dave", "Eve", "Frank", "George", "Nick <b>"]
    assert people["Alice"].startswith("4 games · 2 won · last night Feb 2, 2026")
    assert people["Dave"] == "private 1 game · 0 won · last night Jan 3, 2026"
    assert people["Nick <b>"] == (
        "no address, known to you alone 3 games · 1 won · last night Feb 2, 2026"
    )
    profile = await desks.town.running.client.get(
        f"/v1/players/{await desks.town.id_of('alice@ex.com')}"
    )
    assert f" {round(profile.json()['rating'])}Intermediate" in people["Alice"]
    assert list(await listed(browser, "?q=AL")) == ["Alice"]
    page = await browser.page(f"{PLAYERS}?q=<i>x")
    assert "Nobody on your list is called “<i>x”." in page.main.text
    assert "<b>" not in page.html.replace("&lt;b&gt;", "")
    # It is the club's own list, and no other's.
    stranger = await desks.browser_of(STRANGER)
    page = await stranger.page(f"/desk/{OTHER}/players?q=al")
    assert cards(page) == {}
    answer = await stranger.get(f"/desk/{OTHER}/players/{await desks.town.id_of('alice@ex.com')}")
    assert answer.status_code == 404
    assert "They are not on your list" in answer.text


async def test_somebody_is_added_plays_is_renamed_and_taken_off(desks: Desks) -> None:
    await meet(desks)
    browser = await desks.browser_of(SCORER)
    page = await send(browser, f"{PLAYERS}/add", name=" Zoë B. ", address=" zoe@EX.com ")
    assert "Added." in page.main.one("p", role="status").text
    await send(browser, f"{PLAYERS}/add", name="Pia", address="pia@ex.com", private="yes")
    people = await listed(browser)
    assert people["Zoë B."] == "not played here yet"
    assert people["Pia"] == "not played here yet, private"
    # Her name is enough at the seat, and she is who was added.
    typist = await Typist.begin(browser)
    typist.type(date="2026-02-01", kind="social", games_0="2")
    typist.row(0, 0, "zoe", "2").row(0, 1, "pia")
    await (await typist.press("look")).send()
    people = await listed(browser)
    assert people["Zoë B."].startswith("2 games · 2 won · last night Feb 1, 2026")
    assert people["Pia"] == "private 2 games · 0 won · last night Feb 1, 2026"
    private = "SELECT is_private FROM mahjic.people WHERE email = 'pia@ex.com'"
    assert await desks.town.house.pool.fetchval(private)
    one = await link_to(browser, "Zoë B.")
    page = await browser.page(one)
    assert "zoe@ex.com" in page.main.text
    assert page.main.one("input", id="name").attributes["value"] == "Zoë B."
    page = await send(browser, f"{one}/rename", name="Zoë Brown")
    assert page.main.one("p", role="status").text.startswith("Saved.")
    assert "Zoë Brown" in cards(page)
    assert wrong(await send(browser, f"{one}/rename", name="  ")) == {
        "name": "Type a name, as your club calls them."
    }
    page = await send(browser, f"{one}/rename", name="x" * 201)
    assert page.main.one("input", id="name").attributes["value"] == "x" * 201
    assert list(wrong(page)) == ["name"]
    page = await send(browser, f"{one}/take-off")
    assert "Taken off the list." in page.main.one("p", role="status").text
    assert "Zoë Brown" not in await listed(browser)
    for path in (f"{one}/rename", f"{one}/take-off"):
        assert "Zoë Brown" not in (await browser.send(path, {"name": ""})).text
    assert (await browser.get(one)).status_code == 404
    # What she played still counts, under the name that she was sent with.
    season = await browser.page(f"/desk/{CLUB}/standings?from=&to=")
    assert "Zoë B." in season.main.text
    await send(browser, f"{PLAYERS}/add", name="Zoë", address="zoe@ex.com")
    assert (await listed(browser))["Zoë"].startswith("2 games · 2 won")


CANNOT_BE_ADDED = [
    ({"name": " "}, ["name", "address"]),
    ({"name": "Ann"}, ["address"]),
    ({"name": "Ann", "address": "nonsense"}, ["address"]),
    ({"name": "Ann", "address": "ANON:Ann"}, ["address"]),
    ({"name": "Ann", "address": "bob@mahjic.org"}, ["address"]),
    ({"name": "Ann", "address": "ANON:Ann", "private": "yes"}, ["address"]),
    ({"name": "A\u202en", "address": "ann@ex.com"}, ["name"]),
    ({"name": '"><script>' * 50, "address": "ann@ex.com"}, ["name"]),
]


async def test_what_cannot_be_added_is_said_at_its_field(desks: Desks) -> None:
    browser = await desks.browser_of(SCORER)
    for typed, fields in CANNOT_BE_ADDED:
        page = await send(browser, f"{PLAYERS}/add", **typed)
        assert list(wrong(page)) == fields
        form = page.main.one("form", class_="login")
        shown = {each.attributes["name"]: each.attributes for each in form.all("input")}
        assert shown["name"]["value"] == typed.get("name", "")
        assert shown["address"]["value"] == typed.get("address", "")
        assert ("checked" in shown["private"]) is ("private" in typed)
    assert await desks.town.house.pool.fetchval(NEW) == 0


async def test_a_long_list_comes_in_pages(desks: Desks) -> None:
    browser = await desks.browser_of(SCORER)
    await desks.town.house.pool.execute(
        "INSERT INTO mahjic.roster (source, address, name, written_at) SELECT $1, "
        "'p' || n || '@ex.com', 'P' || to_char(n, 'FM000'), now() FROM generate_series(1, 120) n",
        CLUB,
    )
    names: list[str] = []
    path = PLAYERS
    while path:
        page = await browser.page(path)
        names += cards(page)
        following = list(page.main.all("a", rel="next"))
        path = PLAYERS + following[0].attributes["href"] if following else ""
    assert names == [f"P{number:03}" for number in range(1, 121)]
    assert "101 to 120 of 120" in page.main.text
    # Whatever number is asked for, there is a page.
    for number in ("0", "-1", "99", "x", "9" * 50):
        page = await browser.page(f"{PLAYERS}?page={number}")
        assert cards(page)


async def test_one_person_by_two_addresses_is_told_once(desks: Desks) -> None:
    await meet(desks)
    operator = await desks.town.running.operator_key()
    eve, alice = [await desks.town.id_of(f"{who}@ex.com") for who in ("eve", "alice")]
    path = f"/v1/admin/players/{eve}/merge"
    answer = await ask(desks.town.running, path, {"into": alice}, operator)
    assert answer.status_code == 201, answer.text
    await desks.town.shown(answer.json()["fact_seq"])
    browser = await desks.browser_of(SCORER)
    people = await listed(browser)
    assert people["Alice"].startswith("2 games · 0 won")
    assert people["Eve"].startswith("the same person as Alice")
    assert "games" not in people["Eve"]
    # One night, though she sat at two tables of it.
    (line,) = [each for each in await standings(browser) if each["Player"] == "Alice"]
    assert (line["Games"], line["Nights"]) == ("2", "1")
    page = await browser.page(f"/desk/{CLUB}/board")
    names = [next(each.all("bdi")).text for each in page.main.one("table").all("a")]
    assert ("Alice" in names, "Eve" in names) == (True, False)


def holding(rows: dict[str, list[str]], *words: str) -> set[str]:
    """Return the tables that hold one of these words anywhere."""
    return {
        table
        for table, held in rows.items()
        if any(word.lower() in row.lower() for row in held for word in words)
    }


async def test_whoever_is_forgotten_is_gone_from_list_drafts_and_standings(desks: Desks) -> None:
    await meet(desks)
    browser = await desks.browser_of(SCORER)
    # Alice is on the list of both clubs, and in a draft; at the other one by a name typed there.
    await send(browser, await link_to(browser, "Alice") + "/rename", name="Alicia Quux")
    stranger = await desks.browser_of(STRANGER)
    await send(stranger, f"/desk/{OTHER}/players/add", name="Quux, A.", address="alice@ex.com")
    typist = await Typist.begin(browser)
    await typist.type(date="2026-02-01").row(0, 0, "Alicia", "2").row(0, 1, "Carol").press("save")
    other = await Typist.begin(stranger, OTHER)
    await other.type(date="2026-02-01").row(0, 0, "Quux, A.").press("save")
    kept = await Typist.begin(browser)
    await kept.type(date="2026-02-01").row(0, 0, "Carol").press("save")
    rows = await rows_by_table(desks.town.house.pool)
    assert {"mahjic.roster", "mahjic.night_drafts", "mahjic.people"} <= holding(rows, "alice@ex")
    # She logs in, and has herself forgotten.
    alice = await desks.town.member("alice@ex.com")
    player_id = await desks.town.id_of("alice@ex.com")
    answer = await alice.send("/me/forget", {"typed": player_id})
    assert answer.status_code == 303, answer.text
    rows = await rows_by_table(desks.town.house.pool)
    left = holding(rows, "alice@ex", "Quux", "Alicia")
    assert left == set()
    assert "mahjic.night_drafts" not in holding(rows, player_id)
    assert "mahjic.roster" not in holding(rows, player_id)
    for path in (PLAYERS, f"/desk/{CLUB}/standings?from=&to=", f"/desk/{CLUB}/board"):
        text = (await browser.page(path)).html
        assert "Ali" not in text
        assert player_id not in text
    assert "Quux" not in (await stranger.page(f"/desk/{OTHER}/players")).html
    for draft, typed in ((typist, browser), (other, stranger)):
        assert (await typed.get(draft.action)).status_code == 404
    assert (await browser.get(kept.action)).status_code == 200
    assert (await browser.get(f"{PLAYERS}/{player_id}")).status_code == 404


async def test_an_address_that_never_plays_is_gone_after_30_days(desks: Desks) -> None:
    browser = await desks.browser_of(SCORER)
    await send(browser, f"{PLAYERS}/add", name="Zoë", address="zoe@ex.com")
    pool = desks.town.house.pool
    written = await pool.fetchval("SELECT written_at FROM mahjic.roster")
    # The page says so in words.
    assert timedelta(days=30) == KEPT_FOR
    for moment, left in ((KEPT_FOR - timedelta(seconds=1), ["Zoë"]), (KEPT_FOR, [])):
        async with pool.acquire() as connection, connection.transaction():
            await tidy_rosters(connection, now=written + moment)
        assert list(await listed(browser)) == left
    assert "zoe@ex" not in str(await rows_by_table(pool))
