"""Addresses that are spelled in another way, mistyped, hostile, or asked about again."""

from urllib.parse import quote

import pytest

from tests.projections.season import Round, mj
from tests.site.players.conftest import SiteWorld

ALICE, BO = mj(1), mj(2)
CHANGE = f"{ALICE}.2.1"
SPELLINGS = [
    (f"/players/{ALICE.lower()}", f"/players/{ALICE}"),
    (f"/players/%20{ALICE}%20", f"/players/{ALICE}"),
    (f"/players/{ALICE.replace('0', 'o')}", f"/players/{ALICE}"),
    (f"/players/{ALICE.replace('1', 'L')}", f"/players/{ALICE}"),
    (f"/players/{ALICE.lower()}?fbclid=x", f"/players/{ALICE}?fbclid=x"),
    (f"/players/{ALICE.lower()}/changes/{CHANGE}", f"/players/{ALICE}/changes/{CHANGE}"),
    (f"/players/{ALICE}/changes/{CHANGE.lower()}", f"/players/{ALICE}/changes/{CHANGE}"),
    (f"/compare/{ALICE.lower()}/{BO}", f"/compare/{ALICE}/{BO}"),
    (f"/compare/{ALICE}/{BO.lower()}", f"/compare/{ALICE}/{BO}"),
]
MISTYPED = [
    ALICE[:-1] + "Z",
    "MJ-1",
    "ALICE",
    "alice@example.com",
    "MJ-" + "\N{LATIN SMALL LETTER LONG S}" * 8,
    "ses_1",
    "\N{ROMAN NUMERAL ONE THOUSAND}J-0000001Y",
]
HOSTILE = ["%00", "..%2f", "'%20OR%201=1", "%3Cscript%3E", "x" * 41, "x" * 5000, "%FF", "%E2%80%AE"]


@pytest.fixture
async def played(site: SiteWorld) -> SiteWorld:
    await site.season.play("club", Round({ALICE: 2, BO: 1}))
    await site.follow()
    return site


async def test_other_spellings_lead_to_the_right_one(played: SiteWorld) -> None:
    for path, right in SPELLINGS:
        answer = await played.ask(path)
        assert (answer.status_code, answer.headers["location"]) == (302, right), path
        await played.page(right)


@pytest.mark.parametrize("text", MISTYPED)
async def test_a_mistyped_id_is_told_apart_and_offers_a_search(
    played: SiteWorld, text: str
) -> None:
    for path in (
        f"/players/{quote(text)}",
        f"/players/{quote(text)}/changes/{CHANGE}",
        f"/players/{ALICE}/changes/{quote(text)}.2.1",
        f"/compare/{ALICE}/{quote(text)}",
    ):
        page = await played.page(path, status=422)
        assert page.one("h1").text == "That Mahjic ID has a typo"
        assert page.one("form", role="search")
    unknown = await played.page(f"/players/{mj(99)}", status=404)
    assert unknown.one("h1").text == "We can’t find that player"
    assert unknown.one("form", role="search")


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_addresses_get_pages_that_help(played: SiteWorld, text: str) -> None:
    for path in (
        f"/players/{text}",
        f"/players/{text}/changes/{text}",
        f"/players/{ALICE}/changes/{text}",
        f"/players/{ALICE}/changes/{ALICE}.{text}",
        f"/players/{ALICE}?cursor={text}",
        f"/players/{ALICE}/changes/{CHANGE}?cursor={text}",
        f"/compare/{text}/{text}",
        f"/compare/{ALICE}/{BO}?cursor={text}",
    ):
        answer = await played.ask(path)
        if f"{CHANGE}?" in path and answer.status_code == 200:
            continue  # A round has one page, whatever cursor comes after it.
        assert answer.status_code in {400, 404, 414, 422}, (path, answer.status_code)
        assert "<h1>" in answer.text
        assert "<script>" not in answer.text


@pytest.mark.parametrize("change", ["2", "2.2", "3.1", "2.1.1", "0", "2.99999", "9" * 18, "2."])
async def test_a_change_that_is_none_is_told_apart(played: SiteWorld, change: str) -> None:
    page = await played.page(f"/players/{ALICE}/changes/{ALICE}.{change}", status=404)
    assert page.one("h1").text == "We can’t find that change"


async def test_a_page_that_is_held_is_not_sent_again(played: SiteWorld) -> None:
    for path in (
        f"/players/{ALICE}",
        f"/players/{ALICE}/changes/{CHANGE}",
        f"/compare/{ALICE}/{BO}",
        "/find?q=alice",
    ):
        first = await played.ask(path)
        etag = first.headers["etag"]
        assert first.headers["cache-control"] == "no-cache"
        held = await played.client.get(path, headers={"If-None-Match": etag})
        assert (held.status_code, held.content, held.headers["etag"]) == (304, b"", etag)
        head = await played.client.head(path, headers={"Accept": "text/html"})
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["etag"] == etag
    await played.season.play("club", Round({ALICE: 2, BO: 1}))
    await played.follow()
    again = await played.client.get(f"/players/{ALICE}", headers={"If-None-Match": etag})
    assert again.status_code == 200
