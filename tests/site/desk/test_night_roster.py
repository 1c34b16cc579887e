"""Whoever types a night finds the people of the club's roster, by the names that it has there."""

from collections.abc import Awaitable, Callable
from typing import Any

from services.ingest.roster.keeping import add_to_roster, rename_on_roster, take_off_roster
from tests.mail.letters import START
from tests.site.desk.conftest import CLUB, OTHER, SCORER, STRANGER, Desks
from tests.site.desk.test_night import DAY, meet
from tests.site.desk.typing import Typist

PRIVATE = "SELECT is_private FROM mahjic.people WHERE email = $1"


async def at_roster(desks: Desks, act: Callable[..., Awaitable[None]], *given: Any) -> None:
    """Let the club change its roster."""
    async with desks.town.house.pool.acquire() as connection, connection.transaction():
        await act(connection, CLUB, *given, now=START)


def listed(typist: Typist) -> list[str]:
    """Return the names that a page offers to whoever types."""
    return [each.attributes["value"] for each in typist.page.main.all("option") if each.text == ""]


async def test_the_names_are_those_of_the_roster_whoever_gave_others(desks: Desks) -> None:
    await meet(desks)
    id_of = desks.town.id_of
    await at_roster(desks, rename_on_roster, await id_of("alice@ex.com"), "Al Capp")
    await at_roster(desks, rename_on_roster, await id_of("dave@ex.com"), "Dee the Quiet")
    await at_roster(desks, take_off_roster, await id_of("carol@ex.com"))
    await at_roster(desks, add_to_roster, "new@ex.com", "Nina New")
    await at_roster(desks, add_to_roster, "PRIVATE:secret@ex.com", "Sue Secret")
    browser = await desks.browser_of(SCORER)
    typist = await Typist.begin(browser)
    names = listed(typist)
    assert names[:-1] == [
        *("Al Capp", "Bob", "Dee the Quiet", "Eve", "Frank", "George", "Nina New", "Sue Secret"),
    ]
    for address in ("new@ex.com", "secret@ex.com", "dave@ex.com"):
        assert address not in typist.page.html
    typist.type(date=DAY, kind="social", games_0="3").row(0, 0, "capp", "2")
    typist.row(0, 1, "dee", "1").row(0, 2, "nina").row(0, 3, "sue")
    await (await typist.press("look")).send()
    assert set(typist.moves()) == {"Al Capp", "Dee the Quiet", "Nina New", "Sue Secret"}
    pool = desks.town.house.pool
    assert [await pool.fetchval(PRIVATE, who) for who in ("new@ex.com", "secret@ex.com")] == [
        False,
        True,
    ]
    # Nobody else has heard any of these names.
    stranger = await Typist.begin(await desks.browser_of(STRANGER), OTHER)
    assert len(listed(stranger)) == 1


async def test_two_with_one_name_are_told_apart(desks: Desks) -> None:
    await at_roster(desks, add_to_roster, "ann@one.example", "Ann")
    await at_roster(desks, add_to_roster, "PRIVATE:ann@two.example", "Ann")
    typist = await Typist.begin(await desks.browser_of(SCORER))
    both = ["Ann (ann@one.example)", "Ann (ann@two.example)"]
    assert listed(typist)[:-1] == both
    typist.type(date=DAY, kind="social", games_0="1").row(0, 0, "ann", "1").row(0, 1, both[1])
    await typist.press("look")
    assert "Several people match" in typist.wrong()["who-0-0"]
    await typist.row(0, 0, both[0], "1").press("look")
    assert typist.at.endswith("/look"), typist.wrong()
    await typist.send()
    assert [
        await desks.town.house.pool.fetchval(PRIVATE, who.split("(")[1][:-1]) for who in both
    ] == [False, True]
