"""The route that corrects a session by a score sheet."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from services.ingest.api import PATH
from services.ingest.changes.answering import ChangePorts
from services.ingest.changes.changeable import source_of
from services.ingest.changes.correction_trial import CorrectionTrialAnswer, try_correction
from services.ingest.changes.corrections import Correction, correct_session
from services.ingest.changes.corrections_api import PARAMETERS, Changer, DryRun, change_key_print
from services.ingest.changes.responses import change_response, change_responses
from services.ingest.claim.asked import AskedIfSimilar, asked_wait_s
from services.ingest.record.judging.judge import Submission
from services.ingest.sheets.api import (
    SHEET_BODY,
    SHEET_MISTAKES_RESPONSE,
    TYPES,
    AllowDuplicate,
    SheetName,
)
from services.ingest.sheets.reader import SheetReader
from services.ingest.sheets.submitting import SheetSession, check_sheet, in_sheet_words, with_places
from shared.answers.effects import CorrectionAnswer
from shared.db.away import DATABASE_AWAY
from shared.errors import MahjicError
from shared.events.facts import Reason
from shared.http.conditional import private_json
from shared.http.problems import ServiceUnavailable
from shared.http.session_ids import SessionIdPath
from shared.http.uploads import read_upload
from shared.settings import Settings

SHEET_PATH: Final = f"{PATH}/{{session_id}}/corrections/sheet"
Why = Annotated[Reason, Query(description="Why the session is corrected.")]
_CORRECTED: Final = change_responses(
    CorrectionAnswer, "The session of the sheet stands in its place"
)
_RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    **_CORRECTED,
    200: {
        **_CORRECTED[200],
        "model": CorrectionAnswer | CorrectionTrialAnswer,
        "description": "This was so already; the answer is that of the first time. Or what a dry "
        "run would change.",
    },
    422: SHEET_MISTAKES_RESPONSE,
}


def sheet_correction_routes(
    ports: ChangePorts, reader: SheetReader, settings: Settings, today_latest: Callable[[], date]
) -> APIRouter:
    """Return the route that corrects a session by a score sheet."""
    router = APIRouter(tags=["submit"])

    @router.post(
        SHEET_PATH,
        summary="Correct a session by a score sheet",
        status_code=201,
        response_model=None,
        responses=_RESPONSES,
        openapi_extra={"requestBody": SHEET_BODY, "parameters": PARAMETERS},
    )
    async def post_sheet_correction(
        request: Request,
        session_id: SessionIdPath,
        caller: Changer,
        *,
        dry_run: DryRun = False,
        reason: Why = "wrong_result",
        sheet_name: SheetName = None,
        allow_duplicate: AllowDuplicate = False,
        if_similar: AskedIfSimilar = "warn",
    ) -> Response:
        """Put the session of a CSV or XLSX file in the place of an older one.

        It is a correction like any other: the file holds the whole night, as it should have been.
        """
        path = f"{PATH}/{session_id}/corrections/sheet"
        key = change_key_print(request, caller, path)
        try:
            source = await source_of(ports.pool, session_id, by=caller.source)
        except DATABASE_AWAY as error:
            raise ServiceUnavailable from error
        async with reader.taking(source):
            file = await read_upload(request, types=TYPES, bytes_max=settings.sheet_bytes_max)
            sheet = await reader.read(file, source=source, sheet_name=sheet_name)
        read = check_sheet(
            sheet,
            allow_duplicate=allow_duplicate,
            if_similar=if_similar,
            source=source,
            today_latest=today_latest(),
        )
        # What the night was is known here: it is what gives way.
        session = replace(read.session, is_whole_night=False)
        submission = Submission(ports.submitting.new_session_id(), source, session, key)
        if dry_run:
            return private_json(await _tried(read, submission, session_id, caller.source, ports))
        correction = Correction(session_id, submission, reason, None, caller.source)
        try:
            answer = await correct_session(
                correction, wait_s=asked_wait_s(request, settings), ports=ports
            )
        except MahjicError as error:
            raise in_sheet_words(error, read.sheet) from None
        warnings = with_places(answer.body["warnings"], read.sheet)
        answer = replace(answer, body={**answer.body, "warnings": warnings})
        return change_response(answer, f"{PATH}/{answer.body['session_id']}")

    return router


async def _tried(
    read: SheetSession, submission: Submission, corrects: str, by: str | None, ports: ChangePorts
) -> dict[str, Any]:
    tried = await try_correction(
        ports.pool, ports.ids_and_times, submission, corrects=corrects, by=by, claim=read.claim
    )
    told = [each for each in tried["rounds"] if each["pointer"] is not None]
    gone = [each for each in tried["rounds"] if each["pointer"] is None]
    return {
        **tried,
        "rounds": [*with_places(told, read.sheet), *gone],
        "warnings": with_places(tried["warnings"], read.sheet),
    }
