"""What looks at pages sees what is wrong with them: each fault of a page made for it is told."""

from collections.abc import AsyncIterator
from urllib.parse import urlencode

import pytest
from playwright.async_api import Browser
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from tests.browser.axe import check_axe
from tests.browser.fitting import check_fits
from tests.browser.keyboard import check_order, tab_and_enter, tab_to
from tests.browser.visitors import DEVICES, PHONE, PLAIN_PHONE, Device, Visitor, visiting
from tests.http.serving import serving

POLICY = "default-src 'self'; img-src 'self' http://elsewhere.example"
STYLE = """
html { font-size: 125%; } a { color: #004; } h1 { font-size: 1.6rem; }
.go { display: inline-flex; min-height: 44px; min-width: 44px; align-items: center; }
.tiny { font-size: 60%; } .stiff { width: 400px; } .cut { overflow: hidden; white-space: nowrap; }
.region { overflow: auto; } .wide { width: 2000px; }
:focus-visible { outline: 3px solid #004; }
.unseen:focus { outline: none; } .pale { color: #bbb; }
.upside-down { display: flex; flex-direction: column-reverse; }
"""
SOUND = '<p>Some <a href="/b">text</a> to read.</p><p><a class="go" href="/b">Go on</a></p>'
FRAME = """<!doctype html><html lang="en"><head><title>A page</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/style.css"></head>
<body><main><h1>A page</h1>{body}</main>{scripts}</body></html>"""
SCRIPTS = {
    "throw": 'throw new Error("oh");',
    "error": 'console.error("oh");',
    "warning": 'console.warn("oh");',
    "missing": 'fetch("/nowhere");',
    "style": 'document.body.setAttribute("style", "color: red");',
}
PATHS = {
    "/style.css": (STYLE, "text/css"),
    "/fixed.css": ("body { font-size: 20px; }", "text/css"),
    "/icon.svg": ('<svg xmlns="http://www.w3.org/2000/svg"/>', "image/svg+xml"),
    **{f"/{name}.js": (script, "text/javascript") for name, script in SCRIPTS.items()},
}


async def answer(request: Request) -> Response:
    """Answer with what the path names, or else with the page that the query brings."""
    path = request.url.path
    if path in PATHS:
        content, kind = PATHS[path]
        return Response(content, media_type=kind)
    if path == "/nowhere":
        return HTMLResponse(FRAME.format(body="Nothing here.", scripts=""), 404)
    script = request.query_params.get("script")
    scripts = f'<script src="/{script}.js"></script>' if script else ""
    page = FRAME.format(body=request.query_params.get("body", SOUND), scripts=scripts)
    return HTMLResponse(page, headers={"Content-Security-Policy": POLICY})


@pytest.fixture(scope="module")
async def home() -> AsyncIterator[str]:
    """Return the address of pages that say what they are asked to."""
    async with serving(
        Starlette(routes=[Route("/{path:path}", answer)]), deadline_s=None
    ) as running:
        yield f"http://127.0.0.1:{running.port}"


async def open_page(visitor: Visitor, **query: str) -> None:
    """Open a page that is made up by a query, and wait until nothing more comes."""
    await visitor.go(f"/?{urlencode(query)}")
    await visitor.page.wait_for_load_state("networkidle")


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
async def test_a_sound_page_is_found_sound(browser: Browser, home: str, device: Device) -> None:
    async with visiting(browser, home, device) as visitor:
        await open_page(visitor)
        await check_axe(visitor.page)
        await check_fits(visitor)
        await tab_and_enter(visitor.page, visitor.page.get_by_role("link", name="Go on"))
        await visitor.page.wait_for_url("**/b")
        await visitor.go("/nowhere", status=404)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ({"script": "throw"}, "page error: oh"),
        ({"script": "error"}, "console: oh"),
        ({"script": "warning"}, "console: oh"),
        ({"script": "missing"}, "answered 404: .*/nowhere"),
        ({"script": "style"}, "policy: style-src-attr"),
        ({"body": "<script src='/nowhere'></script>"}, "answered 404"),
        ({"body": "<p style='color: red'>red</p>"}, "policy: style-src-attr"),
        ({"body": "<script>1</script>"}, "policy: script-src-elem"),
        ({"body": "<img alt='' src='http://elsewhere.example/a.png'>"}, "another host"),
        ({"body": "<img alt='' src='/nowhere'>"}, "answered 404"),
    ],
    ids=lambda each: each if isinstance(each, str) else "-".join(each),
)
async def test_every_fault_of_a_page_fails_a_visit(
    browser: Browser, home: str, query: dict[str, str], told: str
) -> None:
    with pytest.raises(AssertionError, match=told):
        async with visiting(browser, home, PHONE) as visitor:
            await open_page(visitor, **query)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("<p style='color: red'>red</p>", "console: .*inline style"),
        ("<img alt='' src='http://elsewhere.example/a.png'>", "another host"),
        ("<img alt='' src='/nowhere'>", "answered 404"),
    ],
)
async def test_faults_are_seen_without_javascript_as_well(
    browser: Browser, home: str, body: str, told: str
) -> None:
    with pytest.raises(AssertionError, match=told):
        async with visiting(browser, home, PLAIN_PHONE) as visitor:
            await open_page(visitor, body=body)


async def test_a_page_has_the_status_that_it_is_meant_to_have(browser: Browser, home: str) -> None:
    with pytest.raises(AssertionError, match="/nowhere is 404"):
        async with visiting(browser, home, PHONE) as visitor:
            await visitor.go("/nowhere")
    async with visiting(browser, home, PHONE) as visitor:
        with pytest.raises(AssertionError, match="/ is 200"):
            await visitor.go("/", status=404)


@pytest.mark.parametrize("device", [PHONE, PLAIN_PHONE], ids=lambda device: device.name)
@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("<img src='/icon.svg'>", "image-alt"),
        ("<p class='pale'>Hard to read.</p>", "color-contrast"),
        ("<h4>Too deep</h4>", "heading-order"),
        ("<input>", "label"),
    ],
)
async def test_what_axe_finds_fails(
    browser: Browser, home: str, device: Device, body: str, told: str
) -> None:
    async with visiting(browser, home, device) as visitor:
        await open_page(visitor, body=body)
        with pytest.raises(AssertionError, match=told):
            await check_axe(visitor.page)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("<p class='stiff'>Stiff</p>", "at 320 px, the page is 4.. px wide"),
        (f"<p>{'W' * 17}</p>", "at twice the size, at 390 px, "),
        (f"<p class='cut'>{'long ' * 30}</p>", "text to .* px in a box .*: <p class=.cut.>"),
        (f"<div class='region'><p class='wide'>{SOUND}</p></div>", "scrolls, and no key"),
        ("<a href='/b'>tiny</a>", "too small a target"),
        ("<button>A</button>", "too small a target"),
        ("<p class='tiny'>Fine print</p>", "too small a text"),
        ("<details><summary class='go'>More</summary>Words</details>", "nothing shows it: More"),
        ("<link rel='stylesheet' href='/fixed.css'>", "text grows 1 times"),
    ],
)
async def test_what_does_not_fit_fails(browser: Browser, home: str, body: str, told: str) -> None:
    async with visiting(browser, home, PLAIN_PHONE) as visitor:
        await open_page(visitor, body=body)
        with pytest.raises(AssertionError, match=told):
            await check_fits(visitor)


async def test_a_focus_that_is_not_seen_fails(browser: Browser, home: str) -> None:
    body = f"<p><a class='go unseen' href='/b'>Unseen</a></p>{SOUND}"
    async with visiting(browser, home, PHONE) as visitor:
        await open_page(visitor, body=body)
        with pytest.raises(AssertionError, match="The focus is not seen"):
            await tab_to(visitor.page, visitor.page.get_by_role("link", name="Go on"))


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (SOUND, None),
        (f"{SOUND}<p><a class='go' tabindex='1' href='/b'>First of all</a></p>", "After 0 stops"),
        (f"<p><a class='go' tabindex='-1' href='/b'>Never</a></p>{SOUND}", "After 0 stops"),
        (f"{SOUND}<p><a class='go unseen' href='/b'>Unseen</a></p>", "is not seen"),
        (f"<div class='upside-down'>{SOUND}</div>", "goes back up"),
    ],
)
async def test_an_order_of_the_focus_that_makes_no_sense_fails(
    browser: Browser, home: str, body: str, told: str | None
) -> None:
    async with visiting(browser, home, PHONE) as visitor:
        await open_page(visitor, body=body)
        if told is None:
            await check_order(visitor.page)
            return
        with pytest.raises(AssertionError, match=told):
            await check_order(visitor.page)


async def test_what_no_key_reaches_fails(browser: Browser, home: str) -> None:
    async with visiting(browser, home, PHONE) as visitor:
        await open_page(visitor, body=f"{SOUND}<p><b>Nothing to press</b></p>")
        with pytest.raises(AssertionError, match="none was"):
            await tab_to(visitor.page, visitor.page.get_by_text("Nothing to press"))
