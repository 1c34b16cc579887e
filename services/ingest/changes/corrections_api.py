"""The routes that let sources and the operator void and correct sessions."""

from typing import Any, Final

from fastapi import Request
from pydantic import TypeAdapter
from starlette.responses import Response

from services.ingest.api import EXAMPLE, PATH
from services.ingest.changes.asking import (
    PARAMETERS,
    ChangeIntake,
    Changer,
    Changes,
    DryRun,
    change_key_print,
)
from services.ingest.changes.changeable import source_of
from services.ingest.changes.correction_trial import try_correction
from services.ingest.changes.corrections import AskedCorrection, correct_session
from services.ingest.changes.responses import change_response, change_responses
from services.ingest.changes.voids import Voiding, void_session
from services.ingest.claim.asked import AskedIfSimilar, asked_wait_s
from services.ingest.claim.claims import CorrectionClaim, VoidClaim
from services.ingest.claim.openapi import json_body
from services.ingest.claim.reading import read_correction
from services.ingest.record.judging.identified import Submission
from shared.access.acts import Acts
from shared.answers.effects import CorrectionAnswer, VoidAnswer
from shared.answers.nights import CorrectionTrialAnswer
from shared.errors import UnknownSession
from shared.http.bodies import read_json_body, read_strictly
from shared.http.conditional import private_json
from shared.http.routes import Route
from shared.http.session_ids import SessionIdPath
from shared.ids import is_session_id

VOID: Final = TypeAdapter(VoidClaim)


async def post_void(
    request: Request, session_id: SessionIdPath, caller: Changer, intake: Changes, acts: Acts
) -> Response:
    """Leave a session out, as if it had never been played. The answer says who moved.

    A source can void its own sessions for a limited time after submitting them. The operator can
    void any session.
    """
    if not is_session_id(session_id):
        raise UnknownSession
    key = change_key_print(request, caller, f"{PATH}/{session_id}/void")
    claim = await read_strictly(request, VOID, bytes_max=intake.settings.body_bytes_max)
    voiding = Voiding((session_id,), claim.reason, claim.note, caller.source, key)
    wait_s = asked_wait_s(request, intake.settings)
    await acts.keep(caller, "void_session", session_id)
    answer = await void_session(voiding, wait_s=wait_s, ports=intake.changing)
    return change_response(answer, f"{PATH}/{session_id}")


async def post_correction(
    request: Request,
    session_id: SessionIdPath,
    caller: Changer,
    intake: Changes,
    acts: Acts,
    *,
    dry_run: DryRun = False,
    if_similar: AskedIfSimilar = "warn",
) -> Response:
    """Replace a session with a whole new one. The answer says who moved.

    Anything that is refused in a submission is refused here too. A voided session can also be
    corrected.
    """
    key = change_key_print(request, caller, f"{PATH}/{session_id}/corrections")
    raw = await read_json_body(request, bytes_max=intake.settings.body_bytes_max)
    source = await source_of(intake.pool, session_id, by=caller.source)
    read = read_correction(
        raw, source=source, today_latest=intake.today_latest(), if_similar=if_similar
    )
    submission = Submission(intake.new_session_id(), source, read.session, key)
    said = read.words
    correction = AskedCorrection(session_id, submission, said.reason, said.note, caller.source)
    if dry_run:
        return private_json(await _tried(correction, read.told(), intake))
    wait_s = asked_wait_s(request, intake.settings)
    await acts.keep(caller, "correct_session", session_id)
    answer = await correct_session(correction, wait_s=wait_s, ports=intake.changing)
    return change_response(answer, f"{PATH}/{answer.body['session_id']}")


async def _tried(
    correction: AskedCorrection, claim: dict[str, Any], intake: ChangeIntake
) -> CorrectionTrialAnswer:
    return await try_correction(
        intake.pool,
        intake.changing.ids_and_times,
        correction.submission,
        corrects=correction.corrects,
        by=correction.by,
        claim=claim,
    )


_CORRECTED: Final = change_responses(CorrectionAnswer, "The new session replaces it")
_CORRECTION_RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    **_CORRECTED,
    200: {
        **_CORRECTED[200],
        "model": CorrectionAnswer | CorrectionTrialAnswer,
        "description": (
            "This was already so; the answer is the same as the first time. For a dry run, "
            "what would change."
        ),
    },
}

CORRECTION_ROUTES: Final = (
    Route(
        "POST",
        f"{PATH}/{{session_id}}/void",
        post_void,
        "Void a session",
        tag="submit",
        operation_id="void_session",
        status=201,
        responses=change_responses(VoidAnswer, "The session is voided"),
        extra={
            "requestBody": json_body(VoidClaim, {"reason": "entered_twice"}),
            "parameters": PARAMETERS,
        },
    ),
    Route(
        "POST",
        f"{PATH}/{{session_id}}/corrections",
        post_correction,
        "Correct a session",
        tag="submit",
        operation_id="correct_session",
        status=201,
        responses=_CORRECTION_RESPONSES,
        extra={
            "requestBody": json_body(CorrectionClaim, {**EXAMPLE, "reason": "wrong_result"}),
            "parameters": PARAMETERS,
        },
    ),
)
