"""`security.txt` says whom to write to, if the operator gives a contact, and only then."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from pydantic import ValidationError

from services.role import build_app
from services.roles import SERVE
from services.wiring import table_service
from shared.settings import Settings
from tests.conftest import Database

ADDRESS = "/.well-known/security.txt"


@asynccontextmanager
async def a_site(database: Database, **settings: Any) -> AsyncIterator[httpx.AsyncClient]:
    service = table_service(Settings(**settings), database.pool)
    transport = httpx.ASGITransport(build_app(service, SERVE))
    async with httpx.AsyncClient(transport=transport, base_url="http://mahjic.test") as client:
        yield client


@pytest.mark.parametrize(
    ("contact", "told"),
    [
        ("help@mahjic.org", "mailto:help@mahjic.org"),
        ("https://mahjic.org/help", "https://mahjic.org/help"),
    ],
)
async def test_it_names_the_contact_until_a_day_within_a_year(
    database: Database, contact: str, told: str
) -> None:
    settings = {"contact": contact, "public_url": "https://example.org"}
    async with a_site(database, **settings) as client:
        answer = await client.get(ADDRESS)
        again = await client.get(ADDRESS, headers={"If-None-Match": answer.headers["etag"]})
    assert (answer.status_code, again.status_code) == (200, 304)
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    fields = dict(line.split(": ", 1) for line in answer.text.splitlines())
    assert fields["Contact"] == told
    assert fields["Canonical"] == "https://example.org" + ADDRESS
    expires = datetime.fromisoformat(fields["Expires"])
    assert timedelta(days=170) < expires - datetime.now(UTC) < timedelta(days=365)
    assert set(fields) == {"Contact", "Canonical", "Expires", "Preferred-Languages"}


async def test_without_a_contact_there_is_no_such_file(database: Database) -> None:
    async with a_site(database) as client:
        answer = await client.get(ADDRESS)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    "contact",
    [
        "",
        "help",
        "help@mahjic.org\nContact: mailto:other@example.org",
        "http://mahjic.org/help",
        "javascript:alert(1)@example.org",
        "https://mahjic.org/help?subject=x",
        "a" * 250 + "@x.org",
    ],
)
def test_what_is_neither_an_address_nor_a_link_is_refused(contact: str) -> None:
    with pytest.raises(ValidationError, match="contact"):
        Settings(contact=contact)
