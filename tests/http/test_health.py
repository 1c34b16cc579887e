"""Those who watch the service learn that it lives, whether it is ready, and its figures."""

import asyncio
from contextlib import suppress

import pytest
from prometheus_client import CollectorRegistry

from shared.http.health import HEALTH_ROUTES, Health
from shared.http.routes import add_routes
from tests.http.service import SOURCE_KEY, a_service, talking_to, with_key


async def there() -> None:
    """Be there."""


async def not_there() -> None:
    raise ConnectionError("password=secret host=db.internal")


async def never() -> None:
    await asyncio.Event().wait()


async def test_a_service_whose_checks_pass_is_ready() -> None:
    async with talking_to(a_service(checks={"database": there, "log": there})) as client:
        answer = await client.get("/readyz")
    assert answer.json() == {"status": "ready", "checks": {"database": "ok", "log": "ok"}}
    assert answer.headers["cache-control"] == "no-store"


async def test_a_service_without_its_database_is_alive_and_not_ready() -> None:
    async with talking_to(a_service(checks={"database": not_there, "log": there})) as client:
        answer = await client.get("/readyz")
        alive = await client.get("/healthz")
    assert (answer.status_code, answer.json()["code"]) == (503, "not_ready")
    assert answer.json()["checks"] == {"database": "failed", "log": "ok"}
    assert "secret" not in answer.text
    assert alive.status_code == 200


async def test_a_check_that_never_ends_is_given_up() -> None:
    app = a_service()
    app.router.routes.clear()
    app.state.ports.clear()
    add_routes(app, HEALTH_ROUTES, Health(CollectorRegistry(), {"log": never}, check_s_max=0.01))
    async with asyncio.timeout(5), talking_to(app) as client:
        answer = await client.get("/readyz")
    assert answer.json()["checks"] == {"log": "timed_out"}


async def test_a_check_that_hangs_is_not_run_again_beside_itself() -> None:
    begun, answer_comes = 0, asyncio.Event()

    async def hanging() -> None:
        nonlocal begun
        begun += 1
        with suppress(asyncio.CancelledError):
            await answer_comes.wait()
        # As a question to a database that answers neither it nor that it was given up.
        await answer_comes.wait()

    app = a_service()
    app.router.routes.clear()
    app.state.ports.clear()
    add_routes(app, HEALTH_ROUTES, Health(CollectorRegistry(), {"log": hanging}, check_s_max=0.01))
    async with asyncio.timeout(5), talking_to(app) as client:
        answers = [await client.get("/readyz") for _ in range(3)]
        answer_comes.set()
    assert [answer.json()["checks"] for answer in answers] == 3 * [{"log": "timed_out"}]
    assert begun == 1


async def test_requests_are_counted_by_route_and_never_by_path() -> None:
    registry = CollectorRegistry()
    async with talking_to(a_service(registry=registry)) as client:
        await client.get("/v1/players/MJ-ALICE")
        await client.get("/v1/players/MJ-BOB", headers=with_key(SOURCE_KEY))
        await client.head("/v1/players/MJ-BOB")
        await client.get("/v1/fault")
        await client.get("/secret-path")
        await client.request("BREW", "/v1/board")
        text = (await client.get("/metrics")).text
    expected = {
        ("GET", "/v1/players/{player_id}", "2xx"): 2,
        ("HEAD", "/v1/players/{player_id}", "2xx"): 1,
        ("GET", "/v1/fault", "5xx"): 1,
        ("GET", "unmatched", "4xx"): 1,
        ("other", "/v1/board", "4xx"): 1,
    }
    for (method, route, status), count in expected.items():
        labels = {"method": method, "route": route, "status": status}
        assert registry.get_sample_value("mahjic_http_requests_total", labels) == count
    seconds = {"method": "GET", "route": "/v1/players/{player_id}"}
    assert registry.get_sample_value("mahjic_http_request_seconds_count", seconds) == 2
    assert registry.get_sample_value("mahjic_http_requests_in_flight") == 0
    for sent in ("MJ-ALICE", "MJ-BOB", "secret-path", "BREW"):
        assert sent not in text


@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        ("*/*", "text/plain"),
        ("application/openmetrics-text; version=1.0.0", "application/openmetrics-text"),
    ],
)
async def test_the_figures_come_in_the_form_asked_for(accept: str, content_type: str) -> None:
    async with talking_to(a_service()) as client:
        answer = await client.get("/metrics", headers={"Accept": accept})
    assert answer.headers["content-type"].startswith(content_type)
    assert "mahjic_http_requests_in_flight 1.0" in answer.text
