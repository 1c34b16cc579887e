"""The page of the account: what it shows and changes, and for whom."""

import re
from datetime import timedelta

import pytest

from services.accounts.room import Chance
from services.accounts.staff import add_staff
from tests.accounts.people import ALICE, BEN, House
from tests.site.login.visiting import Visitor

WORK = "alice@work.example.com"
CHANGES = {
    "/account/addresses": {"email": WORK},
    "/account/addresses/code": {"code": "7K3Q-9XZM"},
    "/account/addresses/link": {"token": "x" * 43},
    "/account/addresses/remove": {"email": ALICE, "sure": "yes"},
    "/account/mail-login": {"mail": "off"},
    "/account/passkeys/remove": {"passkey": "pky_0"},
    "/account/passkeys/options": {},
    "/account/join": {},
}
OTHERS = {"/account/logins/end": {}, "/account/passkeys/name": {"passkey": "x", "name": "y"}}


async def add(visitor: Visitor, address: str) -> str:
    """Add an address by the code of its mail, and return where that leads."""
    answer = await visitor.send("/account/addresses", {"email": address})
    assert answer.headers["location"] == "/login/sent"
    page = await visitor.get("/login/sent")
    assert 'action="/account/addresses/code"' in page.text
    mail = (await visitor.house.mails())[-1]
    answer = await visitor.send("/account/addresses/code", {"code": mail.code})
    assert answer.status_code == 303
    return answer.headers["location"]


@pytest.mark.parametrize("path", [*CHANGES, *OTHERS])
async def test_nobody_changes_anything_without_a_login(visitor: Visitor, path: str) -> None:
    answer = await visitor.send(path, CHANGES.get(path) or OTHERS.get(path))
    assert answer.status_code == 401
    assert 'href="/login"' in answer.text
    assert await visitor.house.mails() == []


@pytest.mark.parametrize("path", CHANGES)
async def test_what_hurts_needs_a_fresh_login_and_leads_to_one(visitor: Visitor, path: str) -> None:
    await visitor.log_in(ALICE)
    before = len(await visitor.house.mails())
    visitor.house.clock.wind(timedelta(minutes=15))
    answer = await visitor.send(path, CHANGES[path])
    assert answer.status_code == 403
    assert 'href="/login?to=/account"' in answer.text
    assert len(await visitor.house.mails()) == before
    page = (await visitor.get("/account")).text
    assert "log in once more" in page
    assert "/account/addresses" not in page


async def test_an_address_is_added_by_code_and_removed_when_sure(visitor: Visitor) -> None:
    await visitor.log_in(ALICE)
    assert await add(visitor, WORK) == "/account#addresses"
    assert WORK in (await visitor.get("/account")).text
    unsure = await visitor.send("/account/addresses/remove", {"email": ALICE})
    assert unsure.status_code == 422
    assert ALICE in (await visitor.get("/account")).text
    sure = await visitor.send("/account/addresses/remove", {"email": ALICE, "sure": "yes"})
    assert sure.status_code == 303
    assert ALICE not in (await visitor.get("/account")).text


async def test_an_address_is_added_by_its_link_only_where_its_account_is_logged_in(
    visitor: Visitor, elsewhere: Visitor
) -> None:
    await visitor.log_in(ALICE)
    await elsewhere.log_in(BEN)
    await visitor.send("/account/addresses", {"email": WORK})
    mail = (await visitor.house.mails())[-1]
    link = f"/login/link/{mail.link_token}"
    there = await elsewhere.get(link)
    assert "<button" not in there.text.partition("<main")[2].partition("</main>")[0]
    for path in ("/account/addresses/link", "/login/link"):
        assert (await elsewhere.send(path, {"token": mail.link_token})).status_code == 410
    assert "Add the address" in (await visitor.get(link)).text
    added = await visitor.send("/account/addresses/link", {"token": mail.link_token})
    assert added.headers["location"] == "/account#addresses"
    assert WORK not in (await elsewhere.get("/account")).text


async def test_a_wrong_code_is_told_at_the_field_and_the_fifth_ends_it(visitor: Visitor) -> None:
    await visitor.log_in(ALICE)
    await visitor.send("/account/addresses", {"email": WORK})
    for _ in range(4):
        answer = await visitor.send("/account/addresses/code", {"code": "0000-0000"})
        assert answer.status_code == 422
        assert 'action="/account/addresses/code"' in answer.text
    answer = await visitor.send("/account/addresses/code", {"code": "0000-0000"})
    assert answer.status_code == 410


async def test_two_accounts_are_joined_after_a_page_that_says_what_happens(
    visitor: Visitor, elsewhere: Visitor
) -> None:
    await elsewhere.log_in(BEN)
    await visitor.log_in(ALICE)
    assert (await visitor.get("/account/join")).headers["location"] == "/account"
    assert await add(visitor, BEN) == "/account/join"
    assert "Make them one" in (await visitor.get("/account/join")).text
    assert BEN not in (await visitor.get("/account")).text
    assert (await visitor.send("/account/join")).status_code == 303
    assert BEN in (await visitor.get("/account")).text
    assert not await elsewhere.is_logged_in()


async def test_another_browser_is_logged_out_from_here(
    visitor: Visitor, elsewhere: Visitor
) -> None:
    await elsewhere.log_in(ALICE)
    await visitor.log_in(ALICE)
    page = (await visitor.get("/account")).text
    (other,) = re.findall(r'name="login" value="(lgn_\w+)"', page)
    await visitor.send("/account/logins/end", {"login": other})
    assert not await elsewhere.is_logged_in()
    assert await visitor.is_logged_in()


async def test_new_staff_see_nothing_but_the_way_to_a_passkey(
    visitor: Visitor, house: House
) -> None:
    await add_staff(house.pool, ALICE, "operator", Chance(house.clock.now))
    await visitor.press(await visitor.ask(ALICE))
    page = (await visitor.get("/account")).text
    assert "Add your passkey" in page
    assert ALICE not in page
    changes = CHANGES | OTHERS
    for path in changes.keys() - {"/account/passkeys/options"}:
        answer = await visitor.send(path, changes[path])
        assert answer.status_code == 403, path
        assert "Add a passkey" in answer.text
    assert (await visitor.send("/account/passkeys/options")).status_code == 200


@pytest.mark.parametrize(
    "sent",
    [
        {"content": b"email=a@b.com&email=c@d.com"},
        {"content": b"email=%ff"},
        {"content": b"email=a%00@b.com"},
        {"content": "email=ä".encode()},
        {"content": b"&".join(b"a%d=1" % number for number in range(60))},
    ],
    ids=lambda sent: str(sent["content"][:20]),
)
async def test_a_form_that_no_page_of_ours_sends_is_refused(
    visitor: Visitor, sent: dict[str, bytes]
) -> None:
    headers = {
        "Sec-Fetch-Site": "same-origin",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    answer = await visitor.client.post("/login", headers=headers, content=sent["content"])
    assert answer.status_code == 400
    long = await visitor.client.post("/login", headers=headers, content=b"a" * 20_000)
    assert long.status_code == 413
    as_json = {**headers, "Content-Type": "application/json"}
    assert (await visitor.client.post("/login", headers=as_json, content=b"{}")).status_code == 415
