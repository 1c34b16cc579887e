"""A route as a row of a table: its address, the function that answers, and what its document says.

Handlers stand at module level, and a table at the end of their module lists them. What they need
from outside they get by `handed_in`, from what the wiring gave the application.
"""

from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from fastapi import Depends, FastAPI, Request
from fastapi.routing import APIRoute
from starlette.responses import JSONResponse, Response

from shared.http.callers import RequiredCaller
from shared.http.queries import names_read, refuse_slips
from shared.http.responses import NEEDS_KEY


@dataclass(frozen=True, slots=True)
class Route:
    """One address and method.

    `responses` are those of FastAPI, and `extra` is put into the entry of the OpenAPI document as
    it is. A route without a tag is not documented.
    """

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    path: str
    handler: Callable[..., Coroutine[Any, Any, Response]]
    summary: str = ""
    tag: str = ""
    status: int = 200
    responses: Mapping[int | str, dict[str, Any]] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    operation_id: str | None = None
    response_class: type[Response] = JSONResponse


def handed_in(kind: type[Any]) -> Any:  # noqa: ANN401 - As FastAPI's own Depends.
    """Return the dependency of a handler that needs something of this type from the wiring."""

    # Not a plain function: FastAPI would send each of its calls to another thread.
    async def port(request: Request) -> object:
        return request.app.state.ports[kind]

    return Depends(port)


def add_routes(app: FastAPI, routes: Iterable[Route], *ports: object) -> None:
    """Have an application answer routes, and hand each of the ports to those that ask for it.

    A port is found by its type, so there is one of each. The routes stand in the application
    itself: a router of their own would be searched twice for every request.
    """
    handed = app.state.ports = {**getattr(app.state, "ports", {})}
    for port in ports:
        assert handed.get(type(port), port) is port, f"There are two of {type(port).__name__}."
        handed[type(port)] = port
    app.router.routes.extend(TableRoute(each) for each in routes)


class TableRoute(APIRoute):
    """A route of FastAPI that refuses query parameters it does not know, before all else."""

    def __init__(self, row: Route) -> None:
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
        """Return what answers a request to this route."""
        answer, known = super().get_route_handler(), names_read(self)

        async def answer_what_is_known(request: Request) -> Response:
            refuse_slips(request, known)
            return await answer(request)

        return answer_what_is_known
