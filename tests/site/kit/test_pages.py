"""Pages are asked for again each time, hold no one else's code, and show problems as pages."""

import gzip
import re

import httpx
import pytest
from fastapi import FastAPI

from tests.http.service import SOURCE_KEY, with_key
from tests.site.kit.conftest import PAGES_PER_MINUTE

PROBLEMS = [
    ("/nothing", 404, "We can’t find that page"),
    ("/nobody", 404, "We can’t find that player"),
    ("/counted?number=many", 422, "That address isn’t quite right"),
    ("/fault", 500, "Something went wrong on our side"),
    ("/away", 503, "Mahjic is taking a short break"),
]
ALONE = {"Accept-Encoding": "identity"}


@pytest.mark.parametrize("path", ["/shown", *(path for path, _, _ in PROBLEMS)])
async def test_a_page_runs_and_shows_its_own_files_only(
    browser: httpx.AsyncClient, path: str
) -> None:
    answer = await browser.get(path)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = dict(each.strip().split(" ", 1) for each in policy_of(answer).split(";"))
    assert policy.pop("default-src") == policy.pop("base-uri") == "'none'"
    assert policy.pop("frame-ancestors") == "'none'"
    assert set(policy.values()) == {"'self'"}
    assert answer.headers["referrer-policy"] == "same-origin"
    assert answer.headers["permissions-policy"]
    # What a browser is shown may depend on who is logged in.
    assert "access-control-allow-origin" not in answer.headers
    assert not re.findall(r"<script(?! [^>]*src=)|style=|\son\w+=|javascript:", answer.text)
    text = re.sub(r'<link rel="canonical".*', "", answer.text)
    used = re.findall(r'(?:src|href)="(?!#)([^"]*)"', text)
    assert used
    # What has no address is the page itself.
    assert all(each.startswith("/") and not each.startswith("//") for each in used if each)


def policy_of(answer: httpx.Response) -> str:
    (policy,) = answer.headers.get_list("content-security-policy")
    return str(policy)


async def test_what_a_page_shows_is_text_and_never_markup(browser: httpx.AsyncClient) -> None:
    text = (await browser.get("/shown")).text
    assert "<title>A &amp; B · Mahjic</title>" in text
    assert 'content="Two &lt;letters&gt;"' in text
    assert "<b>" not in text


async def test_a_page_names_its_one_address_whatever_host_was_asked(
    browser: httpx.AsyncClient,
) -> None:
    text = (await browser.get("/shown", headers={"Host": "evil.example"})).text
    assert '<link rel="canonical" href="https://mahjic.example.org/shown">' in text
    assert '<meta property="og:image" content="https://mahjic.example.org/preview.png">' in text
    assert "evil.example" not in text


async def test_a_page_that_did_not_change_is_not_sent_again(browser: httpx.AsyncClient) -> None:
    first = await browser.get("/shown")
    assert first.headers["cache-control"] == "no-cache"
    again = await browser.get("/shown", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    # The fields of a 304 replace those that the browser kept.
    assert policy_of(again) == policy_of(first)
    assert "access-control-allow-origin" not in again.headers
    plain = await browser.get("/shown", headers=ALONE)
    assert plain.headers["etag"] == first.headers["etag"]


@pytest.mark.parametrize(
    ("accepted", "is_compressed"),
    [
        ("gzip", True),
        ("br, GZIP;q=0.5", True),
        ("deflate,gzip;q=1.0", True),
        ("identity", False),
        ("gzip;q=0", False),
        ("gzip; q=0.0, br", False),
        ("xgzip", False),
        ("", False),
    ],
)
async def test_a_page_is_compressed_for_those_who_say_that_they_take_it(
    browser: httpx.AsyncClient, accepted: str, is_compressed: bool
) -> None:
    whole = await browser.get("/shown", headers=ALONE)
    async with browser.stream("GET", "/shown", headers={"Accept-Encoding": accepted}) as answer:
        raw = b"".join([part async for part in answer.aiter_raw()])
    assert answer.headers["vary"] == "Accept-Encoding"
    assert ("content-encoding" in answer.headers) == is_compressed
    assert (gzip.decompress(raw) if is_compressed else raw) == whole.content
    assert int(answer.headers["content-length"]) == len(raw)


@pytest.mark.parametrize("query", ["fbclid=abc", "utm_source=x&utm_source=y", "=&&", "a[]=%ff"])
async def test_what_other_sites_add_to_a_link_does_not_matter(
    browser: httpx.AsyncClient, query: str
) -> None:
    assert (await browser.get(f"/shown?{query}")).status_code == 200


@pytest.mark.parametrize(("path", "status", "title"), PROBLEMS)
async def test_a_problem_is_a_page_that_says_what_to_do(
    browser: httpx.AsyncClient, path: str, status: int, title: str
) -> None:
    answer = await browser.get(path)
    assert answer.status_code == status
    assert f"<h1>{title}</h1>" in answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert "alice" not in answer.text
    assert '<meta name="robots" content="noindex">' in answer.text
    assert 'href="/"' in answer.text
    is_ours = status >= 500
    assert (answer.headers["x-request-id"] in answer.text) == is_ours
    head = await browser.head(path)
    assert (head.status_code, head.content) == (status, b"")


async def test_a_mistake_in_an_address_is_told_with_its_place(browser: httpx.AsyncClient) -> None:
    text = (await browser.get("/counted?number=many")).text
    assert "<li>number: It must be a whole number; &#34;many&#34; is not.</li>" in text


@pytest.mark.parametrize(("path", "status", "_title"), PROBLEMS)
async def test_a_program_gets_the_same_as_problem_details(
    browser: httpx.AsyncClient, path: str, status: int, _title: str
) -> None:
    for accepted in ("*/*", "application/json", "application/problem+json"):
        answer = await browser.get(path, headers={"Accept": accepted})
        assert answer.headers["content-type"] == "application/problem+json"
        assert (answer.status_code, answer.json()["status"]) == (status, status)


async def test_the_interface_answers_everyone_alike(browser: httpx.AsyncClient) -> None:
    for path in ("/v1/nobody", "/v1/nothing", "/v1"):
        answer = await browser.get(path)
        assert answer.headers["content-type"] == "application/problem+json"


async def test_another_method_is_told_with_those_that_work(browser: httpx.AsyncClient) -> None:
    answer = await browser.post("/shown", headers={"Sec-Fetch-Site": "same-origin"})
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")
    assert "<h1>That doesn’t work here</h1>" in answer.text


async def test_pages_have_a_limit_of_their_own_and_their_files_none(
    browser: httpx.AsyncClient,
) -> None:
    page = await browser.get("/shown")
    (style,) = re.findall(r'<link rel="stylesheet" href="([^"]+)"', page.text)
    for _ in range(PAGES_PER_MINUTE - 1):
        assert (await browser.get("/shown")).status_code == 200
    refused = await browser.get("/shown")
    assert (refused.status_code, refused.headers["ratelimit-policy"]) == (
        429,
        f'"pages";q={PAGES_PER_MINUTE};w=60',
    )
    assert refused.headers["retry-after"].isdigit()
    assert "<h1>That was a little fast</h1>" in refused.text
    assert (await browser.get(style)).status_code == 200
    # The interface still answers, and counts for itself.
    assert (await browser.get("/v1/nobody")).headers["ratelimit-policy"] == '"public";q=3;w=60'


async def test_a_key_is_nothing_to_a_page(browser: httpx.AsyncClient) -> None:
    without = await browser.get("/shown")
    for key in (SOURCE_KEY, "mjk_wrong", "mjk_" + "x" * 43):
        answer = await browser.get("/shown", headers=with_key(key))
        assert (answer.status_code, answer.content) == (200, without.content)
        assert answer.headers["ratelimit-policy"].startswith('"pages"')


async def test_unmatched_addresses_have_one_name_in_the_figures(
    app: FastAPI, browser: httpx.AsyncClient
) -> None:
    await browser.get("/players/somebody")
    figures = (await browser.get("/metrics")).text
    assert "somebody" not in figures
