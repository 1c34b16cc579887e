"""The route that takes score sheets: `POST /v1/sheets`."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from services.ingest.api import (
    SUBMISSION_PARAMETERS,
    SUBMISSION_RESPONSES,
    submission_response,
)
from services.ingest.claim.asked import AskedIfSimilar, asked_wait_s
from services.ingest.claim.headers import read_idempotency_key
from services.ingest.claim.openapi import schema_of
from services.ingest.record.judging.prints import key_print
from services.ingest.sheets.reader import SheetReader
from services.ingest.sheets.submitting import SheetSession, check_sheet, in_sheet_words, with_places
from services.ingest.submit import Answer, Ports, submit_session
from services.ingest.trials import Trials
from shared.answers import SessionAnswer
from shared.answers.trials import TrialAnswer
from shared.errors import MahjicError
from shared.http.callers import Caller, require
from shared.http.conditional import private_json
from shared.http.problems import PROBLEM_JSON
from shared.http.responses import Problem
from shared.http.uploads import FORM, read_upload
from shared.settings import Settings

PATH: Final = "/v1/sheets"
CSV: Final = "text/csv"
XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
# What a browser calls a CSV file depends on which programs are installed beside it; what a file is,
# its bytes tell.
TYPES: Final = (
    CSV,
    XLSX,
    "application/octet-stream",
    "application/vnd.ms-excel",
    "text/plain",
    "text/tab-separated-values",
)


class SheetMistakeAnswer(BaseModel):
    """One mistake, and where in the file it is."""

    sheet: str | None = Field(description="The name of the sheet; null in a CSV file.")
    row: int | None = Field(description="Its row, from 1; null for the whole sheet or file.")
    column: str | None = Field(description="Its column, as in `B`; null for the whole row.")
    code: str = Field(description="Stable name of the kind of mistake.")
    message: str = Field(description="A sentence for people.")


class SheetProblem(Problem):
    """The problem details of a score sheet with mistakes (`invalid_sheet`)."""

    errors: list[SheetMistakeAnswer] = Field(  # type: ignore[assignment]
        description="Every mistake found, in the order of the sheet."
    )


class SheetWarning(BaseModel):
    """Something that is odd, and is submitted all the same."""

    pointer: str = Field(description="JSON pointer (RFC 6901) into the claim.")
    code: str
    message: str
    sheet: str | None
    row: int | None
    column: str | None


class DryRunAnswer(TrialAnswer):
    """What the sheet would submit, and what that would be answered."""

    claim: dict[str, Any] = Field(description="The body of `POST /v1/sessions` that it stands for.")
    warnings: list[SheetWarning]  # type: ignore[assignment]


_FILE: Final = {"type": "string", "format": "binary"}
SHEET_BODY: Final = {
    "required": True,
    "content": {
        # The others say no more of the file than these.
        **{kind: {"schema": _FILE} for kind in (CSV, XLSX)},
        FORM: {
            "schema": {
                "type": "object",
                "properties": {"file": _FILE},
                "required": ["file"],
                "additionalProperties": False,
            }
        },
    },
}
SHEET_MISTAKES_RESPONSE: Final[dict[str, Any]] = {
    "description": "Something in the file or the request breaks a rule; `errors` lists it all.",
    "content": {
        PROBLEM_JSON: {
            "schema": {"anyOf": [schema_of(SheetProblem), {"$ref": "#/components/schemas/Problem"}]}
        }
    },
}
_RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    **SUBMISSION_RESPONSES,
    200: {
        "model": SessionAnswer | DryRunAnswer,
        "description": "The source sent this whole session before; today's answer to it. Or what a "
        "dry run would submit.",
        "headers": SUBMISSION_RESPONSES[200]["headers"],
    },
    422: SHEET_MISTAKES_RESPONSE,
}

DryRun = Annotated[
    bool, Query(description="Record nothing, and answer with the claim that would be submitted.")
]
SheetName = Annotated[
    str | None,
    Query(
        alias="sheet",
        max_length=100,
        description="Which sheet of the workbook it is, when several have contents.",
    ),
]
AllowDuplicate = Annotated[
    bool, Query(description="Record the session although it holds a round on record.")
]


def sheet_routes(
    ports: Ports,
    trials: Trials,
    reader: SheetReader,
    settings: Settings,
    today_latest: Callable[[], date],
) -> APIRouter:
    """Return the route that submits score sheets."""
    router = APIRouter(tags=["submit"])

    @router.post(
        PATH,
        summary="Submit a score sheet",
        status_code=201,
        response_model=None,
        responses=_RESPONSES,
        openapi_extra={"requestBody": SHEET_BODY, "parameters": SUBMISSION_PARAMETERS},
    )
    async def post_sheet(
        request: Request,
        caller: Annotated[Caller, Depends(require("source"))],
        *,
        dry_run: DryRun = False,
        sheet_name: SheetName = None,
        allow_duplicate: AllowDuplicate = False,
        if_similar: AskedIfSimilar = "warn",
    ) -> Response:
        """Record the session of a CSV or XLSX file, and answer as to a submission.

        All mistakes are reported at once, each with its sheet, row and column; then nothing is
        recorded. What a file is, its bytes tell: `application/octet-stream` is taken as well.
        """
        assert caller.source is not None
        key = read_idempotency_key(request.headers.getlist("idempotency-key"))
        async with reader.taking(caller.source):
            file = await read_upload(request, types=TYPES, bytes_max=settings.sheet_bytes_max)
            sheet = await reader.read(file, source=caller.source, sheet_name=sheet_name)
        read = check_sheet(
            sheet,
            allow_duplicate=allow_duplicate,
            if_similar=if_similar,
            source=caller.source,
            today_latest=today_latest(),
        )
        if dry_run:
            trials.count(caller.source)
            return private_json(await _tried(read, caller.source, trials))
        key_of_sheet = None if key is None else key_print(caller.source, "POST", PATH, key)
        wait_s = asked_wait_s(request, settings)
        return submission_response(await _submit(read, caller.source, key_of_sheet, wait_s, ports))

    return router


async def _submit(
    read: SheetSession, source: str, key: bytes | None, wait_s: float, ports: Ports
) -> Answer:
    try:
        answer = await submit_session(
            read.session, source=source, key_print=key, wait_s=wait_s, ports=ports
        )
    except MahjicError as error:
        raise in_sheet_words(error, read.sheet) from None
    warnings = with_places(answer.body["warnings"], read.sheet)
    return replace(answer, body={**answer.body, "warnings": warnings})


async def _tried(read: SheetSession, source: str, trials: Trials) -> dict[str, Any]:
    try:
        tried = await trials.run(read.session, source=source)
    except MahjicError as error:
        raise in_sheet_words(error, read.sheet) from None
    return {
        "claim": read.claim,
        **tried,
        "warnings": with_places(tried["warnings"], read.sheet),
    }
