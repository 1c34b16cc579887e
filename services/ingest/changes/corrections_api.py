"""The routes by which sources and the operator void and correct sessions."""

from collections.abc import Callable
from datetime import date
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Query, Request
from pydantic import TypeAdapter
from starlette.responses import Response

from services.ingest.api import EXAMPLE, PATH
from services.ingest.changes.answering import ChangePorts
from services.ingest.changes.changeable import source_of
from services.ingest.changes.correction_trial import try_correction
from services.ingest.changes.corrections import Correction, correct_session
from services.ingest.changes.responses import PREFER_HEADER, change_response, change_responses
from services.ingest.changes.voids import Voiding, void_session
from services.ingest.claim.asked import KEY_HEADER, AskedIfSimilar, asked_wait_s
from services.ingest.claim.claims import CorrectionClaim, VoidClaim
from services.ingest.claim.headers import read_idempotency_key
from services.ingest.claim.openapi import json_body
from services.ingest.claim.reading import read_correction
from services.ingest.record.judging.judge import Submission
from services.ingest.record.judging.prints import key_print
from shared.answers.effects import CorrectionAnswer, VoidAnswer
from shared.db.away import DATABASE_AWAY
from shared.http.bodies import parse_strictly, read_json_body
from shared.http.callers import Caller, require
from shared.http.conditional import private_json
from shared.http.problems import ServiceUnavailable
from shared.http.session_ids import SessionIdPath, UnknownSession
from shared.ids import is_session_id
from shared.settings import Settings

Changer = Annotated[Caller, Depends(require("source", "operator"))]

DryRun = Annotated[
    bool, Query(description="Record nothing, and answer with what the session would change.")
]

VOID: Final = TypeAdapter(VoidClaim)
PARAMETERS: Final = [KEY_HEADER, PREFER_HEADER]


def correction_routes(
    ports: ChangePorts, settings: Settings, today_latest: Callable[[], date]
) -> APIRouter:
    """Return the routes that change what a session says."""
    router = APIRouter(prefix=f"{PATH}/{{session_id}}", tags=["submit"])

    @router.post(
        "/void",
        summary="Void a session",
        status_code=201,
        response_model=None,
        responses=change_responses(VoidAnswer, "The session is left out"),
        openapi_extra={
            "requestBody": json_body(VoidClaim, {"reason": "entered_twice"}),
            "parameters": PARAMETERS,
        },
    )
    async def post_void(request: Request, session_id: SessionIdPath, caller: Changer) -> Response:
        """Leave a session out, as if it had never been played, and answer with who moved.

        A source voids its own sessions, for a while after it submitted them; the operator any.
        """
        if not is_session_id(session_id):
            raise UnknownSession
        key = change_key_print(request, caller, f"{PATH}/{session_id}/void")
        claim = parse_strictly(VOID, await _body(request, settings))
        voiding = Voiding((session_id,), claim.reason, claim.note, caller.source, key)
        answer = await void_session(voiding, wait_s=asked_wait_s(request, settings), ports=ports)
        return change_response(answer, f"{PATH}/{session_id}")

    @router.post(
        "/corrections",
        summary="Correct a session",
        status_code=201,
        response_model=None,
        responses=change_responses(CorrectionAnswer, "The new session stands in its place"),
        openapi_extra={
            "requestBody": json_body(CorrectionClaim, {**EXAMPLE, "reason": "wrong_result"}),
            "parameters": PARAMETERS,
        },
    )
    async def post_correction(
        request: Request,
        session_id: SessionIdPath,
        caller: Changer,
        *,
        dry_run: DryRun = False,
        if_similar: AskedIfSimilar = "warn",
    ) -> Response:
        """Put a whole new session in the place of an older one, and answer with who moved.

        All that is refused in a submission is refused here. A voided session can be corrected too.
        """
        key = change_key_print(request, caller, f"{PATH}/{session_id}/corrections")
        raw = await _body(request, settings)
        source = await _source_of(session_id, caller)
        claim, session = read_correction(
            raw, source=source, today_latest=today_latest(), if_similar=if_similar
        )
        submission = Submission(ports.submitting.new_session_id(), source, session, key)
        if dry_run:
            tried = await try_correction(
                ports.pool,
                ports.ids_and_times,
                submission,
                corrects=session_id,
                by=caller.source,
                claim=claim.model_dump(mode="json", exclude_none=True, exclude_unset=True),
            )
            return private_json(tried)
        correction = Correction(
            corrects=session_id,
            submission=submission,
            reason=claim.reason,
            note=claim.note,
            by=caller.source,
        )
        wait_s = asked_wait_s(request, settings)
        answer = await correct_session(correction, wait_s=wait_s, ports=ports)
        return change_response(answer, f"{PATH}/{answer.body['session_id']}")

    async def _source_of(session_id: str, caller: Caller) -> str:
        try:
            return await source_of(ports.pool, session_id, by=caller.source)
        except DATABASE_AWAY as error:
            raise ServiceUnavailable from error

    return router


async def _body(request: Request, settings: Settings) -> bytes:
    return await read_json_body(request, bytes_max=settings.body_bytes_max)


def change_key_print(request: Request, caller: Caller, path: str) -> bytes | None:
    """Return the print of the request's key; that of the operator is of no source."""
    key = read_idempotency_key(request.headers.getlist("idempotency-key"))
    return None if key is None else key_print(caller.source or "", "POST", path, key)
