"""The standings of a season: ranked, on paper, as a file, between any two days."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from services.projections.seasons import queries
from services.site.desk.players import season_pages
from tests.ingest.changes.asking import ask, void
from tests.ingest.claims import a_round, a_session
from tests.service import bearer
from tests.site.desk.conftest import CLUB, OTHER, SCORER, STRANGER, Desks
from tests.site.desk.players.by_definition import PLAIN
from tests.site.desk.players.reading import (
    standings,
    standings_file,
    standings_on,
    without,
)
from tests.site.desk.test_night import as_sent, meet
from tests.site.me.conftest import Member
from tests.site.players.reading import Element, PageRead

# The league night of the seeds after one evening on which nobody won: worked out by hand.
BY_POINTS = [
    ("1", "Alice", "185", "3", "33.3%", "9"),
    ("2", "Eve", "110", "2", "40.0%", "5"),
    ("3", "Bob", "80", "1", "20.0%", "5"),
    ("4", "Carol", "45", "1", "20.0%", "5"),
    ("5", "Frank", "40", "0", "0.0%", "5"),
    ("6", "George", "-10", "0", "0.0%", "5"),
    ("7", "Dave", "-50", "0", "0.0%", "5"),
]
COLUMNS = ("Place", "Player", "Points", "Won", "Win rate", "Games")


async def a_season(desks: Desks) -> Member:
    """Let the club have two nights, and return the browser of who keeps score."""
    await meet(desks)
    answer = await desks.town.running.submit(as_sent(), desks.town.key)
    assert answer.status_code == 201, answer.text
    await desks.town.shown(answer.json()["seq"])
    return await desks.browser_of(SCORER)


def told(lines: Sequence[Mapping[str, str]]) -> list[tuple[str, ...]]:
    return [tuple(line[name] for name in COLUMNS) for line in lines]


def players(lines: Sequence[Mapping[str, str]]) -> list[tuple[str, str]]:
    return [(line["Place"], line["Player"]) for line in lines]


async def test_a_season_by_hand_and_equals_share_a_place(desks: Desks) -> None:
    browser = await a_season(desks)
    assert told(await standings(browser)) == BY_POINTS
    assert players(await standings(browser, "from=&to=&by=won")) == [
        ("1", "Alice"),
        ("2", "Eve"),
        ("3", "Bob"),
        ("3", "Carol"),
        ("5", "Dave"),
        ("5", "Frank"),
        ("5", "George"),
    ]
    assert players(await standings(browser, "from=&to=&by=games"))[:3] == [
        ("1", "Alice"),
        ("2", "Bob"),
        ("2", "Carol"),
    ]
    assert players(await standings(browser, "from=&to=&by=win_rate"))[:2] == [
        ("1", "Eve"),
        ("2", "Alice"),
    ]
    # Whatever else an address says, it is ranked by something that there is.
    assert players(await standings(browser, "from=&to=&by=%00<b>&x=1")) == [
        (place, name) for place, name, *_ in BY_POINTS
    ]


async def test_a_season_is_between_two_days_in_whatever_order(desks: Desks) -> None:
    browser = await a_season(desks)
    for on, won in (("2025-12-31", "alice@ex.com"), ("2026-01-01", "bob@ex.com")):
        played = a_round({"alice@ex.com": 0, "bob@ex.com": 0}, wall_games=1)
        seat = next(each for each in played["players"] if each["email"] == won)
        seat["mahjongs"], played["wall_games"] = 1, 0
        answer = await desks.town.running.submit(a_session(played, on=on), desks.town.key)
        assert answer.status_code == 201, answer.text
    await desks.town.shown(answer.json()["seq"])
    over_the_year = [("1", "Alice", "1", "2"), ("1", "Bob", "1", "2")]
    for query in ("from=2025-12-31&to=2026-01-01", "from=2026-01-01&to=2025-12-31"):
        page = await browser.page(f"/desk/{CLUB}/standings?{query}")
        lines = standings_on(page)
        assert [(*players([each])[0], each["Won"], each["Games"]) for each in lines] == (
            over_the_year
        )
        assert ("so we switched them" in page.main.text) is (query.startswith("from=2026"))
        assert "Dec 31, 2025 to Jan 1, 2026 · 2 sessions" in page.main.text
    assert [each["Won"] for each in await standings(browser, "from=&to=2025-12-31")] == ["1", "0"]
    assert [each["Won"] for each in await standings(browser, "from=&to=2025-12-30")] == []
    assert told(await standings(browser, "from=2026-01-02&to=")) == BY_POINTS
    empty = await browser.page(f"/desk/{CLUB}/standings?from=2027-01-01&to=")
    assert "You have no nights between these days that count." in empty.main.text
    assert await standings_file(browser, "from=2027-01-01&to=") == []
    # Without a wish it is the past twelve months.
    page = await browser.page(f"/desk/{CLUB}/standings")
    assert page.main.one("input", name="from").attributes["value"] < "2026-12-01"
    chosen = [each.text for each in page.main.all("a", **{"aria-current": "true"})]
    assert chosen[0] == "Past 12 months"


async def test_a_day_that_is_none_is_said_at_its_field(desks: Desks) -> None:
    browser = await desks.browser_of(SCORER)
    path = f"/desk/{CLUB}/standings"
    for wrong in ("2026-02-30", "yesterday", "20260131", "<b>&quot;", "9" * 500):
        answer = await browser.client.get(path, params={"from": wrong, "to": "2026-01-31"})
        assert answer.status_code == 422
        page = PageRead(answer.text)
        words = page.main.one("p", id="from-wrong").text
        assert words.startswith("This is no day of the calendar.")
        assert page.main.one("div", class_="summary").links() == ["#from"]
        fields = {each.attributes["name"]: each.attributes for each in page.main.all("input")}
        assert (fields["from"]["value"], fields["to"]["value"]) == (wrong, "2026-01-31")
        assert not list(page.main.all("table"))
        answer = await browser.client.get(f"{path}/season.csv", params={"from": wrong})
        assert answer.status_code == 302


async def test_private_players_are_on_paper_only_if_they_are_ticked(desks: Desks) -> None:
    browser = await a_season(desks)
    path = f"/desk/{CLUB}/standings?from=&to=&by="
    page = await browser.page(f"{path}won")
    paper = standings_on(page, on_paper=True)
    assert ("5", "Dave") in players(standings_on(page))
    assert players(paper)[3:] == [("3", "Carol"), ("5", "Frank"), ("5", "George")]
    assert all(each["Rating change"] for each in paper)
    assert "Neither are private players" in page.main.text
    # The file has the same people in the same places.
    file = await standings_file(browser, "from=&to=&by=won")
    assert [(each["place"], each["name"]) for each in file] == players(paper)
    assert {each["private"] for each in file} == {"no"}
    assert all(each["rating_change"] for each in file)
    ticked = await browser.page(f"{path}won&private=yes")
    paper = standings_on(ticked, on_paper=True)
    assert ("5", "Dave") in players(paper)
    assert not any("Rating change" in each for each in paper)
    # Nor among the words that stand in place of columns where there is no room.
    changes = [each["Rating change"] for each in standings_on(ticked)]
    beside = [each.text.translate(PLAIN) for each in ticked.main.all("span", class_="slim")]
    assert not [each for each in beside for change in changes if change in each.split()]
    assert any("9 games" in each for each in beside)
    assert all(each["Rating change"] for each in standings_on(ticked))
    file = await standings_file(browser, "from=&to=&by=won&private=yes")
    assert [(each["place"], each["name"]) for each in file] == players(paper)
    assert [each["name"] for each in file if each["private"] == "yes"] == ["Dave"]
    assert {each["rating_change"] for each in file} == {""}
    # A place in the order of the changes would tell the change.
    by_change = await browser.page(f"{path}rating_change&private=yes")
    assert "Dave" in [name for _, name in players(standings_on(by_change))]
    assert "Dave" not in [name for _, name in players(standings_on(by_change, on_paper=True))]
    file = await standings_file(browser, "from=&to=&by=rating_change&private=yes")
    assert "Dave" not in [each["name"] for each in file]


async def test_the_file_is_exact_and_no_name_in_it_is_a_formula(desks: Desks) -> None:
    names = [
        "=1+1",
        "+1",
        "-2",
        "@SUM(A1)",
        'Say "Zoë", please',
        "a;b\N{EN DASH}c",
        "\N{FULLWIDTH EQUALS SIGN}2",
        "O’Neil",
    ]
    people = [f"p{number}@ex.com" for number in range(len(names))]
    rounds = []
    for at in (0, 4):
        seats = people[at : at + 4]
        played = a_round(dict.fromkeys(seats, 1), points=[0.1, 0.2, -0.3, 1_000_000])
        for seat, name in zip(played["players"], names[at : at + 4], strict=True):
            seat["name"] = name
        rounds.append(played)
    claim = a_session(*rounds, on="2026-01-03", game_type="league")
    for on in ("2026-01-03", "2026-01-10", "2026-01-17"):
        answer = await desks.town.running.submit({**claim, "session_date": on}, desks.town.key)
        assert answer.status_code == 201, answer.text
    await desks.town.shown(answer.json()["seq"])
    browser = await desks.browser_of(SCORER)
    answer = await browser.get(f"/desk/{CLUB}/standings/season.csv?from=&to=")
    text = answer.content.decode("utf-8-sig")
    assert text.splitlines()[0].replace('"', "") == (
        "place,name,player_id,private,nights,games,won,win_rate,points,rating_change"
    )
    for separator in (",", ";"):
        cells = [
            cell
            for line in csv.reader(io.StringIO(text, newline=""), delimiter=separator)
            for cell in line
        ]
        numbers = [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\uff1d"))]
        assert all(cell[1:].replace(".", "").isdecimal() for cell in numbers), numbers
    lines = {each["name"].removeprefix("'"): each for each in await standings_file(browser)}
    assert lines.keys() == set(names)
    # A tenth and two tenths are no floats: 0.1 + 0.1 + 0.1 is 0.3.
    assert [lines[each]["points"] for each in names[:4]] == ["0.30", "0.60", "-0.90", "3000000.00"]
    assert {each["win_rate"] for each in lines.values()} == {"0.2500"}
    shown = {line["Player"]: line["Points"] for line in await standings(browser)}
    assert (shown["=1+1"], shown["-2"], shown["@SUM(A1)"]) == ("0.3", "-0.9", "3000000")


async def row_of(browser: Member, name: str) -> tuple[Any, ...]:
    """Return everything that the pages of a desk say of somebody."""
    people = await browser.page(f"/desk/{CLUB}/players?q={name}")
    (link,) = [each for each in people.main.links() if "/players/MJ-" in each]
    card = next(each for each in people.main.all("a", class_="card"))
    one = await browser.page(link)
    (line,) = [each for each in await standings(browser) if each["Player"] == name]
    board = await browser.page(f"/desk/{CLUB}/board")
    return card.text, one.main.one("dl").text, tuple(line.values()), name in board.main.text


async def test_of_a_private_player_nothing_is_told_that_others_did(desks: Desks) -> None:
    browser = await a_season(desks)
    dave, alice = await row_of(browser, "Dave"), await row_of(browser, "Alice")
    assert "Rating" not in dave[1]
    assert dave[3] is False
    assert alice[3] is True
    # Others play with both, and take one night back; only Alice's present rating is here.
    key = await desks.town.running.source_key(OTHER)
    ids = []
    for on in ("2026-01-04", "2026-02-01"):
        played = a_round({"dave@ex.com": 4, "alice@ex.com": 4, "zoe@ex.com": 1})
        answer = await desks.town.running.submit(a_session(played, on=on), key)
        assert answer.status_code == 201, answer.text
        ids.append(answer.json()["session_id"])
    answer = await void(desks.town.running, ids[0], key)
    assert answer.status_code == 201, answer.text
    await desks.town.shown(answer.json()["fact_seq"])
    assert await row_of(browser, "Dave") == dave
    after = await row_of(browser, "Alice")
    assert (after[0] != alice[0], after[1] != alice[1]) == (True, True)
    assert after[2] == alice[2]
    # Nor is anything of it, or of this club, at the desk of the other.
    stranger = await desks.browser_of(STRANGER)
    page = await stranger.page(f"/desk/{OTHER}/standings?from=&to=")
    names = [each["Player"] for each in standings_on(page)]
    assert sorted(names) == ["alice@ex.com", "dave@ex.com", "zoe@ex.com"]
    paper = [each["Player"] for each in standings_on(page, on_paper=True)]
    assert sorted(paper) == sorted(
        [await desks.town.id_of("alice@ex.com"), await desks.town.id_of("zoe@ex.com")]
    )
    # Whoever becomes private has no present rating here from then on.
    operator = await desks.town.running.operator_key()
    path = f"/v1/admin/players/{await desks.town.id_of('alice@ex.com')}/privacy"
    answer = await desks.town.running.client.put(
        path, json={"privacy": "private"}, headers=bearer(operator)
    )
    assert answer.status_code == 200
    hidden = await row_of(browser, "Alice")
    assert "Rating" not in hidden[1]
    assert hidden[2:] == (alice[2], False)
    assert "Alice" not in [each["name"] for each in await standings_file(browser)]


async def test_a_seat_that_went_to_somebody_else_is_theirs(desks: Desks) -> None:
    browser = await a_season(desks)
    operator = await desks.town.running.operator_key()
    session_id = await desks.town.house.pool.fetchval(
        "SELECT session_id FROM mahjic.submissions ORDER BY fact_seq DESC LIMIT 1"
    )
    before = {each["Player"]: each for each in await standings(browser)}
    for who, email in (("eve", "newcomer@ex.com"), ("frank", "PRIVATE:shy@ex.com")):
        asked: dict[str, Any] = {"sessions": [session_id], "email": email}
        path = f"/v1/admin/players/{await desks.town.id_of(f'{who}@ex.com')}/reseat"
        answer = await ask(desks.town.running, path, asked, operator)
        assert answer.status_code == 201, answer.text
    await desks.town.shown(answer.json()["fact_seq"])
    page = await browser.page(f"/desk/{CLUB}/standings?from=&to=")
    after = {each["Player"]: each for each in standings_on(page)}
    newcomer = await desks.town.id_of("newcomer@ex.com")
    # Everyone may see the one, whom the club never named, and nobody the other.
    assert after.keys() == before.keys() | {newcomer}
    assert (after[newcomer]["Points"], after[newcomer]["Won"]) == ("110", "2")
    assert after[newcomer]["Rating change"] == "0"
    assert (after["Eve"]["Points"], after["Eve"]["Won"], after["Eve"]["Games"]) == ("", "0", "1")
    assert after["Alice"] == {**before["Alice"], "Place": after["Alice"]["Place"]}
    assert "given to another player" in page.main.text
    for path in ("standings?from=&to=", "players", "board", "standings/season.csv?private=yes"):
        assert "shy@ex.com" not in (await browser.get(f"/desk/{CLUB}/{path}")).text


async def test_the_board_of_a_desk_ranks_everybody_public(desks: Desks) -> None:
    browser = await a_season(desks)
    for who, whom in (("twin@ex.com", "ANON:Nick"), ("mate@ex.com", "ANON:Nock")):
        await desks.town.play({who: 1, whom: 1}, on="2026-02-02")
    table = (await browser.page(f"/desk/{CLUB}/board")).main.one("table")
    listed = {}
    for row in list(table.all("tr"))[1:]:
        cells = [each for each in row.children if isinstance(each, Element)]
        place, player, rating = cells[:3]
        player_id = player.links()[0].removeprefix("/players/")
        profile = (await desks.town.running.client.get(f"/v1/players/{player_id}")).json()
        assert rating.text == str(round(profile["rating"]))
        listed[without(player, "paper-only")] = (int(place.text), profile["rating"])
        # No address is on paper.
        assert "@" not in without(player, "screen-only")
    names = {"Alice", "Bob", "Carol", "Eve", "Frank", "George", "twin@ex.com", "mate@ex.com"}
    assert listed.keys() == names
    assert list(listed.values()) == sorted(listed.values(), key=lambda each: each[0])
    ratings = [rating for _, rating in listed.values()]
    for stands, rated in listed.values():
        assert stands == 1 + sum(other > rated for other in ratings)
    assert listed["twin@ex.com"] == listed["mate@ex.com"]
    # On the public one there is nobody yet.
    public = PageRead((await desks.town.ask(f"/sources/{CLUB}")).text)
    assert "Nobody is on this board yet" in public.main.text


async def test_a_long_season_goes_on_in_the_file(
    desks: Desks, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = await a_season(desks)
    monkeypatch.setattr(season_pages, "ROWS_SHOWN_MAX", 3)
    page = await browser.page(f"/desk/{CLUB}/standings?from=&to=")
    assert [name for _, name in players(standings_on(page))] == ["Alice", "Eve", "Bob"]
    assert "These are the first 3. The file has everybody." in page.main.text
    assert len(await standings_file(browser)) == 6
    page = await browser.page(f"/desk/{CLUB}/board")
    assert len(page.main.one("table").rows()) == 4


async def test_too_many_sessions_are_not_added_up(
    desks: Desks, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = await a_season(desks)
    # Nor what would take too long.
    with monkeypatch.context() as patched:
        patched.setattr(queries, "SEASON_S_MAX", 0.0)
        page = await browser.page(f"/desk/{CLUB}/standings?from=&to=")
        assert "Choose fewer days." in page.main.text
    monkeypatch.setattr(queries, "SEASON_SESSIONS_MAX", 1)
    page = await browser.page(f"/desk/{CLUB}/standings?from=&to=")
    assert "Choose fewer days." in page.main.text
    assert not list(page.main.all("table"))
    path = await browser.leads_to(f"/desk/{CLUB}/standings/season.csv?from=&to=")
    assert path.startswith(f"/desk/{CLUB}/standings?")
    page = await browser.page(f"/desk/{CLUB}/players")
    assert "too many sessions" in page.main.text
    assert "Alice" in page.main.text
    assert "too many sessions" in (await browser.page(f"/desk/{CLUB}/board")).main.text
    # Those of fewer days are.
    lines = await standings(browser, "from=2026-01-31&to=")
    assert lines[0]["Points"] == "185"
