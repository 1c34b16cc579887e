"""Makes the web application that the services add routes to, with every layer in its place."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from fastapi import FastAPI, Request
from prometheus_client import CollectorRegistry
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp

from shared.http.callers import Authenticate
from shared.http.health import HEALTH_ROUTES, Check, Health
from shared.http.layers.addresses import ClientAddresses
from shared.http.layers.browsers import BrowserRules
from shared.http.layers.gate import Gate, RequestLimits
from shared.http.layers.heads import AnswerHeads
from shared.http.layers.metrics import HttpMetrics, MeasureRequests
from shared.http.layers.own_site import LeadHome, RefuseCrossSite
from shared.http.layers.problem_pages import ProblemPage, ShowProblems
from shared.http.layers.request_log import LogRequests
from shared.http.layers.targets import ReadTargets
from shared.http.problems import install_problems
from shared.http.responses import document_common
from shared.http.routes import Route, add_routes
from shared.request_counts import RequestCounts

_TITLE: Final = "Mahjic"


@dataclass(frozen=True, slots=True)
class SiteLayers:
    """What the layers of pages are made of: the page for a problem, and where people find us.

    `innermost` is one more layer around the routes.
    """

    problem_page: ProblemPage
    url: Callable[[], str]
    innermost: Callable[[ASGIApp], ASGIApp] | None = None


def build_application(
    *,
    version: str,
    authenticate: Authenticate,
    addresses: ClientAddresses,
    limits: RequestLimits,
    registry: CollectorRegistry,
    checks: Mapping[str, Check],
    is_documented: bool = True,
    site: SiteLayers | None = None,
) -> FastAPI:
    """Return an application with the health routes, for the services to add theirs to.

    A request goes through the layers from the last added to the first: it is logged and measured
    whatever happens to it, and counted before any route sees it. Pages need the layers of a `site`.
    """
    app = _bare_application(version)
    if site is not None:
        if site.innermost is not None:
            app.add_middleware(site.innermost)
        app.add_middleware(RefuseCrossSite, origin=site.url)
        app.add_middleware(LeadHome, origin=site.url)
    app.add_middleware(
        Gate,
        authenticate=authenticate,
        addresses=addresses,
        limits=limits,
        counts=RequestCounts(),
    )
    install_problems(app)
    if site is not None:
        app.add_middleware(ShowProblems, page=site.problem_page)
    app.add_middleware(BrowserRules)
    app.add_middleware(AnswerHeads)
    app.add_middleware(ReadTargets)
    app.add_middleware(MeasureRequests, metrics=HttpMetrics(registry))
    app.add_middleware(LogRequests)
    document_common(app)
    add_routes(app, HEALTH_ROUTES, Health(registry, checks))
    if is_documented:
        add_routes(app, [Route("GET", "/openapi.json", _openapi)])
    return app


def _bare_application(version: str) -> FastAPI:
    return FastAPI(
        title=_TITLE,
        summary="The open, universal skill rating for American Mahjong.",
        version=version,
        openapi_url=None,  # We have our own route for it, which refuses what every route refuses.
        docs_url=None,  # It would load a script from a third party.
        redoc_url=None,
        redirect_slashes=False,  # An address has one spelling.
    )


async def _openapi(request: Request) -> Response:
    return JSONResponse(request.app.openapi())
