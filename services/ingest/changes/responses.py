"""The responses of the routes that change the past."""

from typing import Any, Final

from starlette.responses import Response

from services.ingest.changes.answering import ChangeAnswer
from services.ingest.claim.asked import RETRY_AFTER_S
from services.ingest.claim.openapi import answer_headers
from shared.http.conditional import private_json
from shared.http.responses import problem_responses

_HEADERS: Final = answer_headers("Where to look.", "`true` if this was already so.")


def change_responses(model: type[object], what: str) -> dict[int | str, dict[str, Any]]:
    """Return the `responses=` of a route that changes the past. `what` says what it did."""
    answers = {
        200: "This was already so; the answer is the same as the first time.",
        201: f"{what}, and all ratings are as if it had always been that way.",
        202: f"{what} for good, and the ratings will follow. Send it again to see the effect.",
    }
    return {
        **{
            status: {"model": model, "description": words, "headers": _HEADERS}
            for status, words in answers.items()
        },
        **problem_responses(400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 503),
    }


def change_response(answer: ChangeAnswer[object], location: str) -> Response:
    """Return 201 for a new change or a retry with its key, 200 for a repeat, otherwise 202."""
    headers = {"Location": location}
    if answer.is_replayed:
        headers["Idempotency-Replayed"] = "true"
    if not answer.is_final:
        headers["Retry-After"] = str(RETRY_AFTER_S)
        return private_json(answer.body, status=202, headers=headers)
    is_repeat = answer.is_replayed and not answer.by_key
    return private_json(answer.body, status=200 if is_repeat else 201, headers=headers)
