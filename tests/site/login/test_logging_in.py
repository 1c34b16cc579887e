"""Logging in by mail: in the browser that presses the button, or in the one that asked."""

import re
from datetime import timedelta

import httpx
import pytest

from tests.accounts.people import ALICE, BEN, House
from tests.site.login.visiting import Visitor


def cookies_of(answer: httpx.Response) -> list[str]:
    return answer.headers.get_list("set-cookie")


async def test_from_the_form_to_the_account_by_the_link(visitor: Visitor) -> None:
    assert (await visitor.get("/account")).headers["location"] == "/login?to=/account"
    mail = await visitor.ask(ALICE)
    page = await visitor.get(f"/login/link/{mail.link_token}")
    assert ALICE in page.text
    assert "Chrome on Windows, just now" in page.text
    pressed = await visitor.press(mail)
    assert (pressed.status_code, pressed.headers["location"]) == (303, "/me")
    assert ALICE in (await visitor.get("/account")).text


async def test_the_button_logs_in_the_browser_that_presses_it(
    visitor: Visitor, elsewhere: Visitor
) -> None:
    mail = await visitor.ask(ALICE)
    await elsewhere.press(mail)
    assert await elsewhere.is_logged_in()
    assert not await visitor.is_logged_in()


async def test_the_page_of_a_link_tells_how_long_ago_it_was_asked_for(
    visitor: Visitor, house: House
) -> None:
    mail = await visitor.ask(ALICE)
    house.clock.wind(timedelta(minutes=3, seconds=59))
    assert "3 minutes ago" in (await visitor.get(f"/login/link/{mail.link_token}")).text


async def test_a_scanner_that_opens_everything_twice_spends_nothing(
    visitor: Visitor, elsewhere: Visitor
) -> None:
    mail = await visitor.ask(ALICE)
    (link,) = set(re.findall(r"https://\S+", mail.text))
    assert link in mail.html
    for _ in range(2):
        for method in ("GET", "HEAD", "OPTIONS"):
            answer = await elsewhere.client.request(method, link)
            assert cookies_of(answer) == []
        await elsewhere.client.get("https://mahjic.example.org/login/link")
    assert not await elsewhere.is_logged_in()
    await visitor.press(mail)
    assert await visitor.is_logged_in()


async def test_the_code_logs_in_the_browser_that_asked_and_no_other(
    visitor: Visitor, elsewhere: Visitor
) -> None:
    mail = await visitor.ask(ALICE)
    await elsewhere.ask(BEN)
    assert (await elsewhere.send("/login/code", {"code": mail.code})).status_code == 422
    assert not await elsewhere.is_logged_in()
    assert ALICE in (await visitor.get("/login/sent")).text
    answer = await visitor.send("/login/code", {"code": mail.code.lower()})
    assert (answer.status_code, answer.headers["location"]) == (303, "/me")
    assert await visitor.is_logged_in()


async def test_wrong_codes_are_counted_aloud_and_the_fifth_ends_it(visitor: Visitor) -> None:
    mail = await visitor.ask(ALICE)
    for left in ("4 more tries", "3 more tries", "2 more tries", "one more try"):
        answer = await visitor.send("/login/code", {"code": "0000-0000"})
        assert answer.status_code == 422
        assert left in answer.text
    for code in ("0000-0000", mail.code):
        answer = await visitor.send("/login/code", {"code": code})
        assert answer.status_code == 410
    assert not await visitor.is_logged_in()


async def test_a_link_that_is_used_up_says_so_and_leads_on(visitor: Visitor) -> None:
    mail = await visitor.ask(ALICE)
    await visitor.press(mail)
    for answer in (
        await visitor.get(f"/login/link/{mail.link_token}"),
        await visitor.press(mail),
        await visitor.get("/login/link/" + "x" * 43),
    ):
        assert answer.status_code == 410
        assert 'href="/account"' in answer.text


async def test_the_cookie_is_for_this_host_alone_and_no_script_reads_it(visitor: Visitor) -> None:
    mail = await visitor.ask(ALICE)
    (cookie,) = cookies_of(await visitor.press(mail))
    name, _, rest = cookie.partition("=")
    assert name == "__Host-mahjic-login"
    token, *attributes = rest.split("; ")
    assert re.fullmatch(r"[\w-]{43}", token)
    assert {"Path=/", "Secure", "HttpOnly", "SameSite=lax"} < set(attributes)
    assert not any(each.startswith("Domain") for each in attributes)


async def test_a_cookie_that_was_there_before_is_not_taken_over(
    visitor: Visitor, elsewhere: Visitor
) -> None:
    await elsewhere.log_in(BEN)
    planted = elsewhere.client.cookies["__Host-mahjic-login"]
    visitor.client.cookies.set("__Host-mahjic-login", planted, domain="mahjic.example.org")
    await visitor.press(await visitor.ask(ALICE))
    assert not await elsewhere.is_logged_in()
    assert ALICE in (await visitor.get("/account")).text


async def test_of_two_cookies_of_one_name_none_counts(visitor: Visitor) -> None:
    await visitor.log_in(ALICE)
    token = visitor.client.cookies["__Host-mahjic-login"]
    visitor.client.cookies.clear()
    sent = f"__Host-mahjic-login={token}"
    assert (await visitor.get("/account", headers={"Cookie": sent})).status_code == 200
    for twice in (f"{sent}; {sent}", f"__Host-mahjic-login=x; {sent}"):
        assert (await visitor.get("/account", headers={"Cookie": twice})).status_code == 302
    assert (await visitor.get("/account", headers={"Cookie": f"x{sent}"})).status_code == 302


@pytest.mark.parametrize(
    ("to", "led_to"),
    [
        ("/account/join", "/account/join"),
        ("/players/MJ-1?a=b&c=d", "/players/MJ-1?a=b&c=d"),
        ("", "/me"),
        ("https://elsewhere.example", "/me"),
        ("//elsewhere.example", "/me"),
        ("/\\elsewhere.example", "/me"),
        ("\\\\elsewhere.example", "/me"),
        ("/a\r\nSet-Cookie: x=y", "/me"),
        ("/" + "a" * 600, "/me"),
        ("javascript:alert(1)", "/me"),
    ],
)
async def test_a_login_leads_back_to_a_page_of_ours_only(
    visitor: Visitor, to: str, led_to: str
) -> None:
    mail = await visitor.ask(ALICE, to)
    assert (await visitor.press(mail)).headers["location"] == led_to


async def test_logging_out_ends_the_login_and_takes_the_cookie(visitor: Visitor) -> None:
    await visitor.log_in(ALICE)
    token = visitor.client.cookies["__Host-mahjic-login"]
    (cookie,) = cookies_of(await visitor.send("/logout"))
    named, *attributes = cookie.split("; ")
    assert named.replace('"', "") == "__Host-mahjic-login="
    # A browser takes a `__Host-` cookie away only if this one could have set it.
    assert {"Path=/", "Max-Age=0", "Secure"} < set(attributes)
    sent = {"Cookie": f"__Host-mahjic-login={token}"}
    assert (await visitor.get("/account", headers=sent)).status_code == 302


async def test_what_is_no_address_is_told_at_the_field(visitor: Visitor) -> None:
    for typed in ("", "alice", "alice@", "a" * 5_000, '"><script>@example.com'):
        answer = await visitor.send("/login", {"email": typed})
        assert answer.status_code == 422
        assert 'aria-invalid="true"' in answer.text
        assert "<script>@" not in answer.text
    assert await visitor.house.mails() == []


async def test_too_many_mails_are_refused_with_when_to_come_again(visitor: Visitor) -> None:
    for _ in range(3):
        await visitor.ask(ALICE)
    answer = await visitor.send("/login", {"email": ALICE})
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "900")
    assert "15 minutes" in answer.text
    assert len(await visitor.house.mails()) == 3


async def test_no_page_of_a_person_is_kept_by_anyone(visitor: Visitor) -> None:
    mail = await visitor.ask(ALICE)
    answers = [
        await visitor.get("/login"),
        await visitor.get("/login/sent"),
        await visitor.get(f"/login/link/{mail.link_token}"),
        await visitor.press(mail),
        await visitor.get("/account"),
        await visitor.get("/account/join"),
        await visitor.send("/login/passkey/options"),
        await visitor.send("/account/passkeys/options"),
    ]
    for answer in answers:
        assert answer.headers["cache-control"] == "no-store", answer.request.url
        assert "etag" not in answer.headers
        assert "access-control-allow-origin" not in answer.headers
        assert answer.headers["referrer-policy"] == "same-origin", answer.request.url
        assert answer.headers["cross-origin-resource-policy"] == "same-origin", answer.request.url


async def test_a_page_of_a_person_ignores_keys(visitor: Visitor) -> None:
    key = {"Authorization": "Bearer mjk_" + "k" * 43}
    assert (await visitor.get("/account", headers=key)).status_code == 302
    await visitor.log_in(ALICE)
    assert (await visitor.get("/account", headers=key)).status_code == 200
