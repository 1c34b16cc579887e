"""A site with pages of the tests, which fail in every way, behind every layer of the real one."""

import io
from collections.abc import AsyncIterator

import httpx
import pytest
from fastapi import FastAPI, Request
from starlette.responses import Response

from services.site.kit.pages import PageHead, Site
from services.site.kit.well_known import WELL_KNOWN_ROUTES
from shared.errors import ServiceUnavailable, UnknownPlayer
from shared.http.layers.gate import RequestLimits
from shared.http.logs import configure_logs
from shared.http.routes import Route
from tests.site.serving import HTML, serve_pages

PAGES_PER_MINUTE = 50
HEAD = PageHead(title="A & B", description="Two <letters>", path="/shown")


async def shown(request: Request, site: Site) -> Response:
    return site.page(request, "kit/problem.html", HEAD, told=LONG, request_id="none")


async def counted(request: Request, site: Site, number: int = 1) -> Response:
    return await shown(request, site)


async def nobody() -> Response:
    raise UnknownPlayer("No public player has this Mahjic ID.")


async def away() -> Response:
    raise ServiceUnavailable


async def fault() -> Response:
    raise RuntimeError("alice@example.com")


class LONG:
    """Something to show that is long enough to be compressed."""

    title = "Long"
    words = "<b>&" * 1000
    mistakes = ()
    way_on = None
    can_search = True
    is_ours = False
    can_come_again = False


@pytest.fixture
def app() -> FastAPI:
    configure_logs(stream=io.StringIO())
    routes = [
        Route("GET", f"/{each.__name__}", each, ignores_unknown=True)
        for each in (shown, counted, nobody, away, fault)
    ]
    routes += [Route("GET", "/v1/nobody", nobody), *WELL_KNOWN_ROUTES]
    return serve_pages(routes, limits=RequestLimits(3, pages_per_minute=PAGES_PER_MINUTE))


@pytest.fixture
async def browser(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """Return a client that says what browsers say."""
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(
        transport=transport, base_url="http://mahjic.test", headers=HTML
    ) as client:
        yield client
