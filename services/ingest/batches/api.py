"""The route that takes many claims at once, one per line: `POST /v1/sessions/batch`."""

from typing import Annotated, Any, Final

import orjson
from fastapi import Depends, Query, Request
from starlette.responses import Response

from services.ingest.api import EXAMPLE, PATH
from services.ingest.batches.answers import AnsweredLine, LineRules
from services.ingest.batches.responding import LINES, BatchIntake, BatchResponse
from services.ingest.claim.asked import AskedDryRun, AskedIfSimilar, asked_wait_s, prefer_header
from services.ingest.claim.claims import LineClaim
from services.ingest.claim.openapi import schema_of
from shared.http.bodies import check_lines_type
from shared.http.callers import Caller, require
from shared.http.requests import request_id_of
from shared.http.responses import problem_responses
from shared.http.routes import Route, handed_in

BATCH_PATH: Final = f"{PATH}/batch"


_RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": (
            "One line for each line of the body, in the same order, each as soon as it is "
            "known. A line with status 503 is the last one: send the batch again starting "
            "with that line."
        ),
        "content": {LINES: {"schema": {"type": "string"}, "itemSchema": schema_of(AnsweredLine)}},
    },
    **problem_responses(401, 403, 415, 429, 503),
}
_BODY: Final = {
    "required": True,
    "content": {
        LINES: {
            "schema": {"type": "string"},
            "itemSchema": schema_of(LineClaim),
            "example": orjson.dumps(EXAMPLE).decode() + "\n",
        }
    },
}
_PARAMETERS: Final = [
    prefer_header(
        "`wait=10` waits for the ratings of each line, 30 s at most; `respond-async` answers it as "
        "soon as it is recorded."
    )
]

WholeNights = Annotated[
    bool,
    Query(
        description=(
            "Each line is a whole night, as if it said `whole_night`. Without this, a "
            "source may have several sessions of the same people on one date."
        )
    ),
]


async def post_batch(
    request: Request,
    caller: Annotated[Caller, Depends(require("source"))],
    intake: Annotated[BatchIntake, handed_in(BatchIntake)],
    *,
    whole_nights: WholeNights = False,
    dry_run: AskedDryRun = False,
    if_similar: AskedIfSimilar = "warn",
) -> Response:
    """Record the session on each line, in order, and answer it like a session sent on its own.

    The body may have any length. Answers come while it is still being read, so read them while you
    send. A refused line does not affect the others. Sending the batch again is safe.
    """
    assert caller.source is not None
    check_lines_type(request)
    settings = intake.sessions.settings
    rules = LineRules(
        caller.source,
        asked_wait_s(request, settings),
        settings.line_bytes_max,
        request_id_of(request.scope),
        PATH,
        are_whole_nights=whole_nights,
        if_similar=if_similar,
        is_trial=dry_run,
    )
    if dry_run:
        intake.sessions.trials.count(caller.source)
    return BatchResponse(rules, intake)


BATCH_ROUTES: Final = (
    Route(
        "POST",
        BATCH_PATH,
        post_batch,
        "Submit many sessions",
        tag="submit",
        operation_id="submit_batch",
        responses=_RESPONSES,
        extra={"requestBody": _BODY, "parameters": _PARAMETERS},
        response_class=Response,
    ),
)
