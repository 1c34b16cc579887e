"""Over a line that loses and cuts, each session is on record once and each request is answered."""

import json
import random
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from mahjic_client.driving import run_async
from mahjic_client.errors import BadRequest, NotAllowed
from mahjic_client.trying import Answer, Patience, Send, batch, settled
from tests.conftest import Database
from tests.service import RunningService, bearer, running_service

SESSIONS = 200
SUBMITTED = """
    SELECT count(*) FROM mahjic.facts
    WHERE convert_from(body, 'UTF8')::jsonb ->> 'type' LIKE 'session-submitted%'
"""


class BadLine(httpx.AsyncBaseTransport):
    """A line to the service on which half of all requests go wrong, each in its own way."""

    def __init__(self, service: httpx.AsyncBaseTransport, seed: int) -> None:
        self.service = service
        self.random = random.Random(seed)
        self.went_wrong = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        wrong = self.random.choice(["", "", "", "lost", "503", "429", "no answer", "cut"])
        self.went_wrong += wrong != ""
        if wrong == "lost":
            raise httpx.ConnectError("The request is lost.", request=request)
        if wrong in {"503", "429"}:
            return httpx.Response(int(wrong), headers={"Retry-After": "0"})
        response = await self.service.handle_async_request(request)
        if wrong == "no answer":
            raise httpx.ReadTimeout("The answer is lost.", request=request)
        if wrong == "cut":
            content = await response.aread()
            cut = Cut(content[: self.random.randrange(len(content))])
            return httpx.Response(response.status_code, stream=cut)
        return response


class Cut(httpx.AsyncByteStream):
    """An answer that breaks off."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self.content
        raise httpx.ReadError("The connection breaks.")


@pytest.fixture
async def service(database: Database) -> AsyncIterator[RunningService]:
    async with running_service(database) as running:
        yield running


def hurried() -> Patience:
    """Return the patience of someone who tries often and never waits long."""
    return Patience(lambda: 0.0, lambda: 0.0, tries_max=60, wait_s_first=0.002, wait_s_max=0.004)


def a_bad_line(service: RunningService, seed: int) -> tuple[BadLine, httpx.AsyncClient]:
    line = BadLine(httpx.ASGITransport(service.app), seed)
    return line, httpx.AsyncClient(transport=line, base_url="http://mahjic.test")


def a_claim(number: int) -> dict[str, Any]:
    seats = [
        {"email": f"{name}@example.com", "games_played": 4, "mahjongs": mahjongs}
        for name, mahjongs in (("ada", 3), ("bo", 1))
    ]
    return {
        "session_date": "2026-01-31",
        "game_type": "social",
        "allow_duplicate": True,  # Only the key tells a repeat from another night.
        "rounds": [{"ref": str(number), "players": seats, "wall_games": 0}],
    }


async def recorded(service: RunningService) -> int:
    count = await service.pool.fetchval(SUBMITTED)
    assert isinstance(count, int)
    return count


async def test_each_session_is_on_record_once(service: RunningService) -> None:
    key = await service.source_key()
    line, http = a_bad_line(service, seed=1)
    ids = set()
    async with http:
        for number in range(SESSIONS):
            headers = bearer(key) | {"idempotency-key": str(number)}
            headers["content-type"] = "application/json"
            content = json.dumps(a_claim(number)).encode()
            request = Send("POST", "/v1/sessions", headers=headers, content=content)
            answer = await run_async(settled(request, hurried()), http)
            told = json.loads(answer.content)
            assert told["status"] == "rated"
            ids.add(told["session_id"])
    assert line.went_wrong > SESSIONS / 2
    assert len(ids) == SESSIONS == await recorded(service)


async def test_each_line_of_a_batch_is_on_record_once(service: RunningService) -> None:
    key = await service.source_key()
    _, http = a_bad_line(service, seed=2)
    lines = [
        json.dumps(a_claim(number) | {"idempotency_key": str(number)}).encode()
        for number in range(1000)
    ]
    headers = bearer(key) | {"content-type": "application/x-ndjson", "prefer": "respond-async"}
    request = Send("POST", "/v1/sessions/batch", headers=headers)
    async with http:
        told = await run_async(batch(request, lines, hurried()), http)
    assert [each["line"] for each in told] == list(range(1, 1001))
    assert {each["status"] for each in told} <= {200, 201, 202}
    assert len({each["session"]["session_id"] for each in told}) == 1000 == await recorded(service)


async def test_a_refusal_is_an_error_with_its_mistakes(service: RunningService) -> None:
    key = await service.source_key()
    headers = {"content-type": "application/json"}
    claim = a_claim(1) | {"game_type": "golf"}
    request = Send("POST", "/v1/sessions", headers=headers, content=json.dumps(claim).encode())
    with pytest.raises(NotAllowed):
        await run_async(settled(request, hurried()), service.client)
    request = Send("POST", "/v1/sessions", {}, headers | bearer(key), request.content)
    with pytest.raises(BadRequest) as refused:
        await run_async(settled(request, hurried()), service.client)
    assert [each.pointer for each in refused.value.mistakes] == ["/game_type"]
    assert refused.value.code == "claim_refused"


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [("7", 7), ("Sat, 31 Jan 2026 00:00:30 GMT", 30), ("Fri, 30 Jan 2026 00:00:00 GMT", 0)],
)
def test_a_wait_is_as_long_as_the_service_asks(asked: str, seconds: float) -> None:
    midnight = 1769817600.0  # 2026-01-31T00:00:00Z
    patience = Patience(clock=lambda: midnight, chance=lambda: 0.0)
    assert patience.before(0, Answer(503, {"retry-after": asked}, b"")).seconds == seconds


def test_waits_grow_up_to_the_longest_and_are_never_the_same_for_all() -> None:
    least = Patience(clock=lambda: 0.0, chance=lambda: 0.0)
    most = Patience(clock=lambda: 0.0, chance=lambda: 1.0)
    assert [least.before(tries, None).seconds for tries in (0, 1, 2, 20)] == [0.25, 0.5, 1, 30]
    assert [most.before(tries, None).seconds for tries in (0, 1, 2, 20)] == [0.5, 1, 2, 60]
