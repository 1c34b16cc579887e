"""What never became a request is refused with a whole problem, which the log tells of too."""

import io
import json

import pytest
from pydantic import TypeAdapter

from shared.http.logs import configure_logs
from shared.http.problems import Problem
from tests.http.service import a_service
from tests.http.serving import impatient_server, send_raw


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        (b"no HTTP\r\n\r\n", 400, "malformed_http"),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * 200, 431, "head_too_large"),
        (b"GET / HTTP/1.1\r\n", 408, "head_too_slow"),
    ],
)
async def test_what_never_became_a_request_is_refused_with_a_whole_problem(
    sent: bytes, status: int, code: str
) -> None:
    lines = io.StringIO()
    configure_logs(stream=lines)
    async with impatient_server(a_service()) as port:
        head, _, body = (await send_raw(port, sent)).partition(b"\r\n\r\n")
    problem = TypeAdapter(Problem).validate_json(body)
    assert head.startswith(b"HTTP/1.1 %d " % status)
    # A page elsewhere has to know whether it can try again.
    assert b"\r\naccess-control-allow-origin: *\r\n" in head
    assert (problem["status"], problem["code"]) == (status, code)
    assert problem["type"].endswith(f"#{code}")
    told = [json.loads(line) for line in lines.getvalue().splitlines()]
    (refused,) = [line for line in told if line["event"] == "head_refused"]
    assert problem["instance"].endswith("/" + refused["request_id"])
