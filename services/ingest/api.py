"""The routes that take claims: `POST /v1/sessions`."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Final

from fastapi import Depends, Request
from starlette.responses import Response

from services.ingest.claim.asked import (
    ASKED_PARAMETERS,
    KEY_HEADER,
    NOTHING_ASKED,
    RETRY_AFTER_S,
    asked_wait_s,
    prefer_header,
)
from services.ingest.claim.claims import SessionClaim
from services.ingest.claim.headers import read_idempotency_key
from services.ingest.claim.openapi import answer_headers, json_body
from services.ingest.claim.reading import read_session
from services.ingest.record.judging.prints import key_print
from services.ingest.submit import Answer, Ports, submit_session
from services.ingest.trials import Trials
from shared.answers import SessionAnswer
from shared.answers.sessions import SubmittedSession
from shared.answers.trials import TrialAnswer
from shared.http.bodies import read_json_body
from shared.http.callers import Caller, require
from shared.http.conditional import private_json
from shared.http.queries import read_query
from shared.http.responses import problem_responses
from shared.http.routes import Route, handed_in
from shared.settings import Settings

PATH: Final = "/v1/sessions"

EXAMPLE: Final = {
    "source_id": "columbus-mahjong-league",
    "session_date": "2026-01-31",
    "game_type": "league",
    "rounds": [
        {
            "players": [
                {"email": "alice@example.com", "games_played": 4, "mahjongs": 2, "points": 125},
                {"email": "bea@example.com", "games_played": 4, "mahjongs": 1, "points": -125},
            ],
            "wall_games": 1,
        }
    ],
}
_ANSWER_HEADERS: Final = answer_headers(
    "Where the session is.", "`true` if the session was already on record."
)
SUBMISSION_RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "model": SessionAnswer | TrialAnswer,
        "description": (
            "The source sent this whole session before; this is today's answer to it. For "
            "a dry run, what would be answered."
        ),
        "headers": _ANSWER_HEADERS,
    },
    201: {"model": SessionAnswer, "description": "Recorded and rated.", "headers": _ANSWER_HEADERS},
    202: {
        "model": SessionAnswer,
        "description": "Recorded for good, but not rated yet. Look at `Location` later.",
        "headers": _ANSWER_HEADERS,
    },
    **problem_responses(400, 401, 403, 408, 409, 413, 415, 422, 429, 503),
}
SUBMISSION_PARAMETERS: Final = [
    KEY_HEADER,
    prefer_header("`wait=10` waits for the ratings, 30 s at most; `respond-async` does not wait."),
]


@dataclass(frozen=True, slots=True)
class Intake:
    """What the routes that take sessions need. `today_latest` is the date where it is latest."""

    submitting: Ports
    trials: Trials
    settings: Settings
    today_latest: Callable[[], date]


async def post_session(
    request: Request,
    caller: Annotated[Caller, Depends(require("source"))],
    intake: Annotated[Intake, handed_in(Intake)],
) -> Response:
    """Record a session and answer with every rating before and after.

    All mistakes are reported at once. Sending the same session again is safe, with or without
    an Idempotency-Key.
    """
    assert caller.source is not None
    asked = read_query(request, NOTHING_ASKED)
    key = read_idempotency_key(request.headers.getlist("idempotency-key"))
    raw = await read_json_body(request, bytes_max=intake.settings.body_bytes_max)
    session = read_session(
        raw,
        source=caller.source,
        today_latest=intake.today_latest(),
        if_similar=asked.if_similar,
    )
    if asked.dry_run:
        intake.trials.count(caller.source)
        return private_json(await intake.trials.run(session, source=caller.source))
    answer = await submit_session(
        session,
        source=caller.source,
        key_print=None if key is None else key_print(caller.source, "POST", PATH, key),
        wait_s=asked_wait_s(request, intake.settings),
        ports=intake.submitting,
    )
    return submission_response(answer, answer.body)


def submission_response(answer: Answer, body: SubmittedSession) -> Response:
    """Return the response to a submission: `body` is in the words of JSON or of a score sheet."""
    headers = {"Location": f"{PATH}/{body['session_id']}"}
    if answer.is_replayed:
        headers["Idempotency-Replayed"] = "true"
    if not answer.is_final:
        headers["Retry-After"] = str(RETRY_AFTER_S)
    return private_json(body, status=answer.status, headers=headers)


SUBMISSION_ROUTES: Final = (
    Route(
        "POST",
        PATH,
        post_session,
        "Submit a session",
        tag="submit",
        operation_id="submit_session",
        status=201,
        responses=SUBMISSION_RESPONSES,
        extra={
            "requestBody": json_body(SessionClaim, EXAMPLE),
            "parameters": [*ASKED_PARAMETERS, *SUBMISSION_PARAMETERS],
        },
    ),
)
