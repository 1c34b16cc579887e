"""Sends batches to a service in this process, and reads the lines of the answer."""

import json
from collections.abc import AsyncIterator, Iterable
from typing import Any

import httpx

from tests.ingest.claims import a_round, a_session
from tests.service import RunningService, bearer

BATCH = "/v1/sessions/batch"
LINES = "application/x-ndjson"
Line = dict[str, Any]


def a_night(number: int, **more: Any) -> Line:
    """Return a session of its own for each number: who won how often tells them apart."""
    return a_session(a_round(ada=number // 100 + 1, bo=number % 100 + 1), **more)


def body_of(*claims: object, end: str = "\n") -> bytes:
    """Return the body with a line for each claim; text is a line as it stands."""
    texts = (each if isinstance(each, str) else json.dumps(each) for each in claims)
    return "".join(text + end for text in texts).encode()


async def send(
    service: RunningService, body: bytes | Iterable[bytes], key: str, **headers: str
) -> httpx.Response:
    """Send a batch, as a whole or in the parts that are given."""
    parts = [body] if isinstance(body, bytes) else list(body)

    async def stream() -> AsyncIterator[bytes]:
        for part in parts:
            yield part

    return await service.client.post(
        BATCH, content=stream(), headers={"Content-Type": LINES, **bearer(key), **headers}
    )


async def answers(
    service: RunningService, body: bytes | Iterable[bytes], key: str, **headers: str
) -> list[Line]:
    """Send a batch, and return the lines of its answer."""
    answer = await send(service, body, key, **headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"] == LINES
    return lines_of(answer.content)


def lines_of(content: bytes) -> list[Line]:
    """Return the lines of an answer, each of which must be whole."""
    assert content == b"" or content.endswith(b"\n")
    return [json.loads(line) for line in content.splitlines()]


def told(lines: Iterable[Line]) -> list[tuple[int, int]]:
    """Return the number and the status of each line."""
    return [(each["line"], each["status"]) for each in lines]


def codes(lines: Iterable[Line]) -> list[str]:
    """Return the code of each line's problem, or nothing where there is none."""
    return [each.get("problem", {}).get("code", "") for each in lines]
