"""A route as a row of a table: its address, the function that answers, and its documentation.

Handlers are at module level, and a table at the end of their module lists them. They get what they
need from outside through `handed_in`, from what the wiring gave the application.
"""

import functools
import inspect
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from fastapi import FastAPI, Request
from fastapi.routing import APIRoute
from starlette.responses import JSONResponse, Response

from shared.http.callers import RequiredCaller
from shared.http.queries import names_read, refuse_slips
from shared.http.responses import NEEDS_KEY

Handler: TypeAlias = Callable[..., Coroutine[Any, Any, Response]]


@dataclass(frozen=True, slots=True)
class Route:
    """One address and method.

    `responses` are those of FastAPI, and `extra` is put into the entry of the OpenAPI document as
    it is. A route without a tag is not documented. A page `ignores_unknown` query parameters: other
    sites add their own to the links that people share.
    """

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    path: str
    handler: Handler
    summary: str = ""
    tag: str = ""
    status: int = 200
    responses: Mapping[int | str, dict[str, Any]] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    operation_id: str | None = None
    response_class: type[Response] = JSONResponse
    ignores_unknown: bool = False


@dataclass(frozen=True, slots=True)
class _HandedIn:
    """Marks the parameter of a handler that takes something of a type from the wiring."""

    kind: type[Any]


def handed_in(kind: type[Any]) -> object:
    """Return what marks such a parameter: `Annotated[Intake, handed_in(Intake)]`."""
    return _HandedIn(kind)


def add_routes(app: FastAPI, routes: Iterable[Route], *ports: object) -> None:
    """Add routes to an application, and give each handler the ports that it asks for.

    A port is found by its type, so there is one of each. The routes stand in the application
    itself: a router of their own would be searched twice for every request.
    """
    handed = app.state.ports = {**getattr(app.state, "ports", {})}
    for port in ports:
        assert handed.get(type(port), port) is port, f"There are two of {type(port).__name__}."
        handed[type(port)] = port
    app.router.routes.extend(
        TableRoute(replace(each, handler=_bound(each.handler, handed))) for each in routes
    )


def _bound(handler: Handler, ports: Mapping[type[Any], object]) -> Handler:
    """Return a handler that already has its ports, and takes the other parameters.

    They are the same for every request. As dependencies of FastAPI they would be resolved each
    time, which takes a tenth of the time of a short answer.
    """
    signature = inspect.signature(handler)
    given: dict[str, object] = {}
    for name, parameter in signature.parameters.items():
        for mark in getattr(parameter.annotation, "__metadata__", ()):
            if isinstance(mark, _HandedIn):
                assert mark.kind in ports, f"{handler.__name__} is handed no {mark.kind.__name__}."
                given[name] = ports[mark.kind]
    if not given:
        return handler

    @functools.wraps(handler)
    async def bound(**values: object) -> Response:
        return await handler(**values, **given)

    rest = [each for name, each in signature.parameters.items() if name not in given]
    # FastAPI reads here what it must find in a request.
    bound.__signature__ = signature.replace(parameters=rest)  # type: ignore[attr-defined]
    return bound


class TableRoute(APIRoute):
    """A FastAPI route that refuses unknown query parameters first, unless it ignores them."""

    def __init__(self, row: Route) -> None:
        self._ignores_unknown = row.ignores_unknown  # It is needed while the route is made.
        super().__init__(
            row.path,
            row.handler,
            methods=[row.method],
            summary=row.summary or None,
            tags=[row.tag] if row.tag else None,
            include_in_schema=bool(row.tag),
            status_code=row.status,
            response_model=None,
            responses=dict(row.responses),
            operation_id=row.operation_id,
            openapi_extra=dict(row.extra),
            response_class=row.response_class,
        )
        if any(isinstance(each.call, RequiredCaller) for each in self.dependant.dependencies):
            self.openapi_extra = {**row.extra, "security": NEEDS_KEY}

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the function that answers a request to this route."""
        answer, known = super().get_route_handler(), names_read(self)
        if self._ignores_unknown:
            return answer

        async def answer_what_is_known(request: Request) -> Response:
            refuse_slips(request, known)
            return await answer(request)

        return answer_what_is_known
