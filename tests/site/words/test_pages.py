"""What the pages of words say is true of the service that shows them, and every link leads on."""

import re
from itertools import pairwise
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

from services.projections.answering.names import PRIVATE_PLAYER
from services.site.words.interface.reading import METHODS, TAGS
from services.site.words.routes import WORDS_ROUTES
from shared.code_words import MISTAKES, SCORE_MISTAKES, SHEET_MISTAKES, WARNINGS
from shared.errors import InternalError
from tests.conftest import Database
from tests.documents import all_errors
from tests.service import RunningService, bearer, running_service
from tests.site.words.conftest import UNUSUAL
from tests.site.words.html import ReadPage

ORIGIN = "https://mahjic.example"
FIRST_VIEW_BYTES_MAX = 60 * 1024
PLAIN = ("/about", "/privacy", "/formula", "/developers", "/developers/errors")
GROUPS = tuple(f"/developers/{tag}" for tag in TAGS)
ALL = (*PLAIN, *GROUPS)


async def read(service: RunningService, path: str) -> ReadPage:
    """Return a page, which must be there."""
    answer = await service.client.get(path)
    assert answer.status_code == 200, (path, answer.text)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    return ReadPage(answer.text)


async def test_every_page_is_in_the_table_and_has_its_title_and_one_address(
    service: RunningService,
) -> None:
    listed = {row.path for row in WORDS_ROUTES} - {"/developers/{group}", "/docs/errors"}
    assert listed == set(PLAIN)
    titles = {}
    for path in ALL:
        page = await read(service, f"{path}?fbclid=from-a-friend")
        links = [named for tag, named in page.attributes if tag == "link"]
        assert [each["href"] for each in links if each["rel"] == "canonical"] == [ORIGIN + path]
        (titles[path],) = [words for level, words in page.headings if level == "h1"]
        described = [named for tag, named in page.attributes if named.get("name") == "description"]
        assert len(str(described[0]["content"])) in range(40, 250), path
    assert len(set(titles.values())) == len(ALL), titles


async def test_headings_go_down_one_level_at_a_time_and_anchors_are_there_once(
    service: RunningService,
) -> None:
    for path in ALL:
        page = await read(service, path)
        assert len(page.ids) == len(set(page.ids)), path
        levels = [int(level[1]) for level, _ in page.headings]
        assert levels[0] == 1
        assert all(after - before <= 1 for before, after in pairwise(levels)), path


async def test_what_is_wider_than_a_phone_scrolls_in_itself_by_keyboard(
    service: RunningService,
) -> None:
    for path in ALL:
        page = await read(service, path)
        blocks = [named for tag, named in page.attributes if tag == "pre"]
        regions = [named for _, named in page.attributes if named.get("class") == "scroll"]
        tables = [named for tag, named in page.attributes if tag == "table"]
        assert len(regions) == len(blocks) + len(tables), path
        for each in regions:
            assert each["tabindex"] == "0"
            assert each["role"] == "region"
            assert each["aria-label"]
        assert all("style" not in named for _, named in page.attributes), path
        assert not [tag for tag, _ in page.attributes if tag in {"style", "img"}], path
        scripts = [named for tag, named in page.attributes if tag == "script"]
        assert len(scripts) == (path == "/formula"), path
        assert all("src" in named for named in scripts), path


async def test_every_link_leads_to_something_that_is_there(service: RunningService) -> None:
    seen: dict[str, set[str]] = {}
    for path in ALL:
        page = await read(service, path)
        for link in page.links:
            if link == "mailto:secretary@mahjic.example":
                continue
            address, anchor = urldefrag(urljoin(path, link))
            assert urlsplit(address).scheme == "", f"{path} leads away, to {link}."
            if address not in seen:
                seen[address] = await anchors_at(service, address)
            assert not anchor or anchor in seen[address], f"{path} leads to {link}."
    assert len(seen) > len(ALL)


async def anchors_at(service: RunningService, address: str) -> set[str]:
    """Return the anchors of what is at an address; anything below 400 is something."""
    answer = await service.client.get(address)
    assert answer.status_code < 400, (address, answer.text)
    is_page = answer.headers.get("content-type", "").startswith("text/html")
    return set(ReadPage(answer.text).ids) if is_page else set()


async def test_the_first_view_is_small(service: RunningService) -> None:
    for path in ALL:
        page = await read(service, path)
        styles = [str(named["href"]) for _, named in page.attributes if is_style(named)]
        assert len(styles) == 1
        whole = sum([await wire_bytes(service, each) for each in (path, *styles)])
        assert whole < FIRST_VIEW_BYTES_MAX, (path, whole)


def is_style(named: dict[str, str | None]) -> bool:
    """Return whether an element with these attributes is a link to a style sheet."""
    return named.get("rel") == "stylesheet"


async def wire_bytes(service: RunningService, path: str) -> int:
    """Return the bytes of an answer as they go over the wire: its fields and its body."""
    headers = {"Accept-Encoding": "gzip"}
    async with service.client.stream("GET", path, headers=headers) as answer:
        assert answer.headers["content-encoding"] == "gzip"
        fields = sum(len(name) + len(value) + 4 for name, value in answer.headers.raw)
        return fields + sum([len(chunk) async for chunk in answer.aiter_raw()])


async def test_privacy_and_about_promise_what_the_service_is_set_to(
    service: RunningService,
) -> None:
    about, privacy = await read(service, "/about"), await read(service, "/privacy")
    for page in (about, privacy):
        assert "secretary@mahjic.example" in page.words
    assert "for 33 days" in about.words
    assert "After 10 games among Verified players" in about.words
    assert "47 days, and up to an hour more" in privacy.words
    assert "every 11 minutes" in privacy.words
    assert f"you are “{PRIVATE_PLAYER}”" in privacy.words
    formula = await read(service, "/formula")
    assert "for up to 33 days" in formula.words


async def test_developers_are_told_the_limits_of_this_service(service: RunningService) -> None:
    words = (await read(service, "/developers")).words
    for told in (
        "at least 47 days",
        "void or correct its sessions for 33 days",
        "after 7 seconds",
        "up to 23",
        "Dry runs a minute from a source 119",
        "1,234,567",
        "2,345,678",
        "Rounds in a session 100",
        "Games in a round 200",
    ):
        assert told in re.sub(r"(?<=[a-z])(?=[0-9])", " ", words), told


async def test_an_adopted_formula_shows_its_own_numbers(service: RunningService) -> None:
    before = await read(service, "/formula")
    assert "The formula in force is mahjic-elo/1." in before.words
    assert "is_scaled" not in before.words
    body = {"formula": "mahjic-elo/2-scaled", "since": "now"}
    key = await service.operator_key()
    adopted = await service.client.post("/v1/admin/formulas", json=body, headers=bearer(key))
    assert adopted.status_code == 201, adopted.text
    # Another read shows when the views have followed; the page then shows the same.
    waited = await service.client.get("/v1/formula", params={"min_seq": adopted.json()["seq"]})
    assert waited.json()["name"] == "mahjic-elo/2-scaled"
    after = await read(service, "/formula")
    assert "The formula in force is mahjic-elo/2-scaled." in after.words
    assert "is_scaledyes" in after.words
    # Alice's sum of 16.86139008, worked out by hand in tests/rating, divided by three.
    assert "Divided by 3 opponents and rounded once, to hundredths, that is +5.62." in after.words


async def test_the_whole_interface_is_told(service: RunningService) -> None:
    document = (await service.client.get("/openapi.json")).json()
    told = {tag: await read(service, f"/developers/{tag}") for tag in TAGS}
    index = await read(service, "/developers")
    for path, operations in document["paths"].items():
        for method in METHODS:
            if method in operations:
                operation = operations[method]
                (tag,) = operation["tags"]
                section = section_of(told[tag], operation["summary"])
                assert f"{method.upper()} {path}" in section
                assert f"{method.upper()} {path}" in index.words
                assert ("needs a key" in section) == ("security" in operation)
                for name in names_in(operation):
                    assert name in section, (method, path, name)
                for status in operation["responses"]:
                    assert re.search(rf"\b{status}\b", section), (method, path, status)


def section_of(page: ReadPage, summary: str) -> str:
    """Return the words of a page from a heading to the next of its level."""
    headings = [words for level, words in page.headings if level == "h2"]
    after = headings[headings.index(summary) + 1 :]
    start = page.words.index(f"{summary} ", page.words.index("What the answers hold") + 1)
    return page.words[start:].partition(f" {after[0]} ")[0] if after else page.words[start:]


def names_in(operation: dict[str, Any]) -> set[str]:
    """Return the names of all parameters and of all fields of the body, however deep."""
    names = {each["name"] for each in operation.get("parameters", ())}
    for content in operation.get("requestBody", {}).get("content", {}).values():
        if content["schema"].get("title"):
            names |= set(field_names(content["schema"]))
    return names


def field_names(schema: dict[str, Any], prefix: str = "") -> list[str]:
    """Return the fields of a schema that is written out in place, like `rounds[].wall_games`."""
    names = []
    for name, each in schema.get("properties", {}).items():
        names += [prefix + name, *field_names(each.get("items", {}), f"{prefix}{name}[].")]
    return names


async def test_every_code_that_a_client_can_meet_is_explained(service: RunningService) -> None:
    page = await read(service, "/developers/errors")
    not_over_http = ("services.cli.", "services.operating.", "services.projections.building.")
    over_http = {
        error.code
        for error in all_errors()
        if error.__module__.startswith(("services.ingest", "services.projections", "shared.http"))
        and not error.__module__.startswith(not_over_http)
        and error.status != InternalError.status
    }
    assert len(over_http) > 40
    assert over_http <= set(page.ids)
    for codes in (MISTAKES, SHEET_MISTAKES, SCORE_MISTAKES, WARNINGS):
        for code, text in codes.items():
            assert code in page.words
            assert text.replace("`", "") in page.words


async def test_the_type_of_a_problem_leads_to_its_explanation(service: RunningService) -> None:
    answer = await service.client.get("/v1/players/MJ-0000001Y")
    told = urlsplit(answer.json()["type"])
    moved = await service.client.get(told.path)
    assert moved.status_code == 308
    assert told.fragment in (await read(service, moved.headers["location"])).ids


async def test_there_is_no_page_of_a_group_that_is_not_there(service: RunningService) -> None:
    for group in ("nothing", "admin", "x" * 20, "errors.html"):
        assert (await service.client.get(f"/developers/{group}")).status_code == 404


async def test_limits_of_one_are_told_in_the_singular(database: Database) -> None:
    ones = {"change_days_max": 1, "erased_clean_s": 60.0, "wait_s_default": 1.0}
    async with running_service(database, **{**UNUSUAL, **ones}) as service:
        told = " ".join([(await read(service, path)).words for path in PLAIN])
    for words in ("for 1 day.", "up to 1 day,", "every 1 minute.", "after 1 second."):
        assert words in told
    assert not re.search(r"\b1 (days|minutes|seconds)\b", told)
