"""Visitors of a sandbox make sources at once, and each is shown the mail of their own doing."""

import itertools
import re
import shutil
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from services.roles import SERVE
from services.sandbox.visiting import SOURCES_PER_MINUTE
from shared.http.layers.paths import is_of_site
from tests.folders import open_folder
from tests.ingest.claims import a_round, a_session
from tests.log.deadlines import until
from tests.processes import mahjic, serving
from tests.service import bearer
from tests.site.serving import name_of_site

KEY = re.compile(r"mjt_[0-9A-Za-z]{43}")
LINK = re.compile(r"http://localhost:\d+(/login/link/[^\s\"<&]+)")
REAL = "carol@gmail.com"
REFUSED = "This is a sandbox, where only made-up addresses are taken."
_networks = itertools.count(1)
BANNER = "This is a sandbox.</strong>"


@pytest.fixture(scope="module")
async def sandbox() -> AsyncIterator[tuple[str, Path]]:
    """Return where a sandbox is, and its folder; all tests of this file visit it."""
    parent = open_folder()
    folder = parent / "data"
    settings = {
        "MAHJIC_DATA": str(folder),
        "MAHJIC_SMTP_URL": "smtp://127.0.0.1:9",
        "MAHJIC_MAIL_FROM": "Mahjic <mahjic@example.com>",
        "MAHJIC_TRUSTED_PROXIES": '["127.0.0.1"]',
    }
    async with serving(settings, "--sandbox") as served:
        yield name_of_site(served.url), folder
    shutil.rmtree(parent)


def visitor(url: str) -> httpx.AsyncClient:
    """Return a browser that nobody has seen here before."""
    # Each from a network of their own, so that none uses up what another may do in a minute.
    headers = {
        "Origin": url,
        "Accept": "text/html,*/*;q=0.8",
        "X-Forwarded-For": f"198.51.100.{next(_networks)}",
    }
    return httpx.AsyncClient(base_url=url, headers=headers, trust_env=False, timeout=60)


async def make_source(browser: httpx.AsyncClient, address: str = "carol@example.com") -> str:
    """Make a source in a browser, and return its key."""
    form = {"name": "Lakeside", "type": "club", "address": address}
    answer = await browser.post("/sandbox/sources", data=form)
    assert answer.status_code == 200, answer.text
    found = KEY.search(answer.text)
    assert found is not None
    return found[0]


async def test_a_visitor_makes_a_source_without_review_and_its_key_works(
    sandbox: tuple[str, Path],
) -> None:
    url, _ = sandbox
    async with visitor(url) as browser:
        key = await make_source(browser)
        # It is shown once.
        assert key not in (await browser.get("/sandbox")).text
        sent = await browser.post(
            "/v1/sessions", json=a_session(a_round(ada=2, bo=1)), headers=bearer(key)
        )
        assert (sent.status_code, sent.json()["status"]) == (201, "rated")


async def test_mail_is_shown_to_the_browser_that_caused_it_and_logs_it_in_and_to_no_other(
    sandbox: tuple[str, Path],
) -> None:
    url, folder = sandbox
    async with visitor(url) as one, visitor(url) as other:
        await make_source(one, "dora@example.com")
        await make_source(other, "dora@example.com")
        assert (await one.post("/login", data={"email": "dora@example.com"})).status_code == 303
        page = (await one.get("/sandbox")).text
        assert "To <bdi>dora@example.com</bdi>" in page
        link = LINK.search(page)
        assert link is not None
        seen = (await other.get("/sandbox")).text
        assert "dora@example.com</bdi>" not in seen
        assert link[1] not in seen
        async with visitor(url) as third:
            assert link[1] not in (await third.get("/sandbox")).text
        opened = await one.get(link[1])
        assert opened.status_code == 200
    # It leaves neither by the mail server that the settings name, nor as a file.
    assert not (folder / "mail").exists()


async def test_mail_that_a_key_caused_is_shown_to_whoever_has_a_key_of_the_source(
    sandbox: tuple[str, Path],
) -> None:
    url, folder = sandbox
    environment = {"MAHJIC_DATA": str(folder)}
    async with visitor(url) as browser, visitor(url) as elsewhere:
        key, others = await make_source(browser), await make_source(elsewhere)
        night = a_session(a_round(erna=2, finn=1), on=str(datetime.now(UTC).date()))
        await browser.post("/v1/sessions", json=night, headers=bearer(key))
        # Those who were rated first are written to when a quarter of an hour has passed.
        await mahjic(environment, "sandbox", "clock", "+1h")

        async def has_mail() -> bool:
            return "erna@example.com" in (await browser.get("/sandbox")).text

        await until(has_mail)
        assert "erna@example.com" not in (await elsewhere.get("/sandbox")).text
        with_key = await elsewhere.post("/sandbox/mail", data={"key": key})
        assert "erna@example.com" in with_key.text
        assert "erna@example.com" not in (await elsewhere.get("/sandbox")).text
        own = await elsewhere.post("/sandbox/mail", data={"key": others})
        assert "erna@example.com" not in own.text
        for wrong in ("mjt_" + "x" * 43, "mjk_" + "x" * 43, ""):
            refused = await elsewhere.post("/sandbox/mail", data={"key": wrong})
            assert refused.status_code == 422


async def test_addresses_that_may_be_somebodys_are_refused_wherever_they_enter(
    sandbox: tuple[str, Path],
) -> None:
    url, _ = sandbox
    async with visitor(url) as browser:
        key = await make_source(browser)
        applying = {"name": "Lakeside", "type": "club", "address": REAL}
        for path, form in (
            ("/login", {"email": REAL}),
            ("/sandbox/sources", applying),
            ("/become-a-source", {"organization": "Lakeside", "address": REAL}),
        ):
            answer = await browser.post(path, data=form)
            assert (answer.status_code, REFUSED in answer.text) == (422, True), path
        for who in (REAL, f"PRIVATE:{REAL}", "carol@example.com.evil.org", "carol@test"):
            night = a_session(a_round({who: 2, "bo": 1}))
            answer = await browser.post("/v1/sessions", json=night, headers=bearer(key))
            assert answer.status_code == 422, who
            assert answer.json()["errors"][0]["code"] == "invalid_email"
        for who in ("carol@example.net", "carol@some.club.test", "bob@mahjic.org"):
            night = a_session(a_round({who: 2, "ada": 1, "bo": 1}))
            answer = await browser.post(
                "/v1/sessions?dry_run=true", json=night, headers=bearer(key)
            )
            assert answer.status_code == 200, answer.text


async def test_a_sandbox_says_what_it_is_on_every_page(sandbox: tuple[str, Path]) -> None:
    url, _ = sandbox
    pages = 0
    async with visitor(url) as browser:
        for route in SERVE.routes:
            if route.method != "GET" or not is_of_site(route.path):
                continue
            path = re.sub(r"\{[^}]+\}", "MJ-00000000", route.path)
            answer = await browser.get(path, follow_redirects=True)
            if answer.headers.get("content-type", "").startswith("text/html"):
                pages += 1
                said = BANNER if not path.startswith("/embed") else "This is from a sandbox."
                assert said in answer.text, path
                assert '<meta name="robots" content="noindex">' in answer.text, path
    assert pages > 50


async def test_nobody_makes_many_sources_a_minute(sandbox: tuple[str, Path]) -> None:
    url, _ = sandbox
    form = {"name": "Lakeside", "type": "club", "address": "carol@example.com"}
    async with visitor(url) as browser:
        codes = [
            (await browser.post("/sandbox/sources", data=form)).status_code
            for _ in range(SOURCES_PER_MINUTE + 1)
        ]
    assert codes[-1] == 429
