"""Pages of other sites may read every public answer of the running service, and no other."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from services.transparency.beginning import init_public_logs
from services.transparency.routes import PUBLIC_LOG_ROUTES
from shared.http.routes import TableRoute
from tests.conftest import Database
from tests.documents import DOCS
from tests.http.serving import serving
from tests.ingest.claims import a_round, a_session
from tests.service import RunningService, bearer, running_service
from tests.transparency.serving import keeping, until_all_is_signed
from tests.transparency.town import PUBLIC_URL

COOKIES: Final = "mahjic-login-here=" + "x" * 43
ORIGIN: Final = {"Origin": "https://club.example", "Cookie": COOKIES}
EXPOSED: Final = {"ETag", "RateLimit", "RateLimit-Policy", "Retry-After"}
PROOFS: Final = ("/proof", "/proofs")
TEMPLATES: Final = ("/v1/sheets/template.csv", "/v1/sheets/template.xlsx")
# What is no documented read, and shows everyone the same.
OPEN_OF_SITE: Final = {
    "/openapi.json",
    "/static/{name}",
    "/favicon.ico",
    "/manifest.webmanifest",
    "/robots.txt",
    "/.well-known/security.txt",
    "/preview.png",
    "/players/{player_id}/preview.png",
    "/leaderboard/preview.png",
    "/leaderboard/{region}/preview.png",
    "/sources/{slug}/preview.png",
    "/players/{player_id}/badge.svg",
    "/players/{player_id}/card.png",
    "/sources/{slug}/leaderboard.csv",
    "/embed.js",
}


def public_reads() -> list[str]:
    """Return the documented addresses that anyone may read."""
    paths = json.loads((DOCS / "openapi.json").read_text())["paths"]
    reads = {path: item["get"] for path, item in paths.items() if "get" in item}
    return [
        path
        for path, entry in reads.items()
        if "security" not in entry and entry["tags"] != ["health"]
    ]


@asynccontextmanager
async def a_page_elsewhere(running: RunningService) -> AsyncIterator[httpx.AsyncClient]:
    """Serve the service over HTTP, and give what a page of another site has to ask it with."""
    async with serving(running.app, deadline_s=120) as server, server.client() as client:
        client.headers.update(ORIGIN)
        yield client


async def places(running: RunningService) -> dict[str, str]:
    """Play a session, and return what stands for each name in an address."""
    key = await running.source_key()
    sent = await running.submit(a_session(a_round(ada=2, bo=1)), key)
    assert sent.status_code == 201, sent.text
    player = sent.json()["results"][0]["player_id"]
    history = await running.client.get(
        f"/v1/players/{player}/history", params={"min_seq": sent.json()["seq"]}
    )
    assert history.status_code == 200, history.text
    change = history.json()["changes"][0]["change_id"]
    named = {"player_id": player, "change_id": change, "source": "a-club", "region": "midwest"}
    return {**named, "session_id": sent.json()["session_id"]}


def check_open(answer: httpx.Response) -> None:
    told = f"{answer.request.method} {answer.request.url}: {answer.status_code}"
    assert answer.headers.get("access-control-allow-origin") == "*", told
    assert set(answer.headers["access-control-expose-headers"].split(", ")) >= EXPOSED, told
    assert "access-control-allow-credentials" not in answer.headers, told
    assert "set-cookie" not in answer.headers, told
    # One answer for all sites and all cookies, so that caches need not keep several; but an auditor
    # is shown more than others of what is proved.
    varying = {"Accept-Encoding"}
    if answer.request.url.path.endswith(PROOFS):
        varying.add("Authorization")
    assert varying.issuperset(answer.headers.get_list("vary", split_commas=True)), told


async def test_every_public_read_is_open_in_every_status(
    database: Database, tmp_path: Path
) -> None:
    folder = tmp_path / "transparency"
    init_public_logs(folder, PUBLIC_URL)
    async with keeping(database, folder) as running, a_page_elsewhere(running) as page:
        named = await places(running)
        await until_all_is_signed(running, folder)
        for path in public_reads():
            url = path.format(**named)
            query = {"q": "ada"} if path.endswith("/search") else {}
            read = await page.get(url, params=query)
            held = {"If-None-Match": read.headers.get("etag", "")}
            answers = {
                200: read,
                304: await page.get(url, params=query, headers=held),
                422: await page.get(url, params={**query, "no_such": "x"}),
                404: await page.get(f"{url}/no/such"),
            }
            heads = {
                200: await page.head(url, params=query),
                422: await page.head(url, params={**query, "no_such": "x"}),
            }
            for status, answer in [*answers.items(), *heads.items()]:
                assert answer.status_code == status, (answer.request.url, answer.text)
                check_open(answer)
        for path in ("/v1/players/MJ-0000001Y", "/v1/sources/no-such", "/v1/score/league"):
            answer = await page.get(path)
            assert answer.status_code in {404, 405}
            check_open(answer)


async def test_every_public_read_is_open_when_it_is_refused_or_fails(
    database: Database, tmp_path: Path
) -> None:
    folder = tmp_path / "transparency"
    init_public_logs(folder, PUBLIC_URL)
    limit = 2 * len(public_reads())
    async with (
        keeping(database, folder, public_limit_per_minute=limit) as running,
        a_page_elsewhere(running) as page,
    ):
        named = await places(running)
        running.pool.terminate()
        for status in (503, 429):
            for path in public_reads():
                query = {"q": "ada"} if path.endswith("/search") else {}
                answer = await page.get(path.format(**named), params=query)
                needs_nothing = status == 503 and path in {*TEMPLATES, "/v1/formula"}
                assert answer.status_code == status or needs_nothing, (path, answer.text)
                check_open(answer)
            while (await page.get("/v1/sheets/template.csv")).status_code != 429:
                pass


async def test_nothing_with_a_key_or_a_login_is_readable_across_sites(database: Database) -> None:
    is_open = {*OPEN_OF_SITE, *public_reads(), *(row.path for row in PUBLIC_LOG_ROUTES)}
    asked = 0
    async with running_service(database) as running, a_page_elsewhere(running) as page:
        named = await places(running)
        keys = [await running.source_key(), await running.operator_key()]
        keys.append(await running.auditor_key())
        for route in running.app.routes:
            assert isinstance(route, TableRoute)
            (method,) = route.methods or {"GET"}
            if method == "GET" and route.path in is_open:
                continue
            url = filled(route.path, named)
            for key in (None, *keys):
                headers = {} if key is None else bearer(key)
                for tried in {method, "HEAD"} if method == "GET" else {method}:
                    answer = await page.request(tried, url, headers=headers)
                    told = (tried, url, answer.status_code)
                    assert "access-control-allow-origin" not in answer.headers, told
                    asked += 1
    assert asked > 200


def filled(path: str, named: dict[str, Any]) -> str:
    """Return an address of a route; what has no place there is called x."""
    return re.sub(r"{(\w+)(?::\w+)?}", lambda found: str(named.get(found[1], "x")), path)


@pytest.mark.parametrize("path", sorted(OPEN_OF_SITE))
async def test_the_public_files_and_pictures_are_open(path: str, database: Database) -> None:
    settings: dict[str, Any] = {"contact": "https://club.example/write", "page_limit_per_minute": 1}
    async with running_service(database, **settings) as running, a_page_elsewhere(running) as page:
        read = await page.get(path)
        refused = [await page.get("/preview.png?no=1"), await page.get("/players/x/preview.png")]
        check_open(await page.get("/static/no-such.css"))
    # Whatever has a name in its address is tried without it, and is not found.
    assert read.status_code in ({404, 422, 200} if "{" in path else {200, 302}), read.text
    check_open(read)
    assert {answer.status_code for answer in refused} & {429} or path == "/openapi.json"
    for answer in refused:
        check_open(answer)
