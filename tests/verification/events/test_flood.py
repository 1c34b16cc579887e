"""The address for events has a limit of its own, and what is sent there is told to nobody."""

import io
from collections.abc import Iterator
from ipaddress import ip_network

import pytest
from fastapi import FastAPI, Request
from prometheus_client import CollectorRegistry
from starlette.responses import Response

from services.role import build_app
from services.roles import SERVE
from shared.http.application import build_application
from shared.http.layers.addresses import ClientAddresses
from shared.http.layers.gate import RequestLimits
from shared.http.layers.paths import STRIPE_EVENTS_PATH
from shared.http.routes import Route, add_routes
from tests.http.kept_log import kept_log
from tests.http.service import authenticate, read_board, talking_to
from tests.ingest.answers import problem
from tests.service import RunningService
from tests.verification.events.sending import NEWER, OPEN, an_event, send, written
from tests.verification.stripe.account.events import SECRET

OF_THE_PUBLIC = "/v1/leaderboard"


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    with kept_log() as stream:
        yield stream


async def take(request: Request) -> Response:
    return Response(status_code=200)


def a_small_service() -> FastAPI:
    """Return an application that takes three events a minute, and two requests of the public."""
    app = build_application(
        version="1",
        authenticate=authenticate,
        addresses=ClientAddresses([ip_network("10.0.0.0/8")]),
        limits=RequestLimits(public_per_minute=2, events_per_minute=3),
        registry=CollectorRegistry(),
        checks={},
    )
    routes = [
        Route("POST", STRIPE_EVENTS_PATH, take),
        Route("GET", "/v1/board", read_board),
    ]
    add_routes(app, routes)
    return app


async def test_events_and_the_public_are_counted_apart_and_by_address() -> None:
    app = a_small_service()
    async with talking_to(app) as client:
        events = [await client.post(STRIPE_EVENTS_PATH) for _ in range(4)]
        public = [await client.get("/v1/board") for _ in range(3)]
        late = await client.post(STRIPE_EVENTS_PATH)
    assert [each.status_code for each in events] == [200, 200, 200, 429]
    assert events[0].headers["ratelimit-policy"] == '"events";q=3;w=60'
    assert events[3].json()["violated-policies"] == ["events"]
    assert events[3].headers["retry-after"] == "60"
    assert [each.status_code for each in public] == [200, 200, 429]
    assert late.status_code == 429
    async with talking_to(app, "192.0.2.2") as other:
        assert (await other.post(STRIPE_EVENTS_PATH)).status_code == 200


async def test_a_flood_of_events_uses_up_nothing_of_the_publics(opened: RunningService) -> None:
    client, body = opened.client, written(an_event("evt_flood"))
    for _ in range(20):
        refused = await send(client, body, secret="whsec_of_a_stranger")
        assert refused.status_code == 400
        assert refused.headers["ratelimit-policy"] == '"events";q=6000;w=60'
    read = [await client.get(OF_THE_PUBLIC) for _ in range(6)]
    assert [each.status_code for each in read] == [200, 200, 200, 200, 200, 429]
    # And whoever has used up theirs still keeps no event out.
    assert (await send(client, body)).status_code == 200


async def test_nothing_of_what_was_sent_gets_into_a_log(
    opened: RunningService, log: io.StringIO
) -> None:
    odd = written(an_event("evt_flibbertigibbet", "sub_slartibartfast", note="Humperdinck"))
    thin = written({"id": "evt_flibbertigibbet", "note": "Humperdinck"})
    signatures = ["t=1,v1=zyzzyva", "zyzzyva" * 100, "t=zyzzyva"]
    # A log is chosen when the application is built.
    app = build_app(opened.service.with_figures_apart(), SERVE)
    async with talking_to(app) as client:
        answers = [await send(client, each) for each in (odd, thin, odd[:-1], b"\xffHumperdinck")]
        answers += [await send(client, odd, signature=each) for each in signatures]
        answers.append(await send(client, odd, secret="whsec_humperdinck"))
        metrics = (await client.get("/metrics")).text
    assert [each.status_code for each in answers] == [200, *[400] * 7]
    told = log.getvalue() + "".join(each.text for each in answers)
    assert STRIPE_EVENTS_PATH in log.getvalue()
    secrets = (SECRET, NEWER, OPEN["stripe_key"], OPEN["identity_hash_key"])
    for word in ("gibbet", "slarti", "umperdinck", "zyzzyva", "v1=", "sub_", *secrets):
        assert word not in told
    assert "http" in metrics
    for word in ("gibbet", "slarti", *secrets):
        assert word not in metrics
    refused = problem(answers[4], 400, "signature_refused")
    assert "does not fit" in refused["detail"]
