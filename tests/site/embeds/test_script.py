"""The script for pages of others is small, open to all of them, and kept by browsers."""

import gzip
import re
from collections.abc import AsyncIterator
from typing import Final

import httpx
import pytest

from services.site.embeds.script import EMBED_SCRIPT
from services.site.kit.files import SiteFiles
from services.site.kit.well_known import WELL_KNOWN_ROUTES
from shared.http.layers.paths import FILES_PATH
from tests.site.serving import serve_pages

BYTES_MAX: Final = 15 * 1024
FROM_ELSEWHERE: Final = {"Origin": "https://club.example.org", "Cookie": "mahjic-login-here=x"}


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    app = serve_pages([*WELL_KNOWN_ROUTES, *EMBED_SCRIPT])
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://mahjic.test") as client:
        yield client


async def test_it_is_at_most_15_kb_however_it_is_sent(client: httpx.AsyncClient) -> None:
    answer = await client.get("/embed.js?v=1", headers={"Accept-Encoding": "identity"})
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert len(answer.content) <= BYTES_MAX


def test_with_all_that_it_may_fetch_it_is_at_most_15_kb_compressed() -> None:
    files, names, size = SiteFiles(), ["embed.js"], 0
    for name in names:
        body = files.file(name).body
        size += len(gzip.compress(body, 9))
        for found in re.findall(r'"/static/([a-z-]+)\.[0-9a-f]+\.js"', body.decode()):
            names += [] if f"{found}.js" in names else [f"{found}.js"]
    assert set(names) == {"embed.js", "embed-calculator.js", "made-up.js", "formula.js"}
    assert size <= BYTES_MAX


async def test_any_page_may_run_it_and_a_browser_keeps_it(client: httpx.AsyncClient) -> None:
    answer = await client.get("/embed.js", headers=FROM_ELSEWHERE)
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    assert answer.headers["cache-control"] == ("public, max-age=3600, stale-while-revalidate=86400")
    assert "set-cookie" not in answer.headers
    again = await client.get("/embed.js", headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


async def test_what_it_fetches_comes_from_where_it_came_from(client: httpx.AsyncClient) -> None:
    script = (await client.get("/embed.js")).text
    (found,) = re.findall(r'import\("([^"]+)"\)', script)
    assert found.startswith(FILES_PATH)
    answer = await client.get(found, headers=FROM_ELSEWHERE)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "http" not in re.sub(r"//.*", "", script)
    assert "cookie" not in re.sub(r"//.*", "", script)
