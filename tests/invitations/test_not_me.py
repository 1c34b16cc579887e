""" "This is not me": only the button says so, and the desk of the source hears of it."""

from collections.abc import AsyncIterator

import httpx
import pytest

from services.invitations.links import InvitationLinks, list_wrong_addresses
from services.site.mailing.invited import INVITED_PAGES
from shared.mail.no_more import wants_no_more
from tests.invitations.town import HASHES, Town
from tests.service import bearer
from tests.site.serving import HTML, ORIGIN, serve_pages

# What a browser sends along when the button of our own page is pressed.
PRESSED = {"Origin": ORIGIN, "Sec-Fetch-Site": "same-origin", **HTML}
READ_NOT_ME = "SELECT count(*) FROM mahjic.invitations WHERE not_me_at IS NOT NULL"
ADMIN = "/v1/admin/wrong-addresses"


@pytest.fixture
async def site(town: Town) -> AsyncIterator[httpx.AsyncClient]:
    """Return the pages on the database of a town."""
    app = serve_pages(INVITED_PAGES, InvitationLinks(town.room))
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://mahjic.test") as client:
        yield client


async def link_of(town: Town, who: str) -> str:
    (token,) = [letter.token for letter in await town.letters() if letter.who == who]
    return f"/invited/{token}"


async def ended(town: Town, who: str) -> bool:
    return await wants_no_more(town.pool, HASHES.of(town.address(who)))


async def test_a_scanner_that_opens_the_link_changes_nothing(
    town: Town, site: httpx.AsyncClient
) -> None:
    await town.night("ada", "bo", at="tuesday-tiles")
    await town.invited()
    link = await link_of(town, "ada")
    for method in ("GET", "HEAD", "OPTIONS", "GET", "HEAD"):
        answer = await site.request(method, link, headers=PRESSED)
        assert answer.status_code < 500
        assert "set-cookie" not in answer.headers
    assert not await ended(town, "ada")
    assert await town.pool.fetchval(READ_NOT_ME) == 0
    page = await site.get(link, headers=HTML)
    assert "This is not me" in page.text
    assert "Tuesday Tiles" in page.text
    assert page.headers["cache-control"] == "no-store"
    assert 'name="robots" content="noindex"' in page.text
    for hidden in (town.address("ada"), await town.player("ada"), link.removeprefix("/invited/")):
        assert hidden not in page.text


async def test_the_button_ends_mail_and_tells_the_desk_and_again_changes_nothing(
    town: Town, site: httpx.AsyncClient
) -> None:
    session_id = await town.night("ada", "bo")
    await town.night("cleo", "bo", at="b-club")
    await town.invited()
    links = {who: await link_of(town, who) for who in ("ada", "cleo")}
    for link in (links["ada"], links["ada"], links["cleo"]):
        answer = await site.post(link, headers=PRESSED)
        assert answer.status_code == 200
        assert "We will not write to this address again" in answer.text
        assert "set-cookie" not in answer.headers
    assert await ended(town, "ada")
    assert not await ended(town, "bo")
    assert await town.sent() == ["bo"]
    async with town.pool.acquire() as connection:
        wrong = await list_wrong_addresses(connection, source="a-club", after=0, limit=10)
    (one,) = wrong
    assert (one.player_id, one.session_id) == (await town.player("ada"), session_id)
    assert (one.source, one.session_date) == ("a-club", town.today)


async def test_a_login_is_not_to_be_had_from_an_invitation(
    town: Town, site: httpx.AsyncClient
) -> None:
    await town.night("ada", "bo")
    await town.invited()
    (letter,) = [each for each in await town.letters() if each.who == "ada"]
    assert f"/login/link/{letter.token}" not in letter.text
    for count in ("logins", "accounts", "address_proofs"):
        assert await town.pool.fetchval(f"SELECT count(*) FROM mahjic.{count}") == 0


async def test_whoever_has_claimed_the_address_is_not_disowned_by_a_forwarded_mail(
    town: Town, site: httpx.AsyncClient
) -> None:
    await town.night("ada", "bo")
    await town.invited()
    link = await link_of(town, "ada")
    await town.claim_address("ada")
    for method in ("GET", "POST"):
        answer = await site.request(method, link, headers=PRESSED)
        assert answer.status_code == 409
        assert "Log in" in answer.text
    assert not await ended(town, "ada")
    assert await town.pool.fetchval(READ_NOT_ME) == 0


@pytest.mark.parametrize("token", ["x", "A" * 43, "A" * 44, "%00", "%FF", "a%0Ab", "A" * 4000])
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_link_that_we_did_not_make_changes_nothing(
    town: Town, site: httpx.AsyncClient, method: str, token: str
) -> None:
    answer = await site.request(method, f"/invited/{token}", headers=PRESSED)
    assert answer.status_code in {404, 422}


async def test_the_link_of_somebody_who_was_forgotten_leads_nowhere(
    town: Town, site: httpx.AsyncClient
) -> None:
    await town.night("ada", "bo")
    await town.invited()
    link = await link_of(town, "ada")
    await town.forget("ada")
    unknown = await site.get("/invited/" + "A" * 43, headers=HTML)
    for method in ("GET", "POST"):
        answer = await site.request(method, link, headers=PRESSED)
        assert answer.status_code == 404
        assert answer.text.partition("request")[0] == unknown.text.partition("request")[0]


async def test_tokens_are_kept_as_hashes_and_are_in_no_log_line(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    await town.night("ada", "bo")
    await town.invited()
    for letter in await town.letters():
        rows = await town.pool.fetch("SELECT * FROM mahjic.invitations")
        assert letter.token not in repr([tuple(row) for row in rows])
    tokens = {letter.token for letter in await town.letters()}
    assert len(tokens) == 2


async def test_the_operator_reads_wrong_addresses_page_by_page(
    town: Town, site: httpx.AsyncClient
) -> None:
    names = ["ada", "bo", "cleo", "drew"]
    await town.night(*names)
    await town.night("eve", "finn", at="b-club")
    await town.invited()
    for letter in await town.letters():
        await site.post(f"/invited/{letter.token}", headers=PRESSED)
    client, headers = town.service.client, bearer(town.operator)
    seen: list[str] = []
    after: int | None = 0
    while after is not None:
        query: dict[str, str | int] = {"source": "a-club", "after": after, "limit": 3}
        answer = (await client.get(ADMIN, params=query, headers=headers)).json()
        seen += [row["player_id"] for row in answer["wrong_addresses"]]
        after = answer["next_after"]
    assert sorted(seen) == sorted([await town.player(who) for who in names])
    every = (await client.get(ADMIN, headers=headers)).json()["wrong_addresses"]
    assert len(every) == 6
    assert "@" not in repr(every)
    for key in ({}, bearer(await town.key("a-club"))):
        assert (await client.get(ADMIN, headers=key)).status_code in {401, 403}


async def test_the_whole_service_takes_the_button_only_from_its_own_page(town: Town) -> None:
    await town.night("ada", "bo")
    await town.invited()
    link = await link_of(town, "ada")
    client = town.service.client
    own = town.service.service.process.origin.url
    elsewhere = {"Origin": "https://mail.example", "Sec-Fetch-Site": "cross-site", **HTML}
    assert (await client.post(link, headers=elsewhere)).status_code == 403
    assert (await client.post(link, headers=HTML)).status_code == 403
    assert not await ended(town, "ada")
    here = {"Origin": own, "Sec-Fetch-Site": "same-origin", **HTML}
    assert (await client.post(link, headers=here)).status_code == 200
    assert await ended(town, "ada")
