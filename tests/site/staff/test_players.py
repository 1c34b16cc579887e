"""Staff find players, and hide, show and forget them; each act is asked, and kept."""

import pytest

from tests.ids.mistyped import mistyped
from tests.site.staff.conftest import StaffTown

ANN, BEN = "ann@example.com", "ben@example.com"
READ = "SELECT is_private, privacy_by FROM mahjic.people WHERE player_id = $1"


async def ann_of(staffed: StaffTown) -> str:
    await staffed.town.play({ANN: 2, BEN: 1})
    return await staffed.town.id_of(ANN)


async def test_a_player_is_found_by_id_however_it_is_typed(staffed: StaffTown) -> None:
    ann = await ann_of(staffed)
    browser = await staffed.at_desk()
    typed = ann.lower().replace("0", "o").replace("1", "l")
    assert await browser.leads_to(f"/staff/players?id=+{typed}") == f"/staff/players/{ann}"
    assert await browser.leads_to(f"/staff/players/{ann.lower()}") == f"/staff/players/{ann}"
    page = await browser.page(f"/staff/players/{ann}")
    assert page.main.one("h1").text.startswith(ann)
    assert ANN not in page.main.text
    wrong = mistyped(ann)
    for odd in (wrong, ANN, "ann", "x" * 1000, "%00"):
        assert (await browser.get(f"/staff/players?id={odd}")).status_code == 422
        assert (await browser.get(f"/staff/players/{odd}")).status_code == 422
    assert (await browser.get("/staff/players/MJ-0000001Y")).status_code == 404
    assert await staffed.acts() == []


async def test_that_somebody_looked_for_an_address_is_kept(staffed: StaffTown) -> None:
    ann = await ann_of(staffed)
    browser = await staffed.at_desk()
    found = await browser.send("/staff/players/find", {"email": " Ann@Example.com "})
    assert found.headers["location"] == f"/staff/players/{ann}"
    unknown = await browser.send("/staff/players/find", {"email": "new@example.com"})
    assert unknown.status_code == 404
    assert "Nobody on record" in unknown.text
    for odd in ("", "no address", "ANON:bob", "bob@mahjic.org", "x" * 5000):
        assert (await browser.send("/staff/players/find", {"email": odd})).status_code == 422
    assert await staffed.acts() == [("find_by_address", [ann]), ("find_by_address", [])]
    made = await browser.send("/staff/players/register", {"email": "new@example.com"})
    new = await staffed.town.id_of("new@example.com")
    assert made.headers["location"] == f"/staff/players/{new}"
    assert (await staffed.acts())[-1] == ("register_player", [new])


async def test_a_player_is_hidden_and_shown_again(staffed: StaffTown) -> None:
    ann = await ann_of(staffed)
    browser = await staffed.at_desk()
    pool = staffed.town.house.pool
    path = f"/staff/players/{ann}"
    for act in ("hide", "show"):
        assert f"{path}/do/{act}" in (await browser.page(path)).main.links()
        assert ann in (await browser.page(f"{path}/do/{act}")).main.one("h1").text
        answer = await browser.send(f"{path}/do/{act}")
        assert answer.headers["location"] == f"{path}?done={act}"
        assert (await browser.page(answer.headers["location"])).main.all("p", role="status")
        kept = await pool.fetchrow(READ, ann)
        assert kept is not None
        assert tuple(kept) == (act == "hide", "operator")
        # What is so already is not offered again.
        assert (await browser.get(f"{path}/do/{act}")).status_code == 409
    assert await staffed.acts() == [("hide_player", [ann]), ("show_player", [ann])]


async def test_a_player_is_forgotten_once_the_id_is_typed(staffed: StaffTown) -> None:
    ann = await ann_of(staffed)
    browser = await staffed.at_desk()
    path = f"/staff/players/{ann}/do/forget"
    ben = await staffed.town.id_of(BEN)
    for typed in ("", "yes", ben):
        answer = await browser.send(path, {"typed": typed})
        assert (answer.status_code, "typed-wrong" in answer.text) == (422, True)
    assert await staffed.acts() == []
    assert (await browser.send(path, {"typed": ann.lower()})).status_code == 303
    pool = staffed.town.house.pool
    assert await pool.fetchval("SELECT count(*) FROM mahjic.people WHERE email = $1", ANN) == 0
    page = await browser.page(f"/staff/players/{ann}?done=forget")
    assert "Nobody with an address" in page.main.text
    assert not [each for each in page.main.links() if "/do/" in each]
    for act in ("hide", "show", "forget"):
        assert (await browser.get(f"/staff/players/{ann}/do/{act}")).status_code == 409
    for act in ("verify", "block"):
        assert (await browser.get(f"/staff/players/{ann}/verified/{act}")).status_code == 409
    verify = await browser.send(f"/staff/players/{ann}/verified/verify", {"reason": "We know her."})
    assert verify.status_code == 422
    assert (await staffed.acts())[0] == ("forget_player", [ann])


@pytest.mark.parametrize("path", ["do/eat", "do/hide/more", "verified/eat", "eat"])
async def test_there_is_nothing_else(staffed: StaffTown, path: str) -> None:
    browser = await staffed.at_desk()
    assert (await browser.get(f"/staff/players/MJ-0000001Y/{path}")).status_code == 404
