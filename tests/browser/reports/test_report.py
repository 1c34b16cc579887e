"""The page of a report: everybody can read it, it asks for nothing, and it prints well."""

import re
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from services.report.page.whole import page_of
from tests.browser.axe import check_axe
from tests.browser.looking import look_at_each, read
from tests.browser.visitors import DESKTOP, PHONE, visiting
from tests.http.serving import serving
from tests.log.adapters import new_memory_logs
from tests.report.made_up import bodies_of, let_rate, made_up_years
from tests.report.years import report_of

PAGE_OF_PDF = re.compile(rb"/Type\s*/Page\b")
# What is left of the width of each paper between its margins.
PAPER_PX = {"A4": 672, "Letter": 694}
HANGING_OUT = """[...document.querySelectorAll("table, svg, code")].filter((each) =>
  each.getBoundingClientRect().right > document.documentElement.clientWidth + 1).length"""


@pytest.fixture(scope="module")
async def home() -> AsyncIterator[str]:
    """Serve two reports as files: of a year that is over, and of one that has hardly begun."""
    dated = made_up_years()
    logs = new_memory_logs()
    await let_rate(logs, bodies_of(dated), len(dated))
    reports = {
        "/2024.html": page_of(await report_of(logs), "0" * 64),
        "/2025.html": page_of(await report_of(logs, 2025, so_far=True), "0" * 64),
    }

    async def show(request: Request) -> HTMLResponse:
        return HTMLResponse(reports[request.url.path])

    app = Starlette(routes=[Route(path, show) for path in reports])
    async with serving(app, deadline_s=None) as running:
        yield f"http://127.0.0.1:{running.port}"


async def test_a_report_can_be_read_by_everybody(browser: Browser, home: str) -> None:
    told = await look_at_each(browser, home, {"/2024.html": 200})
    assert "How well ratings predicted" in told["/2024.html"]
    async with visiting(browser, home, PHONE) as visitor:
        assert "A draft, not to be published." in await read(visitor, "/2025.html")
        await check_axe(visitor.page)
        await visitor.go("/2024.html")
        for name in ("What ratings expected, and what happened", "The mean rating through"):
            assert await visitor.page.get_by_role("img", name=name).is_visible()
        assert await visitor.page.get_by_role("table").count() > 10


async def test_a_report_prints_on_both_kinds_of_paper(browser: Browser, home: str) -> None:
    async with visiting(browser, home, DESKTOP) as visitor:
        await visitor.go("/2024.html")
        await visitor.page.emulate_media(media="print")
        for paper, width in PAPER_PX.items():
            printed = await visitor.page.pdf(format=paper)
            assert 5 <= len(PAGE_OF_PDF.findall(printed)) <= 9
            await visitor.page.set_viewport_size({"width": width, "height": 900})
            assert await visitor.page.evaluate(HANGING_OUT) == 0
