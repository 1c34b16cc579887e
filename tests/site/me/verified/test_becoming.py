"""The page on which people become Verified: each state in words, each press, and the way back."""

from datetime import timedelta

import pytest

from tests.service import bearer
from tests.site.me.conftest import ADA, Town
from tests.site.me.verified.conftest import BACK, PATH, Ada
from tests.site.players.reading import PageRead

STRIPES = "https://checkout.stripe.com https://billing.stripe.com https://verify.stripe.com"


def buttons(page: PageRead) -> list[str]:
    return [each.text for each in page.main.all("button")]


async def test_everything_is_said_before_anybody_pays(ada: Ada) -> None:
    page = await ada.page()
    assert page.main.one("h1").text == "Become Verified"
    for words in (
        "It costs $20 a year.",
        "It never reaches back.",
        "for 30 days after you paid",
        "never to us",
        "stays for 12 months more",
        "You are not Verified yet.",
    ):
        assert words in page.main.text
    assert buttons(page) == ["Pay", "Start the check"]
    assert page.html.index("It costs") < page.html.index("<button")


async def test_its_forms_may_lead_to_stripe_and_those_of_no_other_page(ada: Ada) -> None:
    policy = (await ada.member.get(PATH)).headers.get_list("content-security-policy")
    (fields,) = policy
    assert f"form-action 'self' {STRIPES} {ada.stripe.fake.url};" in fields
    for path in ("/me", "/me/settings", "/me/forget", "/"):
        (usual,) = (await ada.member.get(path)).headers.get_list("content-security-policy")
        assert "form-action 'self';" in usual, path
        assert fields.replace(f" {STRIPES} {ada.stripe.fake.url}", "") == usual


async def test_paying_first_and_then_the_check_makes_verified(ada: Ada) -> None:
    await ada.pay()
    page = await ada.page()
    assert "the identity check is left" in page.main.text
    assert "$20.00" in page.main.text
    assert buttons(page) == ["Give me my money back", "Start the check", "Open my page at Stripe"]
    await ada.pass_check()
    page = await ada.page()
    assert page.main.one("h1").text == "You are Verified"
    assert "is renewed then by itself" in page.main.text
    assert buttons(page) == ["Open my page at Stripe"]
    assert "It costs" not in page.main.text


async def test_the_check_first_and_then_paying_makes_verified(ada: Ada) -> None:
    await ada.pass_check()
    page = await ada.page()
    assert "only the payment is left" in page.main.text
    assert buttons(page) == ["Pay"]
    await ada.pay()
    assert (await ada.page()).main.one("h1").text == "You are Verified"


async def test_a_check_that_failed_says_why_and_can_be_tried_again(ada: Ada) -> None:
    session = await ada.at("check")
    ada.stripe.people.fail_check(session, "document_expired")
    await ada.tell()
    page = await ada.page()
    assert "The document has expired." in page.main.text
    assert buttons(page) == ["Pay", "Try again"]
    assert await ada.at("check") == session
    ada.stripe.people.begin_processing(session)
    await ada.tell()
    page = await ada.page()
    assert "Stripe is looking at what you sent." in page.main.text
    assert buttons(page) == ["Pay"]
    answer = await ada.press("check")
    assert answer.status_code == 409
    assert "Stripe is still looking at what you sent." in answer.text


async def test_the_money_goes_back_by_one_press(ada: Ada) -> None:
    await ada.pay()
    answer = await ada.press("money-back")
    assert (answer.status_code, answer.headers["location"]) == (303, BACK)
    assert "on its way back to you" in await ada.words()
    assert buttons(await ada.page()) == ["Start the check", "Open my page at Stripe"]
    await ada.stripe.work()
    await ada.tell()
    page = await ada.page()
    assert "Given back to you" in page.main.text
    assert buttons(page) == ["Pay again", "Start the check", "Open my page at Stripe"]
    assert ada.stripe.subscription.status == "canceled"
    answer = await ada.press("money-back")
    assert answer.status_code == 409
    assert "no payment that can be given back" in answer.text


async def test_a_page_of_the_past_pays_for_nothing_twice(ada: Ada) -> None:
    await ada.pay()
    answer = await ada.press("pay")
    assert (answer.status_code, "You have paid already." in answer.text) == (409, True)
    assert len(ada.stripe.fake.account.checkouts) == 1


async def test_nobody_pays_twice_before_stripe_has_told_of_the_first_time(ada: Ada) -> None:
    ada.stripe.people.pay(await ada.at("pay"))
    for _ in range(2):
        answer = await ada.press("pay")
        assert (answer.status_code, "You have paid already." in answer.text) == (409, True)
    assert len(ada.stripe.fake.account.checkouts) == 1
    # No event comes: what the press asked for is enough.
    await ada.stripe.work()
    assert "the identity check is left" in await ada.words()


async def test_nothing_is_pressed_with_a_login_of_an_hour_ago(ada: Ada) -> None:
    await ada.pay()
    await ada.member.make_stale()
    page = await ada.page()
    assert buttons(page) == []
    assert "/login?to=/me/verified" in page.main.links()
    before = len(ada.stripe.fake.requests)
    for what in ("pay", "check", "receipts", "money-back"):
        answer = await ada.press(what)
        assert (answer.status_code, "log in once more" in answer.text) == (403, True), what
    assert len(ada.stripe.fake.requests) == before


@pytest.mark.parametrize("what", ["pay", "check"])
async def test_while_stripe_is_away_the_page_says_so(ada: Ada, what: str) -> None:
    ada.stripe.fake.switches.away = "fails"
    answer = await ada.press(what)
    assert answer.status_code == 503
    assert "gives no answer at the moment" in answer.text
    assert "Try again in a few minutes" in answer.text
    ada.stripe.fake.switches.away = None
    await ada.at(what)


async def test_that_stripe_is_away_for_minutes_is_told_and_forgotten(ada: Ada) -> None:
    await ada.pay()
    ada.stripe.fake.switches.away = "fails"
    await ada.member.get(BACK)
    await ada.stripe.pass_time(seconds=11)
    assert "has given no answer for some minutes" not in await ada.words()
    await ada.stripe.pass_time(minutes=6)
    assert "has given no answer for some minutes" in await ada.words()
    ada.stripe.fake.switches.away = None
    await ada.stripe.pass_time(minutes=30)
    assert "has given no answer for some minutes" not in await ada.words()


async def test_whoever_comes_back_before_stripe_has_told_sees_that_the_page_looks(
    ada: Ada,
) -> None:
    ada.stripe.people.pay(await ada.at("pay"))
    answer = await ada.member.get(BACK)
    assert "Stripe hasn’t told us yet" in answer.text
    assert answer.headers["refresh"] == f"3; url={BACK}&look=1"
    # No event comes: what the page asked for is enough.
    await ada.stripe.work()
    answer = await ada.member.get(f"{BACK}&look=1")
    assert "the identity check is left" in answer.text
    assert "refresh" not in answer.headers


async def test_stripe_is_not_asked_more_often_than_every_ten_seconds(ada: Ada) -> None:
    await ada.pay()
    await ada.stripe.pass_time(minutes=1)
    await ada.member.get(BACK)
    await ada.stripe.work()
    asked = len(ada.stripe.fake.requests)
    for _ in range(3):
        assert "refresh" in (await ada.member.get(BACK)).headers
        await ada.stripe.work()
    assert len(ada.stripe.fake.requests) == asked
    ada.stripe.clock.ahead += timedelta(seconds=11)
    await ada.stripe.work()
    assert len(ada.stripe.fake.requests) > asked
    assert "refresh" not in (await ada.member.get(f"{BACK}&look=4")).headers


async def test_the_page_gives_up_looking(ada: Ada) -> None:
    ada.stripe.people.begin_processing(await ada.at("check"))
    await ada.tell()
    for look in ("0", "7", "19"):
        assert "refresh" in (await ada.member.get(f"{BACK}&look={look}")).headers
    for look in ("20", "999"):
        answer = await ada.member.get(f"{BACK}&look={look}")
        assert "refresh" not in answer.headers
        assert "Stripe hasn’t told us yet. That can take some time." in answer.text
    assert "refresh" not in (await ada.member.get(PATH)).headers


async def test_an_address_that_is_not_stripes_is_not_followed(ada: Ada) -> None:
    ada.stripe.fake.account.site = "http://elsewhere.example"
    for what in ("pay", "check"):
        answer = await ada.press(what)
        assert (answer.status_code, "location" in answer.headers) == (502, False), what
        assert "That is a fault on our side." in answer.text


async def test_the_page_of_stripe_shows_receipts_and_cancels(ada: Ada) -> None:
    answer = await ada.press("receipts")
    assert (answer.status_code, "There is no payment" in answer.text) == (409, True)
    await ada.pay()
    await ada.pass_check()
    await ada.at("receipts")
    ada.stripe.people.cancel_at_period_end(ada.stripe.subscription.id)
    await ada.tell()
    words = await ada.words()
    assert "It ends then, because it is not renewed." in words


async def test_a_dispute_is_told_while_it_is_open_and_once_it_is_lost(ada: Ada) -> None:
    await ada.pay()
    await ada.pass_check()
    ada.stripe.people.open_dispute(ada.stripe.invoice.id)
    await ada.tell()
    assert "Your bank is looking into" in await ada.words()
    assert (await ada.page()).main.one("h1").text == "You are Verified"
    ada.stripe.people.close_dispute(ada.stripe.invoice.id, "lost")
    await ada.tell()
    page = await ada.page()
    assert page.main.one("h1").text == "Become Verified"
    assert "Your bank took your last payment back" in page.main.text
    assert buttons(page) == ["Pay again", "Open my page at Stripe"]


async def test_where_nobody_can_pay_the_page_says_so_and_presses_do_nothing(town: Town) -> None:
    await town.play({ADA: 2, "bea@example.com": 1})
    member = await town.welcomed()
    page = await member.page(BACK)
    assert "this site has no account at Stripe" in page.main.text
    assert buttons(page) == []
    for what in ("pay", "check", "receipts", "money-back"):
        answer = await member.send(f"{PATH}/{what}")
        assert (answer.status_code, "no account at Stripe" in answer.text) == (503, True), what


@pytest.mark.parametrize(
    ("decided", "title", "words"),
    [
        (True, "You are Verified", "because our staff know who you are"),
        (False, "Become Verified", "Our staff have decided that you are not Verified"),
    ],
)
async def test_what_staff_decided_is_told(ada: Ada, decided: bool, title: str, words: str) -> None:
    who = await ada.town.id_of(ADA)
    key = await ada.town.running.operator_key()
    answer = await ada.town.running.client.put(
        f"/v1/admin/players/{who}/verification",
        json={"verified": decided},
        headers=bearer(key),
    )
    assert answer.status_code == 200
    page = await ada.page()
    assert page.main.one("h1").text == title
    assert words in page.main.text
    assert buttons(page) == []


async def test_somebody_without_a_player_is_led_to_become_one(ada: Ada) -> None:
    other = await ada.town.member("new@example.com")
    assert await other.leads_to(PATH) == "/me"
    assert (await other.send(f"{PATH}/pay")).status_code == 409


async def test_whoever_canceled_reads_that_it_can_be_taken_back(ada: Ada) -> None:
    await ada.pay()
    await ada.pass_check()
    assert "take that back" not in await ada.words()
    ada.stripe.people.cancel_at_period_end(ada.stripe.subscription.id)
    await ada.tell()
    assert "You have canceled, and can take that back there until then." in await ada.words()


async def test_nobody_is_sent_to_log_in_again_for_nothing(ada: Ada) -> None:
    key = await ada.town.running.operator_key()
    who = await ada.town.id_of(ADA)
    await ada.town.running.client.put(
        f"/v1/admin/players/{who}/verification", json={"verified": True}, headers=bearer(key)
    )
    await ada.member.make_stale()
    assert "log in once more" not in await ada.words()
