"""Reads answers of the service, and has the session that most of the tests over HTTP send."""

from typing import Any

import httpx

from tests.ingest.claims import a_round, a_session
from tests.service import RunningService

CLAIM = a_session(a_round({"Ada@Example.com": 3, "bo": 1}))


def problem(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """Return the problem details of an answer, which must be of a status and code."""
    assert answer.headers["Content-Type"] == "application/problem+json"
    body: dict[str, Any] = answer.json()
    assert (answer.status_code, body["status"], body["code"]) == (status, status, code)
    assert body["type"].endswith(f"#{code}")
    return body


def player(answer: httpx.Response, text: str) -> dict[str, Any]:
    """Return the results of a player, by the text that was submitted."""
    (found,) = [each for each in answer.json()["results"] if each["player"] == text]
    assert isinstance(found, dict)
    return found


async def facts(service: RunningService) -> int:
    """Return how many sessions are on the log."""
    count = await service.pool.fetchval("SELECT count(*) FROM mahjic.submissions")
    assert isinstance(count, int)
    return count


def as_at_first(answer: httpx.Response) -> dict[str, Any]:
    """Return an answer without the warning that says that it was on record already."""
    is_repeat = answer.headers.get("Idempotency-Replayed") == "true"
    return session_at_first(answer.json(), is_repeat=is_repeat)


def session_at_first(session: dict[str, Any], *, is_repeat: bool) -> dict[str, Any]:
    """Do the same for the session of an answer, which has that warning if it is a repeat."""
    kept = [each for each in session["warnings"] if each["code"] != "already_recorded"]
    is_told = len(kept) < len(session["warnings"])
    assert is_told == (is_repeat and session["counts"])
    return {**session, "warnings": kept}
