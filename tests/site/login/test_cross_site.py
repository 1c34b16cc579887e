"""Only a page of this site changes anything; what comes from elsewhere changes nothing."""

import pytest

from services.site.api import SITE_ROUTES
from shared.http.layers.own_site import is_from_here
from tests.accounts.people import ALICE, BEN, House
from tests.site.login.visiting import Visitor
from tests.site.serving import ORIGIN

# Mail programs press its one button from nowhere.
FREE = "/mail/no-more/{token}"
CHANGING = sorted({route.path for route in SITE_ROUTES if route.method != "GET"} - {FREE})
REFUSED = [
    {},
    {"Origin": "null"},
    {"Origin": "https://elsewhere.example"},
    {"Origin": "http://mahjic.example.org"},
    {"Origin": "https://mahjic.example.org:8443"},
    {"Origin": "https://mahjic.example.org.elsewhere.example"},
    {"Origin": "https://www.mahjic.example.org"},
    {"Origin": ""},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "none"},
    {"Sec-Fetch-Site": ""},
    {"Sec-Fetch-Site": "same-origin, cross-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": ORIGIN},
    {"Sec-Fetch-Site": "same-site", "Origin": ORIGIN},
    {"Sec-Fetch-Site": "same-origin", "Origin": "null"},
    {"Sec-Fetch-Site": "same-origin", "Origin": "https://elsewhere.example"},
    {"Referer": f"{ORIGIN}/account"},
    {"Host": "mahjic.example.org", "X-Forwarded-Host": "mahjic.example.org"},
]


async def everything(house: House) -> str:
    tables = ("accounts", "addresses", "address_proofs", "logins", "passkeys", "mails")
    rows = [await house.pool.fetch(f"SELECT * FROM mahjic.{table} ORDER BY 1") for table in tables]
    return repr([[tuple(row) for row in each] for each in rows])


@pytest.mark.parametrize("headers", REFUSED, ids=str)
async def test_nothing_changes_for_whoever_is_sent_from_elsewhere(
    visitor: Visitor, headers: dict[str, str]
) -> None:
    await visitor.log_in(ALICE)
    before = await everything(visitor.house)
    for path in CHANGING:
        answer = await visitor.client.post(
            path, data={"email": BEN, "sure": "yes", "mail": "off"}, headers=headers
        )
        assert answer.status_code == 403, path
        assert "another site" in answer.text
        assert "set-cookie" not in answer.headers
    assert await everything(visitor.house) == before
    assert await visitor.is_logged_in()


async def test_a_program_reads_why(visitor: Visitor) -> None:
    answer = await visitor.client.post("/login", headers={"Accept": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (403, "cross_site")


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "same-origin"},
        {"Origin": ORIGIN},
        {"Sec-Fetch-Site": "same-origin", "Origin": ORIGIN},
    ],
    ids=str,
)
async def test_a_page_of_ours_is_heard(visitor: Visitor, headers: dict[str, str]) -> None:
    await visitor.log_in(ALICE)
    answer = await visitor.client.post("/logout", headers=headers)
    assert answer.status_code == 303
    assert not await visitor.is_logged_in()


def test_two_fields_of_one_name_are_not_heard() -> None:
    for name, value in ((b"sec-fetch-site", b"same-origin"), (b"origin", ORIGIN.encode())):
        assert is_from_here([(name, value)], ORIGIN)
        assert not is_from_here([(name, value), (name, value)], ORIGIN)


async def test_there_are_such_pages() -> None:
    assert len(CHANGING) > 12
