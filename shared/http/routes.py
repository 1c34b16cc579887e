"""A route as a row of a table: its address, the function that answers, and its documentation.

Handlers are at module level, and a table at the end of their module lists them. They get what they
need from outside through `handed_in`, from what the wiring gave the application.
"""

import functools
import inspect
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from fastapi import FastAPI, Request
from fastapi.routing import APIRoute
from starlette.responses import JSONResponse, Response

from shared.http.callers import RequiredCaller
from shared.http.queries import names_read, refuse_slips
from shared.http.responses import NEEDS_KEY

Handler: TypeAlias = Callable[..., Coroutine[Any, Any, Response]]

# More than there are, of all roles.
ROUTES_KEPT_MAX: Final = 1_000
# What a request is called in the signature of a handler that asks for none.
REQUEST: Final = "request_of_the_ports"


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """One address and method; a row equals itself alone.

    `responses` are those of FastAPI, and `extra` is put into the entry of the OpenAPI document as
    it is. A route with a tag is documented, under an operation id that clients name their methods
    by: it never changes. A page `ignores_unknown` query parameters: other sites add their own to
    the links that people share.
    """

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    path: str
    handler: Handler
    summary: str = ""
    tag: str = ""
    status: int = 200
    responses: Mapping[int | str, dict[str, Any]] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    operation_id: str = ""
    response_class: type[Response] = JSONResponse
    ignores_unknown: bool = False

    def __post_init__(self) -> None:
        is_named = bool(self.operation_id) == bool(self.tag)
        assert is_named, f"{self.path} needs both a tag and an operation id, or neither."


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
    for row in routes:
        for kind in _asked_for(row.handler).values():
            assert kind in handed, f"{row.handler.__name__} is handed no {kind.__name__}."
        app.router.routes.append(_made(row))


def _asked_for(handler: Handler) -> dict[str, type[Any]]:
    """Return the parameters of a handler that take a port, with the types of the ports."""
    return {
        name: mark.kind
        for name, parameter in inspect.signature(handler).parameters.items()
        for mark in getattr(parameter.annotation, "__metadata__", ())
        if isinstance(mark, _HandedIn)
    }


@functools.lru_cache(maxsize=ROUTES_KEPT_MAX)
def _made(row: Route) -> "TableRoute":
    """Return the route of a row, which is the same for every application of this process.

    FastAPI takes some milliseconds to make one, and there are hundreds.
    """
    return TableRoute(row, _finding_ports(row.handler))


def _finding_ports(handler: Handler) -> Handler:
    """Return a handler that finds its ports in the application, and takes the other parameters.

    As dependencies of FastAPI they would be resolved for each request, which takes a tenth of the
    time of a short answer.
    """
    asked_for = _asked_for(handler)
    if not asked_for:
        return handler
    signature = inspect.signature(handler)
    rest = [each for name, each in signature.parameters.items() if name not in asked_for]
    named = next((each.name for each in rest if each.annotation is Request), None)
    if named is None:
        rest.append(inspect.Parameter(REQUEST, inspect.Parameter.KEYWORD_ONLY, annotation=Request))

    @functools.wraps(handler)
    async def finding(**values: object) -> Response:
        request = values[named] if named else values.pop(REQUEST)
        assert isinstance(request, Request)
        ports = request.app.state.ports
        given = {name: ports[kind] for name, kind in asked_for.items()}
        return await handler(**values, **given)

    # FastAPI reads here what it must find in a request.
    finding.__signature__ = signature.replace(parameters=rest)  # type: ignore[attr-defined]
    return finding


class TableRoute(APIRoute):
    """A FastAPI route that refuses unknown query parameters first, unless it ignores them."""

    def __init__(self, row: Route, handler: Handler) -> None:
        self._ignores_unknown = row.ignores_unknown  # It is needed while the route is made.
        super().__init__(
            row.path,
            handler,
            methods=[row.method],
            summary=row.summary or None,
            tags=[row.tag] if row.tag else None,
            include_in_schema=bool(row.tag),
            status_code=row.status,
            response_model=None,
            responses=dict(row.responses),
            operation_id=row.operation_id or None,
            openapi_extra=dict(row.extra),
            response_class=row.response_class,
        )
        self.needs_key = any(
            isinstance(each.call, RequiredCaller) for each in self.dependant.dependencies
        )
        if self.needs_key:
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
