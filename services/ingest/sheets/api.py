"""The route that takes score sheets: `POST /v1/sheets`."""

from typing import Annotated, Any, Final

from fastapi import Depends, Query, Request
from starlette.responses import Response

from services.ingest.api import (
    SUBMISSION_PARAMETERS,
    SUBMISSION_RESPONSES,
    submission_response,
)
from services.ingest.claim.asked import AskedIfSimilar, asked_wait_s
from services.ingest.claim.headers import read_idempotency_key
from services.ingest.record.judging.prints import key_print
from services.ingest.sheets.answers import DryRunAnswer, SheetAnswer
from services.ingest.sheets.submitting import SheetSession, in_sheet_words, placed_warnings
from services.ingest.sheets.uploaded import (
    SHEET_BODY,
    SHEET_MISTAKES_RESPONSE,
    AllowDuplicate,
    SheetName,
    Sheets,
    read_uploaded,
)
from services.ingest.submit import Answer, Ports, submit_session
from services.ingest.trials import Trials
from shared.answers import SessionAnswer
from shared.errors import MahjicError
from shared.http.callers import Caller, require
from shared.http.conditional import private_json
from shared.http.routes import Route

PATH: Final = "/v1/sheets"


_RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    **SUBMISSION_RESPONSES,
    200: {
        "model": SessionAnswer | DryRunAnswer,
        "description": (
            "The source sent this whole session before; this is today's answer to it. For "
            "a dry run, what would be submitted."
        ),
        "headers": SUBMISSION_RESPONSES[200]["headers"],
    },
    422: SHEET_MISTAKES_RESPONSE,
}

DryRun = Annotated[
    bool, Query(description="Record nothing, and answer with the claim that would be submitted.")
]


async def post_sheet(
    request: Request,
    caller: Annotated[Caller, Depends(require("source"))],
    intake: Sheets,
    *,
    dry_run: DryRun = False,
    sheet_name: SheetName = None,
    allow_duplicate: AllowDuplicate = False,
    if_similar: AskedIfSimilar = "warn",
) -> Response:
    """Record the session in a CSV or XLSX file, and answer as for any submission.

    If there are mistakes, all of them are reported at once, each with its sheet, row and column,
    and nothing is recorded. The type of a file is read from its bytes, so
    `application/octet-stream` is fine too.
    """
    assert caller.source is not None
    key = read_idempotency_key(request.headers.getlist("idempotency-key"))
    read = await read_uploaded(
        request,
        intake,
        caller.source,
        sheet_name=sheet_name,
        allow_duplicate=allow_duplicate,
        if_similar=if_similar,
    )
    sessions = intake.sessions
    if dry_run:
        sessions.trials.count(caller.source)
        return private_json(await _tried(read, caller.source, sessions.trials))
    answer = await _submit(
        read,
        caller.source,
        None if key is None else key_print(caller.source, "POST", PATH, key),
        asked_wait_s(request, sessions.settings),
        sessions.submitting,
    )
    body: SheetAnswer = {
        **answer.body,
        "warnings": placed_warnings(answer.body["warnings"], read.sheet),
    }
    return submission_response(answer, body)


async def _submit(
    read: SheetSession, source: str, key: bytes | None, wait_s: float, ports: Ports
) -> Answer:
    try:
        return await submit_session(
            read.session, source=source, key_print=key, wait_s=wait_s, ports=ports
        )
    except MahjicError as error:
        raise in_sheet_words(error, read.sheet) from None


async def _tried(read: SheetSession, source: str, trials: Trials) -> DryRunAnswer:
    try:
        tried = await trials.run(read.session, source=source)
    except MahjicError as error:
        raise in_sheet_words(error, read.sheet) from None
    return {
        "claim": read.claim(),
        **tried,
        "warnings": placed_warnings(tried["warnings"], read.sheet),
    }


SHEET_ROUTES: Final = (
    Route(
        "POST",
        PATH,
        post_sheet,
        "Submit a score sheet",
        tag="submit",
        operation_id="submit_sheet",
        status=201,
        responses=_RESPONSES,
        extra={"requestBody": SHEET_BODY, "parameters": SUBMISSION_PARAMETERS},
    ),
)
