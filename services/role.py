"""What a role is: what one process of Mahjic answers, and what it runs beside that."""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI

from services.wiring import Process, Service, TopicName
from shared.access.lookups import KeyLookups
from shared.http.application import SiteLayers, build_application
from shared.http.health import Check
from shared.http.layers.addresses import ClientAddresses
from shared.http.layers.gate import RequestLimits
from shared.http.routes import Route, add_routes

# Starts a part, which is given the port of the web application that it runs beside.
Part = Callable[[Service, int], Coroutine[Any, Any, Any]]


@dataclass(frozen=True, slots=True)
class Site:
    """What a role that shows pages has beside its routes, and what all pages are handed."""

    layers: SiteLayers
    ports: Sequence[object]
    more_routes: Sequence[Route]


@dataclass(frozen=True, slots=True)
class Role:
    """What one process does, under the name of its command.

    Before it serves, it does the check `first`, waiting while a log is away. Then it answers
    `routes`, which get the `ports`, is ready when all of `ready` are, and runs `parts`. If it
    has a `site`, people get their problems as pages. Requests for the interface, or for the methods
    of an address, mean those of the `whole`, all the processes behind one address. `channels` are
    those of the database that it listens to, `follows` the topics of Kafka. One that
    `can_only_read` also runs on a hot standby.

    Only here is a whole service taken apart: every line names what its part, port or check uses.
    """

    name: str
    ready: Mapping[str, Callable[[Service], Awaitable[object]]]
    parts: Mapping[str, Part]
    first: Sequence[Callable[[Service], Awaitable[None]]] = ()
    routes: Sequence[Route] = ()
    ports: Callable[[Service], Sequence[object]] = lambda _: ()
    channels: tuple[str, ...] = ()
    follows: Sequence[TopicName] = ()
    site: Callable[[Service, KeyLookups], Site] | None = None
    whole: "Role | None" = None
    can_only_read: bool = False

    @property
    def shows_pages(self) -> bool:
        """Whether people see pages here."""
        return self.site is not None


def build_app(service: Service, role: Role) -> FastAPI:
    """Return the web application of a role."""
    app = _application_of(service, role)
    if role.whole is not None:
        whole = _application_of(service.with_figures_apart(), role.whole)
        app.state.whole = whole
        app.openapi = whole.openapi  # type: ignore[method-assign]
    return app


def _application_of(service: Service, role: Role) -> FastAPI:
    """Return the web application of a role, which describes what the role answers."""
    checks = {name: partial(check, service) for name, check in role.ready.items()}
    process = service.process
    lookups = KeyLookups(
        process.pool,
        database_wait_s=process.settings.database_wait_s_max,
        is_sandbox=process.sandbox is not None,
    )
    site = None if role.site is None else role.site(service, lookups)
    layers = None if site is None else site.layers
    app = _application(process, lookups, checks, layers, is_documented=bool(role.routes))
    add_routes(app, role.routes, *role.ports(service), *(() if site is None else site.ports))
    if site is not None:
        add_routes(app, site.more_routes)
    return app


def _application(
    process: Process,
    lookups: KeyLookups,
    checks: Mapping[str, Check],
    site: SiteLayers | None,
    *,
    is_documented: bool,
) -> FastAPI:
    settings = process.settings
    return build_application(
        version=version("mahjic"),
        authenticate=lookups.authenticate,
        addresses=ClientAddresses(settings.trusted_proxies),
        limits=RequestLimits(
            settings.public_limit_per_minute,
            settings.source_limit_per_minute,
            settings.page_limit_per_minute,
        ),
        registry=process.registry,
        checks=checks,
        is_documented=is_documented,
        site=site,
    )
