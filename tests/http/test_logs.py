"""The log tells what happened to every request, and nothing of whom it was about."""

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from shared.http.logs import configure_logs
from tests.http.kept_log import kept_log
from tests.http.service import SOURCE_KEY, UNKNOWN_KEY, a_service, talking_to, with_key

ADDRESS = "192.0.2.77"


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    with kept_log() as stream:
        yield stream


def lines(log: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


async def test_a_request_is_one_line_with_its_route_status_time_and_key(log: io.StringIO) -> None:
    async with talking_to(a_service(), ADDRESS) as client:
        answer = await client.get("/v1/players/MJ-7K3Q9XZM", headers=with_key(SOURCE_KEY))
    (line,) = lines(log)
    assert line.pop("duration_ms") >= 0
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "request",
        "level": "info",
        "method": "GET",
        "route": "/v1/players/{player_id}",
        "status": 200,
        "request_id": answer.headers["x-request-id"],
        "key_id": "key-1",
    }


async def test_nothing_that_was_sent_is_in_the_log(log: io.StringIO) -> None:
    async with talking_to(a_service(), ADDRESS) as client:
        await client.get("/v1/players/alice@example.com?name=Alice", headers=with_key(UNKNOWN_KEY))
        await client.get("/alice-was-here", headers={"X-Forwarded-For": "198.51.100.3"})
        await client.get("/v1/board?limit=alice", headers=with_key(SOURCE_KEY))
        await client.post(
            "/v1/notes", headers=with_key(SOURCE_KEY), json={"count": "alice@example.com"}
        )
        await client.get("/v1/fault?q=alice")
    assert len(lines(log)) == 6
    for sent in ("alice", "Alice", "example.com", "mjk_", ADDRESS, "198.51.100.3", "?"):
        assert sent not in log.getvalue()


@pytest.mark.parametrize("sane", ["0123abcd", "a-request.of:mine_1", "x" * 64])
async def test_a_sane_request_id_is_kept(sane: str) -> None:
    async with talking_to(a_service()) as client:
        answer = await client.get("/v1/board", headers={"X-Request-Id": sane})
    assert answer.headers["x-request-id"] == sane


@pytest.mark.parametrize(
    "odd", ["", "short", "x" * 65, "alice@example.com", "with space", "a\tb\tc\td", SOURCE_KEY]
)
async def test_any_other_request_id_is_replaced(odd: str) -> None:
    async with talking_to(a_service()) as client:
        answers = [await client.get("/v1/board", headers={"X-Request-Id": odd}) for _ in range(2)]
    given = {answer.headers["x-request-id"] for answer in answers}
    assert len(given) == 2
    assert odd not in given


async def test_what_libraries_log_comes_out_alike_and_without_personal_data(
    log: io.StringIO,
) -> None:
    def fail() -> None:
        raise KeyError("carol@example.com") from ValueError("dave@example.com")

    try:
        fail()
    except KeyError:
        logging.getLogger("uvicorn.error").exception("Failed for %s", "erin@example.com")
    logging.getLogger("uvicorn.access").info("192.0.2.1 - GET /v1/players/frank")
    (line,) = lines(log)
    assert line["event"] == "Failed for (removed)"
    assert (line["logger"], line["level"]) == ("uvicorn.error", "error")
    assert line["exception"].splitlines()[0] == "builtins.KeyError"
    assert "because of builtins.ValueError" in line["exception"]
    assert "example.com" not in log.getvalue()


async def test_every_exception_of_a_group_is_told(log: io.StringIO) -> None:
    group = ExceptionGroup("both", [ValueError("x"), TypeError("y")])
    structlog.get_logger().error("it_failed", exc_info=group)
    exception = lines(log)[0]["exception"]
    assert "one of them: builtins.ValueError" in exception
    assert "one of them: builtins.TypeError" in exception


async def test_an_object_that_json_does_not_know_is_told_by_its_type(log: io.StringIO) -> None:
    structlog.get_logger().info("odd", value=object(), names={"alice"})
    assert lines(log)[0]["value"] == "<object>"
    assert lines(log)[0]["names"] == "<set>"


async def test_the_quiet_routes_are_not_logged(log: io.StringIO) -> None:
    async with talking_to(a_service()) as client:
        await client.get("/healthz")
    assert log.getvalue() == ""


async def test_on_a_terminal_the_lines_are_for_people() -> None:
    stream = io.StringIO()
    configure_logs(stream=stream, is_for_people=True)
    async with talking_to(a_service()) as client:
        await client.get("/v1/fault")
    assert "request_failed" in stream.getvalue()
    assert "RuntimeError" in stream.getvalue()
    assert "example.com" not in stream.getvalue()
    assert not stream.getvalue().startswith("{")


async def test_a_log_that_cannot_be_written_fails_no_request() -> None:
    class FullDisk(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(28, "No space left on device")

    configure_logs(stream=FullDisk())
    async with talking_to(a_service()) as client:
        assert (await client.get("/v1/board")).status_code == 200
    logging.getLogger("asyncpg").error("This is lost.")
