"""One click ends mail; opening a link, however often and by whom, changes nothing."""

from collections.abc import AsyncIterator

import httpx
import pytest
from fastapi import FastAPI
from pydantic import SecretStr

from services.mail.ending import MailLinks
from services.role import build_app
from services.roles import SERVE
from services.site.mailing.no_more import MAILING_PAGES, MailEnding
from services.wiring import table_service
from shared.mail.address_hash import AddressHashes
from shared.mail.no_more import NO_MORE_PATH, no_more_token, wants_no_more
from shared.settings import Settings
from tests.conftest import Database
from tests.mail.letters import KEY, START
from tests.site.serving import HTML, serve_pages

HASHES = AddressHashes(KEY)
CAROL = HASHES.of("carol@example.com")
PATH = NO_MORE_PATH + no_more_token(HASHES, "carol@example.com")
# What mail programs send by themselves (RFC 8058), from anywhere.
ONE_CLICK = {"List-Unsubscribe": "One-Click"}


def application(database: Database, hashes: AddressHashes | None = HASHES) -> FastAPI:
    links = MailLinks(database.pool, hashes, lambda: START)
    return serve_pages(MAILING_PAGES, MailEnding(links.check, links.end_mail))


def client_of(app: FastAPI) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://mahjic.test")


@pytest.fixture
async def client(database: Database) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(application(database)) as client:
        yield client


async def test_a_scanner_that_opens_the_link_ends_nothing(
    client: httpx.AsyncClient, database: Database
) -> None:
    for method in ("GET", "HEAD", "GET", "OPTIONS"):
        answer = await client.request(method, PATH, headers=HTML)
        assert answer.status_code < 500
        assert "set-cookie" not in answer.headers
    assert not await wants_no_more(database.pool, CAROL)
    page = (await client.get(PATH, headers=HTML)).text
    assert "No more mail, please" in page
    assert "carol" not in page
    assert 'name="robots" content="noindex"' in page


async def test_the_button_ends_mail_and_pressing_it_again_changes_nothing(
    client: httpx.AsyncClient, database: Database
) -> None:
    for _ in range(2):
        answer = await client.post(PATH, headers=HTML)
        assert answer.status_code == 200
        assert "You will get no more mail from Mahjic" in answer.text
        assert PATH not in answer.text
    assert await wants_no_more(database.pool, CAROL)
    assert await database.pool.fetchval("SELECT count(*) FROM mahjic.no_more_mail") == 1


@pytest.mark.parametrize(
    "sent",
    [
        {"data": ONE_CLICK},
        {"files": {"List-Unsubscribe": (None, "One-Click")}},
        {"content": b"\xff" * 1000},
        {"headers": {"Origin": "null", "Sec-Fetch-Site": "cross-site"}, "data": ONE_CLICK},
    ],
    ids=["form", "multipart", "anything", "from elsewhere"],
)
async def test_a_mail_program_ends_it_with_one_click(
    client: httpx.AsyncClient, database: Database, sent: dict[str, object]
) -> None:
    answer = await client.post(PATH, **sent)  # type: ignore[arg-type]
    assert answer.status_code == 200
    assert await wants_no_more(database.pool, CAROL)


@pytest.mark.parametrize("token", ["x", "A" * 64, "A" * 65, "%00", "%FF", "a%0Ab", "A" * 4000])
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_link_that_we_did_not_make_ends_nothing(
    client: httpx.AsyncClient, database: Database, method: str, token: str
) -> None:
    answer = await client.request(method, NO_MORE_PATH + token, headers=HTML)
    assert answer.status_code in {404, 422}
    assert await database.pool.fetchval("SELECT count(*) FROM mahjic.no_more_mail") == 0


async def test_without_a_key_there_are_no_links(database: Database) -> None:
    async with client_of(application(database, None)) as client:
        assert (await client.post(PATH, headers=HTML)).status_code == 404


async def test_a_database_that_only_reads_says_to_come_again(database: Database) -> None:
    async with database.pool.acquire() as connection:
        name = await connection.fetchval("SELECT current_database()")
        await connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    await database.pool.expire_connections()
    async with client_of(application(database)) as client:
        assert (await client.get(PATH, headers=HTML)).status_code == 200
        answer = await client.post(PATH, headers=HTML)
    assert answer.status_code == 503
    assert "retry-after" in answer.headers


async def test_the_whole_service_lets_it_through_and_nothing_beside_it(database: Database) -> None:
    key = KEY.hex()
    hashes = AddressHashes(key.encode())
    settings = Settings(_env_file=None, address_hash_key=SecretStr(key))
    token = no_more_token(hashes, "carol@example.com")
    service = table_service(settings, database.pool)
    elsewhere = {"Origin": "https://mail.example", "Sec-Fetch-Site": "cross-site", **HTML}
    async with client_of(build_app(service, SERVE)) as client:
        answer = await client.post(NO_MORE_PATH + token, data=ONE_CLICK, headers=elsewhere)
        assert answer.status_code == 200, answer.text
        other = await client.post("/login", data={"address": "a@example.com"}, headers=elsewhere)
        assert other.status_code == 403
    assert await wants_no_more(database.pool, hashes.of("carol@example.com"))
