"""A body is taken if it says that it is JSON and ends within its limits, and else refused early."""

import asyncio
import gzip
import io

import pytest
from fastapi import FastAPI, Request
from starlette.responses import Response

from shared.http.bodies import read_json_body
from shared.http.logs import configure_logs
from shared.http.problems import install_problems
from tests.http.service import BODY_BYTES_MAX, SOURCE_KEY, a_service, talking_to, with_key
from tests.http.serving import send_raw, serving

JSON = {**with_key(SOURCE_KEY), "Content-Type": "application/json"}


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "APPLICATION/JSON",
        "application/json; charset=utf-8",
        'application/json;charset="UTF-8"',
        "application/vnd.mahjic.note+json",
    ],
)
async def test_json_is_taken(content_type: str) -> None:
    async with talking_to(a_service()) as client:
        headers = {**JSON, "Content-Type": content_type}
        answer = await client.post("/v1/notes", headers=headers, content=b'{"count": 3}')
    assert (answer.status_code, answer.json()) == (201, {"count": 3, "source": "a-club"})


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": "application/json; charset=latin-1"},
        {"Content-Type": "application/jsonp"},
        {"Content-Type": ""},
        {},
        {"Content-Type": "application/json", "Content-Encoding": "gzip"},
        {"Content-Type": "application/json", "Content-Encoding": "identity, br"},
    ],
)
async def test_anything_else_is_an_unsupported_type(headers: dict[str, str]) -> None:
    async with talking_to(a_service()) as client:
        answer = await client.post(
            "/v1/notes", headers={**with_key(SOURCE_KEY), **headers}, content=gzip.compress(b"{}")
        )
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize("body", [b"", b" \r\n\t", b"{", b"null,"])
async def test_a_body_that_is_no_json_is_400(body: bytes) -> None:
    async with talking_to(a_service()) as client:
        answer = await client.post("/v1/notes", headers=JSON, content=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed_json")


async def test_json_that_breaks_a_rule_is_422_with_its_mistakes() -> None:
    async with talking_to(a_service()) as client:
        answer = await client.post("/v1/notes", headers=JSON, content=b'{"count": 2.0, "x": 1}')
    assert (answer.status_code, answer.json()["code"]) == (422, "claim_refused")
    assert [(e["pointer"], e["code"]) for e in answer.json()["errors"]] == [
        ("/count", "wrong_type"),
        ("/x", "unknown_field"),
    ]


@pytest.mark.parametrize(("length", "status"), [(BODY_BYTES_MAX, 201), (BODY_BYTES_MAX + 1, 413)])
async def test_the_limit_is_the_last_length_that_is_taken(length: int, status: int) -> None:
    body = b'{"count": 3}'.ljust(length)
    async with talking_to(a_service()) as client:
        answer = await client.post("/v1/notes", headers=JSON, content=body)
    assert answer.status_code == status


async def test_a_length_that_is_told_too_large_is_refused_before_the_body_is_sent() -> None:
    head = (
        "POST /v1/notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {SOURCE_KEY}\r\nConnection: close\r\n"
    )
    async with serving(a_service()) as server:
        answer = await send_raw(server.port, f"{head}Content-Length: 99999999\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b'"bytes_max":1000' in answer


async def test_a_body_in_chunks_is_refused_when_it_passes_the_limit_not_at_its_end() -> None:
    head = (
        "POST /v1/notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {SOURCE_KEY}\r\nTransfer-Encoding: chunked\r\n"
        "Connection: close\r\n\r\n"
    )
    chunk = b"100\r\n" + b" " * 256 + b"\r\n"
    async with serving(a_service()) as server:
        answer = await send_raw(server.port, head.encode(), *[chunk] * 4)  # And no end.
    assert answer.startswith(b"HTTP/1.1 413 ")


async def test_a_body_that_does_not_come_is_given_up() -> None:
    app = FastAPI()
    install_problems(app)

    @app.post("/")
    async def take(request: Request) -> Response:
        return Response(await read_json_body(request, bytes_max=10, body_s_max=0.05))

    head = (
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n"
    )
    async with serving(app) as server:
        answer = await send_raw(server.port, head, b"12")
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"body_too_slow" in answer


async def test_a_client_that_leaves_in_the_middle_of_its_body_is_no_fault() -> None:
    log = io.StringIO()
    configure_logs(stream=log)
    head = (
        "POST /v1/notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {SOURCE_KEY}\r\nContent-Length: 100\r\n\r\n"
    )
    async with serving(a_service()) as server:
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(head.encode() + b'{"cou')
        await writer.drain()
        writer.close()
        while not log.getvalue().count('"event":"request"'):
            await asyncio.sleep(0)  # Until the deadline of `serving`.
    (line,) = [line for line in log.getvalue().splitlines() if '"event":"request' in line]
    assert '"status":null' in line
