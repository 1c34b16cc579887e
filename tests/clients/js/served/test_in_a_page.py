"""A page of another site reads what is public with the client, and nothing that a key is for."""

from collections.abc import AsyncIterator, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

import httpx
import pytest
from playwright.async_api import Page

from tests.browser.chromium import BrowserMissing, running_chromium
from tests.ingest.claims import a_round, a_session
from tests.javascript.skipping import not_tried
from tests.javascript.tools import ROOT
from tests.servers import running
from tests.service import bearer
from tests.whole.conftest import ServedSite, served_site

ASK: Final = """async ([url, merged]) => {
    const { Mahjic } = await import("/clients/js/index.js");
    const mahjic = new Mahjic({ url });
    const sources = [];
    for (const { slug } of (await mahjic.listSources()).sources) sources.push(slug);
    const changes = [];
    for await (const { type } of mahjic.history(merged, { limit: 1 })) changes.push(type);
    const unknown = await mahjic.getPlayer("MJ-7K3Q9XZM").catch(({ name, code }) => [name, code]);
    const mistyped = await mahjic.getPlayer("MJ-7K3Q9XZN").catch(({ name, code }) => [name, code]);
    const { player_id } = await mahjic.getPlayer(merged);
    return { sources, changes, unknown, mistyped, player_id };
}"""
ASK_WITH_KEY: Final = """async ([url, key]) => {
    const { Mahjic } = await import("/clients/js/index.js");
    const mahjic = new Mahjic({ url, key, patience: { triesMax: 1 } });
    return mahjic.listSessions().catch(({ name }) => name);
}"""


@pytest.fixture(scope="module")
def site() -> Iterator[ServedSite]:
    """Return a service of a club."""
    with served_site() as served:
        yield served


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """Return the address of another site, which has what the checkout has."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(ROOT))
    with running(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as server:
        yield f"http://127.0.0.1:{server.server_port}"


@pytest.fixture
async def page(elsewhere: str) -> AsyncIterator[Page]:
    """Return a page of another site, which has the client."""
    try:
        async with running_chromium() as browser:
            page = await browser.new_page()
            await page.goto(f"{elsewhere}/clients/js/")
            yield page
    except BrowserMissing as missing:
        not_tried(missing)


async def test_a_page_of_another_site_reads_what_is_public(site: ServedSite, page: Page) -> None:
    async with httpx.AsyncClient(base_url=site.url, timeout=60) as http:
        merged, into = await two_ids_of_one(http, site)
        history = (await http.get(f"/v1/players/{into}/history")).json()
    told: dict[str, Any] = await page.evaluate(ASK, [site.url, merged])
    assert told == {
        "sources": ["a-club"],
        "changes": [each["type"] for each in history["changes"]],
        "unknown": ["NotFound", "unknown_player"],
        "mistyped": ["BadRequest", "mistyped_player_id"],
        "player_id": into,
    }
    assert len(history["changes"]) > 1


async def test_no_page_of_another_site_may_use_a_key(site: ServedSite, page: Page) -> None:
    asked = [site.url, site.keys["source"]]
    assert await page.evaluate(ASK_WITH_KEY, asked) == "NoAnswer"


async def two_ids_of_one(http: httpx.AsyncClient, site: ServedSite) -> tuple[str, str]:
    """Return two ids, of which the first is merged into the second, as everyone sees by now."""
    operator, club = bearer(site.keys["operator"]), bearer(site.keys["source"])
    ids = []
    for email in ("ada@example.com", "ada@example.org"):
        claim = a_session(a_round({email: 2, "bo@example.com": 1}), on="2026-01-31")
        night = await http.post("/v1/sessions", json=claim, headers=club)
        ids.append(night.raise_for_status().json()["results"][0]["player_id"])
    merged, into = ids
    path = f"/v1/admin/players/{merged}/merge"
    done = await http.post(path, json={"into": into}, headers=operator)
    seq = done.raise_for_status().json()["seq"]
    for page in ("", "/history"):
        read = await http.get(f"/v1/players/{into}{page}", params={"min_seq": seq})
        read.raise_for_status()
    return merged, into
