"""What can be done at which origin: HTTPS, this machine, and anywhere else."""

import httpx
import pytest

from services.site.kit.origin import Origin
from tests.accounts.people import ALICE, House
from tests.site.login.visiting import HERE, a_browser, a_site


@pytest.mark.parametrize(
    ("public_url", "url", "has_login", "has_passkeys"),
    [
        (None, "http://localhost:8000", True, True),
        ("https://mahjic.org", "https://mahjic.org", True, True),
        ("https://Mahjic.org:443", "https://mahjic.org", True, True),
        ("http://mahjic.localhost:80", "http://mahjic.localhost", True, True),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000", True, False),
        ("http://[::1]:8000", "http://[::1]:8000", True, False),
        ("https://192.0.2.7", "https://192.0.2.7", True, False),
        ("http://mahjic.org", "http://mahjic.org", False, False),
        ("http://localhost.mahjic.org", "http://localhost.mahjic.org", False, False),
        ("http://192.168.1.7:8000", "http://192.168.1.7:8000", False, False),
    ],
)
def test_what_an_origin_allows(
    public_url: str | None, url: str, has_login: bool, has_passkeys: bool
) -> None:
    origin = Origin(public_url, 8000)
    assert (origin.url, origin.has_login, origin.has_passkeys) == (url, has_login, has_passkeys)


async def test_on_this_machine_the_cookie_has_another_name_and_is_not_secure(house: House) -> None:
    origin = Origin(None, 8000)
    async with a_browser(a_site(house, origin), house, origin.url) as visitor:
        await visitor.log_in(ALICE)
        assert set(visitor.client.cookies) == {"mahjic-login-here", "mahjic-browser-here"}
        answer = await visitor.send("/logout")
        assert "Secure" not in answer.headers["set-cookie"]
        assert "HttpOnly" in answer.headers["set-cookie"]


async def test_on_plain_http_elsewhere_there_is_no_login_and_the_page_says_why(
    house: House,
) -> None:
    origin = Origin("http://mahjic.example.org", 8000)
    async with a_browser(a_site(house, origin), house, origin.url) as visitor:
        page = await visitor.get("/login")
        assert page.status_code == 403
        assert "without encryption" in page.text
        for path in ("/login", "/login/code", "/login/link", "/account/addresses"):
            answer = await visitor.client.post(
                path, data={"email": ALICE, "code": "x"}, headers={"Origin": origin.url}
            )
            assert answer.status_code == 403
            assert "set-cookie" not in answer.headers
        for path in ("/account", "/login/sent", "/login/link/" + "x" * 43):
            assert (await visitor.get(path)).status_code == 403
    assert await house.mails() == []


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_who_asks_at_the_address_is_led_to_the_name(house: House, method: str) -> None:
    origin = Origin(None, 8000)
    for host in ("127.0.0.1:8000", "[::1]:8000"):
        async with a_browser(a_site(house, origin), house, f"http://{host}") as visitor:
            answer = await visitor.client.request(method, "/login?to=%2Faccount%2Fjoin&x=%20y")
            assert answer.status_code == 307
            target = "http://localhost:8000/login?to=%2Faccount%2Fjoin&x=%20y"
            assert answer.headers["location"] == target
            # What sends something has come from no page of ours.
            assert (await visitor.client.post("/login", headers=HERE)).status_code != 307


@pytest.mark.parametrize(
    "host", ["127.0.0.1:9000", "127.0.0.1", "192.0.2.7:8000", "mahjic.test:8000", "localhost:8000"]
)
async def test_who_asks_anywhere_else_is_not(house: House, host: str) -> None:
    async with a_browser(a_site(house, Origin(None, 8000)), house, f"http://{host}") as visitor:
        assert (await visitor.get("/login")).status_code == 200


async def test_nobody_is_led_off_by_an_address_of_two_slashes(house: House) -> None:
    async with a_browser(
        a_site(house, Origin(None, 8000)), house, "http://127.0.0.1:8000"
    ) as visitor:
        url = httpx.URL(scheme="http", host="127.0.0.1", port=8000, raw_path=b"//evil.example/x")
        answer = await visitor.client.get(url)
    assert answer.headers["location"] == "http://localhost:8000/evil.example/x"


async def test_programs_are_not_led_anywhere(house: House) -> None:
    async with a_browser(
        a_site(house, Origin(None, 8000)), house, "http://127.0.0.1:8000"
    ) as visitor:
        assert (await visitor.get("/healthz")).status_code == 200
        assert (await visitor.get("/v1/nothing")).status_code == 404
