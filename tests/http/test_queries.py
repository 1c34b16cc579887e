"""A query parameter that a route does not know is refused there, by name, whatever the route is."""

import inspect
import re
from typing import Any, cast

import asyncpg
import pytest

from services.role import Role, build_app
from services.roles import INGEST, READ, SERVE
from services.wiring import table_service
from services.workers import PROJECTIONS, RATER, RELAY
from shared.errors import MISTAKES_MAX
from shared.http.health import HEALTH_ROUTES
from shared.http.routes import TableRoute
from shared.settings import Settings
from tests.http.service import a_service, talking_to

NO_POOL = cast("asyncpg.Pool", None)
METHODS = ("get", "put", "post", "delete", "patch")


@pytest.mark.parametrize("role", [SERVE, INGEST, READ, RELAY, RATER, PROJECTIONS])
async def test_every_route_of_every_process_refuses_what_it_does_not_know(role: Role) -> None:
    settings = Settings(_env_file=None, public_limit_per_minute=10_000)
    app = build_app(table_service(settings, NO_POOL), role)
    routes = _routes(app.openapi())
    if role.routes:
        routes.append(("get", "/openapi.json", []))
    assert len(routes) >= (4 if role.routes else 3)
    answered = 0
    async with talking_to(app) as client:
        for method, path, known in routes:
            address = re.sub(r"\{.*?\}", "x", path)
            answer = await client.request(method, address, params={"dry_rnu": "true"})
            if answer.status_code in {404, 405}:  # Another process behind the address answers it.
                assert role is not SERVE
                continue
            answered += 1
            problem = answer.json()
            assert (answer.status_code, problem["code"]) == (422, "invalid_parameter"), path
            (mistake,) = problem["errors"]
            assert (mistake["pointer"], mistake["code"]) == ("/query/dry_rnu", "unknown_field")
            assert [name for name in known if name not in mistake["message"]] == []
    assert answered >= 3


@pytest.mark.parametrize("role", [SERVE, INGEST, READ, RELAY, RATER, PROJECTIONS])
def test_every_route_is_a_row_of_a_table_so_none_can_miss_the_refusal(role: Role) -> None:
    app = build_app(table_service(Settings(_env_file=None), NO_POOL), role)
    rows = [*HEALTH_ROUTES, *role.routes]
    served = [
        (method, route.path, inspect.unwrap(route.endpoint))
        for route in app.router.routes
        if isinstance(route, TableRoute)
        for method in route.methods or ()
    ]
    assert len(served) == len(app.router.routes), "Some routes are not made by add_routes."
    of_tables = {(row.method, row.path, row.handler) for row in rows}
    assert {path for _, path, _ in {*served} - of_tables} == (
        {"/openapi.json"} if role.routes else set()
    )
    assert of_tables <= {*served}


def test_the_interface_says_so_at_every_route() -> None:
    document = build_app(table_service(Settings(_env_file=None), NO_POOL), SERVE).openapi()
    assert "query parameter" in document["info"]["description"]
    assert [
        (path, method)
        for path, operations in document["paths"].items()
        for method in METHODS
        if method in operations and "422" not in operations[method]["responses"]
    ] == []


async def test_one_that_comes_twice_is_refused_and_one_that_is_known_is_taken() -> None:
    async with talking_to(a_service()) as client:
        twice = (await client.get("/v1/board?limit=5&limit=6&x=1")).json()
        assert [(each["pointer"], each["code"]) for each in twice["errors"]] == [
            ("/query/limit", "parameter_repeated"),
            ("/query/x", "unknown_field"),
        ]
        assert (await client.get("/v1/board?limit=5")).json() == {"limit": 5}
        assert (await client.get("/v1/board?")).json() == {"limit": 50}
        assert (await client.get("/v1/board?limit")).status_code == 422


async def test_many_are_listed_up_to_a_bound() -> None:
    many = "&".join(f"x{number}=1" for number in range(MISTAKES_MAX + 7))
    async with talking_to(a_service()) as client:
        errors = (await client.get(f"/v1/board?{many}")).json()["errors"]
    assert len(errors) == MISTAKES_MAX + 1
    assert errors[-1]["code"] == "more_mistakes"


def _routes(document: dict[str, Any]) -> list[tuple[str, str, list[str]]]:
    """Return the method, path and query parameters of each route."""
    return [
        (method, path, [each["name"] for each in told.get("parameters", []) if _is_query(each)])
        for path, operations in document["paths"].items()
        for method, told in operations.items()
        if method in METHODS
    ]


def _is_query(parameter: dict[str, Any]) -> bool:
    return bool(parameter["in"] == "query")
