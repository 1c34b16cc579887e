"""Staff read what staff did; nobody else learns that there is such a page."""

from services.accounts.acts import note_act
from services.accounts.room import Chance
from services.accounts.staff import add_staff, list_staff
from tests.accounts.own.authenticator import Device
from tests.accounts.own.test_passkeys import make
from tests.accounts.people import ALICE, SITE, House
from tests.site.login.visiting import HERE, Visitor

PATH = "/account/acts"


async def enter_as_staff(visitor: Visitor) -> str:
    """Make a member of staff, log them in with a passkey in this browser; return the account."""
    house = visitor.house
    account = await add_staff(house.pool, ALICE, "operator", Chance(house.clock.now))
    device = Device(SITE)
    await make(house, await house.log_in(), device)
    options = await visitor.client.post("/login/passkey/options", headers=HERE)
    sent = {"credential": device.sign(options.text), "to": ""}
    entered = await visitor.client.post("/login/passkey", headers=HERE, json=sent)
    assert entered.json() == {"leads_to": "/me"}
    return account


async def test_staff_see_who_did_what_when_and_about_whom(visitor: Visitor) -> None:
    account = await enter_as_staff(visitor)
    assert f'href="{PATH}"' in (await visitor.get("/account")).text
    await list_staff(visitor.house.pool, Chance(visitor.house.clock.now))
    page = await visitor.get(PATH)
    assert page.headers["cache-control"] == "no-store"
    for words in ("list staff", "make operator", "at the machine", account, "Mar 1, 2026, 20:00"):
        assert words in page.text
    assert ALICE not in page.text


async def test_the_list_goes_on_to_the_first_act(visitor: Visitor) -> None:
    await enter_as_staff(visitor)
    async with visitor.house.pool.acquire() as connection, connection.transaction():
        for number in range(60):
            await note_act(
                connection,
                at=visitor.house.clock.now(),
                staff_id=None,
                act="look",
                about=[f"number{number}"],
            )
    first = (await visitor.get(PATH)).text
    assert "number59" in first
    assert "make operator" not in first
    (older,) = [part.partition('"')[0] for part in first.split('href="') if "?before=" in part][:1]
    assert "make operator" in (await visitor.get(older)).text


async def test_for_others_there_is_no_such_page(visitor: Visitor, house: House) -> None:
    assert (await visitor.get(PATH)).status_code == 401
    await visitor.log_in("someone@example.com")
    assert (await visitor.get(PATH)).status_code == 404
    assert PATH not in (await visitor.get("/account")).text
    await add_staff(house.pool, ALICE, "operator", Chance(house.clock.now))
    await visitor.press(await visitor.ask(ALICE))
    assert (await visitor.get(PATH)).status_code == 403
