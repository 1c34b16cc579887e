"""Files are named by their content, so that they may be kept forever."""

import gzip
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from services.site.kit.files import FOLDER, MEDIA_TYPES, SiteFiles

# The licenses of the typefaces.
BESIDE = {".txt"}
# The pieces of a style sheet: words up to a brace or a semicolon, and selectors in a list.
NOTE = re.compile(r"/\*.*?\*/", re.DOTALL)
PIECE = re.compile(r"([^{};]*)([{};])")
BETWEEN_SELECTORS = re.compile(r",\s*(?![^(]*\))")


def a_folder(place: Path, **files: str) -> Path:
    for name, text in files.items():
        (place / name.replace("_", ".")).write_text(text)
    return place


def test_a_file_that_changes_has_another_name_and_so_have_those_that_point_to_it(
    tmp_path: Path,
) -> None:
    folder = a_folder(
        tmp_path,
        a_css="x { src: url(b.svg) }",
        b_svg="<svg/>",
        c_js='import { d } from "./d.js";\nimport("./d.js");',
        d_js="export const d = 1;",
        e_css="y {}",
    )
    before = SiteFiles(folder)
    named = {name: before.address(name) for name in ("a.css", "b.svg", "c.js", "d.js", "e.css")}
    (folder / "b.svg").write_text("<svg></svg>")
    (folder / "d.js").write_text("export const d = 2;")
    after = SiteFiles(folder)
    changed = {name for name, address in named.items() if after.address(name) != address}
    assert changed == {"a.css", "b.svg", "c.js", "d.js"}


def test_what_points_to_a_file_says_its_served_name(tmp_path: Path) -> None:
    folder = a_folder(tmp_path, a_css="x { src: url(b.svg) }", b_svg="<svg/>")
    files = SiteFiles(folder)
    found = files.find(files.address("a.css").removeprefix("/static/"))
    assert found is not None
    assert found.body.decode() == f"x {{ src: url({files.address('b.svg')}) }}"


def test_files_that_point_to_each_other_are_found_at_the_start(tmp_path: Path) -> None:
    # A type that is only named in a comment points to its file, too.
    folder = a_folder(tmp_path, a_js='import "./b.js";', b_js='/** @type {import("./a.js").A} */')
    with pytest.raises(AssertionError, match=r"a\.js points to a file that points back to it"):
        SiteFiles(folder)


def test_a_pointer_to_nothing_is_found_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        SiteFiles(a_folder(tmp_path, a_css="x { src: url(b.svg) }"))


def test_every_file_of_the_folder_can_be_served() -> None:
    for path in FOLDER.iterdir():
        assert path.suffix in {*MEDIA_TYPES, *BESIDE}, path.name


async def test_a_page_and_its_styles_name_files_that_are_there_forever(
    browser: httpx.AsyncClient,
) -> None:
    page = await browser.get("/shown")
    used = set(re.findall(r'/static/[^")]+', page.text))
    (style,) = (each for each in used if each.endswith(".css"))
    used |= set(re.findall(r"/static/[^)]+", (await browser.get(style)).text))
    assert len(used) > 6
    for address in used:
        answer = await browser.get(address)
        assert answer.status_code == 200, address
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert answer.headers["content-type"] in MEDIA_TYPES.values()
        assert "ratelimit" not in answer.headers


async def test_text_is_sent_compressed_and_is_the_same(browser: httpx.AsyncClient) -> None:
    files = SiteFiles()
    address = files.address("style.css")
    whole = await browser.get(address, headers={"Accept-Encoding": "identity"})
    async with browser.stream("GET", address, headers={"Accept-Encoding": "gzip"}) as answer:
        raw = b"".join([part async for part in answer.aiter_raw()])
    assert gzip.decompress(raw) == whole.content
    assert answer.headers["vary"] == whole.headers["vary"] == "Accept-Encoding"


@pytest.mark.parametrize(
    "name", ["style.css", "..%2fapi.py", "style.000000000000.css", "x" * 101, "%00"]
)
async def test_nothing_else_is_a_file(browser: httpx.AsyncClient, name: str) -> None:
    answer = await browser.get(f"/static/{name}")
    assert answer.status_code in {404, 422}
    assert answer.headers["content-type"] == "application/problem+json"


async def test_browsers_find_what_they_look_for(browser: httpx.AsyncClient) -> None:
    icon = await browser.get("/favicon.ico", follow_redirects=True)
    assert icon.headers["content-type"] == "image/png"
    manifest = (await browser.get("/manifest.webmanifest")).json()
    assert {"192x192", "512x512"} == {each["sizes"] for each in manifest["icons"]}
    for each in manifest["icons"]:
        assert (await browser.get(each["src"])).headers["content-type"] == each["type"]
    robots = (await browser.get("/robots.txt")).text
    assert "Disallow: /v1/" in robots
    assert "Sitemap: https://mahjic.example.org/sitemap.xml" in robots


def stated(css: str) -> Iterator[tuple[str, ...]]:
    """Yield what each rule states: the queries and layers around it, a selector, a property."""
    around: list[str] = []
    for words, mark in PIECE.findall(NOTE.sub("", css)):
        name, _, value = words.strip().partition(":")
        if mark == "{":
            around.append(words.strip())
            continue
        if value and around and not around[-1].startswith("@"):
            for selector in BETWEEN_SELECTORS.split(around[-1]):
                yield (*around[:-1], selector, name)
        if mark == "}":
            around.pop()
    assert not around


def test_no_rule_of_the_style_sheet_takes_back_what_the_same_rule_states_elsewhere() -> None:
    css = (FOLDER / "style.css").read_text()
    found = list(stated("@layer a { .b, .c:is(d, e) { f: g; h: i } }"))
    assert found[-1] == ("@layer a", ".c:is(d, e)", "h")
    twice = {each: count for each, count in Counter(stated(css)).items() if count > 1}
    assert not twice, "Two parts of the site share a class; give one of them a name of its own."


def test_nothing_moves_for_those_who_asked_for_less_motion() -> None:
    moving = re.compile("transition|animation|scroll-behavior")
    found = [each for each in stated((FOLDER / "style.css").read_text()) if moving.match(each[-1])]
    assert found
    for each in found:
        assert "@media (prefers-reduced-motion: no-preference)" in each, each
