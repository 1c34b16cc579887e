"""A table of routes: handlers are handed their ports, and read all else from the request."""

from typing import Annotated

import httpx
import pytest
from fastapi import Depends, FastAPI, Query, Request
from starlette.responses import JSONResponse, Response

from shared.http.routes import Route, add_routes, handed_in


class Greeter:
    """A port."""

    word = "Good evening"


class Counter:
    """Another one."""

    def __init__(self) -> None:
        self.count = 0


async def doubled(number: Annotated[int, Query(ge=1)] = 1) -> int:
    return 2 * number


async def greet(
    name: str,
    greeter: Annotated[Greeter, handed_in(Greeter)],
    number: Annotated[int, Depends(doubled)],
    counter: Annotated[Counter, handed_in(Counter)],
) -> Response:
    """Greet somebody."""
    counter.count += number
    return JSONResponse(f"{greeter.word}, {name}: {counter.count}")


async def echo(asked: Request, counter: Annotated[Counter, handed_in(Counter)]) -> Response:
    counter.count += 1
    return JSONResponse([asked.url.path, counter.count])


ROUTES = [Route("GET", "/greetings/{name}", greet, "Greet", tag="greetings", operation_id="greet")]


async def ask(app: FastAPI, path: str) -> httpx.Response:
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://mahjic.test") as client:
        return await client.get(path)


async def test_each_request_has_the_same_ports_and_values_of_its_own() -> None:
    app = FastAPI()
    add_routes(app, ROUTES, Greeter(), Counter())
    assert (await ask(app, "/greetings/Ada")).json() == "Good evening, Ada: 2"
    assert (await ask(app, "/greetings/Bea?number=5")).json() == "Good evening, Bea: 12"


async def test_each_application_has_ports_of_its_own() -> None:
    one, other = FastAPI(), FastAPI()
    add_routes(one, ROUTES, Greeter(), Counter())
    add_routes(other, ROUTES, Greeter(), Counter())
    await ask(one, "/greetings/Ada")
    assert (await ask(other, "/greetings/Ada")).json() == "Good evening, Ada: 2"


async def test_a_handler_reads_the_request_beside_its_ports() -> None:
    app = FastAPI()
    add_routes(app, [Route("GET", "/echo", echo)], Counter())
    assert (await ask(app, "/echo")).json() == ["/echo", 1]


def test_a_route_is_made_once_for_all_applications() -> None:
    one, other = FastAPI(), FastAPI()
    add_routes(one, ROUTES, Greeter(), Counter())
    add_routes(other, ROUTES, Greeter(), Counter())
    assert one.router.routes[-1] is other.router.routes[-1]


async def test_ports_may_have_been_handed_in_with_other_routes() -> None:
    app = FastAPI()
    add_routes(app, [], Greeter(), Counter())
    add_routes(app, ROUTES)
    assert (await ask(app, "/greetings/Ada")).status_code == 200


def test_the_document_knows_the_handler_and_says_nothing_of_ports() -> None:
    app = FastAPI()
    add_routes(app, ROUTES, Greeter(), Counter())
    entry = app.openapi()["paths"]["/greetings/{name}"]["get"]
    assert {each["name"] for each in entry["parameters"]} == {"name", "number"}
    assert (entry["summary"], entry["description"]) == ("Greet", "Greet somebody.")
    assert entry["operationId"] == "greet"


def test_a_port_that_nobody_hands_in_is_missed_before_any_request() -> None:
    with pytest.raises(AssertionError, match="greet is handed no Counter"):
        add_routes(FastAPI(), ROUTES, Greeter())


def test_two_ports_of_one_type_are_refused() -> None:
    with pytest.raises(AssertionError, match="two of Counter"):
        add_routes(FastAPI(), ROUTES, Greeter(), Counter(), Counter())


def test_a_documented_route_has_an_operation_id_and_no_other_route_has_one() -> None:
    with pytest.raises(AssertionError, match="/echo needs both a tag and an operation id"):
        Route("GET", "/echo", echo, tag="greetings")
    with pytest.raises(AssertionError, match="/echo needs both a tag and an operation id"):
        Route("GET", "/echo", echo, operation_id="echo")
