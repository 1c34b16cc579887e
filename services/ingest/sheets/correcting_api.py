"""The route that corrects a session with a score sheet."""

from dataclasses import replace
from typing import Annotated, Any, Final

from fastapi import Query, Request
from starlette.responses import Response

from services.ingest.api import PATH
from services.ingest.changes.answering import ChangeAnswer
from services.ingest.changes.asking import (
    PARAMETERS,
    ChangeIntake,
    Changer,
    DryRun,
    change_key_print,
)
from services.ingest.changes.changeable import source_of
from services.ingest.changes.correction_trial import try_correction
from services.ingest.changes.corrections import AskedCorrection, correct_session
from services.ingest.changes.responses import change_response, change_responses
from services.ingest.claim.asked import AskedIfSimilar, asked_wait_s
from services.ingest.record.judging.identified import Submission
from services.ingest.sheets.answers import SheetCorrectionAnswer
from services.ingest.sheets.submitting import (
    SheetSession,
    in_sheet_words,
    placed_rounds,
    placed_warnings,
)
from services.ingest.sheets.uploaded import (
    SHEET_BODY,
    SHEET_MISTAKES_RESPONSE,
    AllowDuplicate,
    SheetName,
    Sheets,
    read_uploaded,
)
from shared.access.acts import Acts
from shared.answers.effects import CorrectionAnswer
from shared.answers.nights import CorrectionTrialAnswer
from shared.errors import MahjicError
from shared.events.facts import Reason
from shared.http.conditional import private_json
from shared.http.routes import Route
from shared.http.session_ids import SessionIdPath

Why = Annotated[Reason, Query(description="Why the session is corrected.")]
_CORRECTED: Final = change_responses(CorrectionAnswer, "The session in the sheet replaces it")
_RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    **_CORRECTED,
    200: {
        **_CORRECTED[200],
        "model": CorrectionAnswer | CorrectionTrialAnswer,
        "description": (
            "This was already so; the answer is the same as the first time. For a dry run, "
            "what would change."
        ),
    },
    422: SHEET_MISTAKES_RESPONSE,
}


async def post_sheet_correction(
    request: Request,
    session_id: SessionIdPath,
    caller: Changer,
    intake: Sheets,
    acts: Acts,
    *,
    dry_run: DryRun = False,
    reason: Why = "wrong_result",
    sheet_name: SheetName = None,
    allow_duplicate: AllowDuplicate = False,
    if_similar: AskedIfSimilar = "warn",
) -> Response:
    """Replace an older session with the one in a CSV or XLSX file.

    It is a correction like any other. The file holds the whole night, as it should have been.
    """
    key = change_key_print(request, caller, f"{PATH}/{session_id}/corrections/sheet")
    changes = intake.changes
    source = await source_of(changes.pool, session_id, by=caller.source)
    read = await read_uploaded(
        request,
        intake,
        source,
        sheet_name=sheet_name,
        allow_duplicate=allow_duplicate,
        if_similar=if_similar,
    )
    # The earlier night is known here: it is the one being replaced.
    session = replace(read.session, is_whole_night=False)
    submission = Submission(changes.new_session_id(), source, session, key)
    correction = AskedCorrection(session_id, submission, reason, None, caller.source)
    if dry_run:
        return private_json(await _tried(read, correction, changes))
    await acts.keep(caller, "correct_session", session_id)
    answer = await _correct(read, correction, asked_wait_s(request, changes.settings), changes)
    return change_response(answer, f"{PATH}/{answer.body['session_id']}")


async def _correct(
    read: SheetSession, correction: AskedCorrection, wait_s: float, changes: ChangeIntake
) -> ChangeAnswer[SheetCorrectionAnswer]:
    try:
        answer = await correct_session(correction, wait_s=wait_s, ports=changes.changing)
    except MahjicError as error:
        raise in_sheet_words(error, read.sheet) from None
    placed = placed_warnings(answer.body["warnings"], read.sheet)
    body: SheetCorrectionAnswer = {**answer.body, "warnings": placed}
    return ChangeAnswer(body, answer.is_final, answer.is_replayed, answer.by_key)


async def _tried(
    read: SheetSession, correction: AskedCorrection, changes: ChangeIntake
) -> CorrectionTrialAnswer:
    tried = await try_correction(
        changes.pool,
        changes.changing.ids_and_times,
        correction.submission,
        corrects=correction.corrects,
        by=correction.by,
        claim=read.claim(),
    )
    return {
        **tried,
        "warnings": placed_warnings(tried["warnings"], read.sheet),
        "rounds": placed_rounds(tried["rounds"], read.sheet),
    }


SHEET_CORRECTION_ROUTES: Final = (
    Route(
        "POST",
        f"{PATH}/{{session_id}}/corrections/sheet",
        post_sheet_correction,
        "Correct a session with a score sheet",
        tag="submit",
        operation_id="correct_session_with_sheet",
        status=201,
        responses=_RESPONSES,
        extra={"requestBody": SHEET_BODY, "parameters": PARAMETERS},
    ),
)
