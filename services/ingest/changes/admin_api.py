"""The operator's routes that change the past: many voids, merges, formulas, and notes."""

from typing import Annotated, Final, TypeVar

from fastapi import APIRouter, Depends, Path, Request
from pydantic import TypeAdapter
from starlette.responses import Response

from services.ingest.changes.adoptions import adopt_formula
from services.ingest.changes.answering import ChangePorts
from services.ingest.changes.merges import merge, unmerge
from services.ingest.changes.notes import erase_note
from services.ingest.changes.responses import PREFER_HEADER, change_response, change_responses
from services.ingest.changes.voids import Voiding, void_sessions
from services.ingest.claim.asked import asked_wait_s
from services.ingest.claim.claims import FormulaClaim, MergeClaim, UnmergeClaim, VoidsClaim
from services.ingest.claim.openapi import json_body
from shared.answers.effects import AdoptionAnswer, MergeAnswer, VoidsAnswer
from shared.db.away import DATABASE_AWAY
from shared.errors import ClaimRefused, Mistake
from shared.http.bodies import parse_strictly, read_json_body
from shared.http.callers import Caller, require
from shared.http.player_ids import MistypedPlayerId, PlayerIdPath, read_id
from shared.http.problems import ServiceUnavailable
from shared.http.responses import problem_responses
from shared.settings import Settings

T = TypeVar("T")

Operator = Annotated[Caller, Depends(require("operator"))]
FactSeqPath = Annotated[int, Path(ge=1, lt=1 << 63, description="The place of a fact on the log.")]

SESSIONS_EXAMPLE: Final = {
    "session_ids": ["ses_01HZX3Y5ZQ8W6V4T2R0PNMKJHG"],
    "reason": "test_entry",
}


def admin_change_routes(ports: ChangePorts, settings: Settings) -> APIRouter:
    """Return the routes of what only the operator may do to the past."""
    router = APIRouter(prefix="/v1/admin", tags=["operator"])

    async def body(request: Request, adapter: TypeAdapter[T]) -> T:
        raw = await read_json_body(request, bytes_max=settings.body_bytes_max)
        return parse_strictly(adapter, raw)

    @router.post(
        "/sessions/void",
        summary="Void many sessions",
        status_code=201,
        response_model=None,
        responses=change_responses(VoidsAnswer, "The sessions are left out"),
        openapi_extra={
            "requestBody": json_body(VoidsClaim, SESSIONS_EXAMPLE),
            "parameters": [PREFER_HEADER],
        },
    )
    async def post_voids(request: Request, _: Operator) -> Response:
        """Leave sessions out in one step, all of them or none."""
        claim = await body(request, TypeAdapter(VoidsClaim))
        session_ids = tuple(dict.fromkeys(claim.session_ids))
        voiding = Voiding(session_ids, claim.reason, claim.note, by=None)
        answer = await void_sessions(voiding, wait_s=asked_wait_s(request, settings), ports=ports)
        return change_response(answer, f"/v1/sessions/{session_ids[0]}")

    @router.post(
        "/players/{player_id}/merge",
        summary="Merge a player into another",
        status_code=201,
        response_model=None,
        responses=change_responses(MergeAnswer, "The two ids are one person"),
        openapi_extra={
            "requestBody": json_body(MergeClaim, {"into": "MJ-7K3Q9XZM"}),
            "parameters": [PREFER_HEADER],
        },
    )
    async def post_merge(request: Request, player_id: PlayerIdPath, _: Operator) -> Response:
        """Read everything of a player as another's, in the whole history; it can be undone."""
        canonical = read_id(player_id)
        claim = await body(request, TypeAdapter(MergeClaim))
        into, wait_s = _into(claim), asked_wait_s(request, settings)
        answer = await merge(canonical, into, claim.note, wait_s=wait_s, ports=ports)
        return change_response(answer, f"/v1/players/{into}")

    @router.post(
        "/players/{player_id}/unmerge",
        summary="Undo the merge of a player",
        status_code=201,
        response_model=None,
        responses=change_responses(MergeAnswer, "The two ids are two people again"),
        openapi_extra={
            "requestBody": json_body(UnmergeClaim, {}),
            "parameters": [PREFER_HEADER],
        },
    )
    async def post_unmerge(request: Request, player_id: PlayerIdPath, _: Operator) -> Response:
        """Bring a merged player back, exactly as it would stand without the merge."""
        canonical = read_id(player_id)
        claim = await body(request, TypeAdapter(UnmergeClaim))
        wait_s = asked_wait_s(request, settings)
        answer = await unmerge(canonical, claim.note, wait_s=wait_s, ports=ports)
        return change_response(answer, f"/v1/players/{canonical}")

    @router.post(
        "/formulas",
        summary="Adopt a formula",
        status_code=201,
        response_model=None,
        responses=change_responses(AdoptionAnswer, "The formula holds"),
        openapi_extra={
            "requestBody": json_body(FormulaClaim, {"formula": "mahjic-elo/1", "since": "now"}),
            "parameters": [PREFER_HEADER],
        },
    )
    async def post_formula(request: Request, _: Operator) -> Response:
        """Rate by another formula: what comes from now on, or everything from the beginning."""
        claim = await body(request, TypeAdapter(FormulaClaim))
        wait_s = asked_wait_s(request, settings)
        answer = await adopt_formula(claim.formula, claim.since, wait_s=wait_s, ports=ports)
        return change_response(answer, "/v1/formula")

    @router.delete(
        "/notes/{fact_seq}",
        summary="Erase the note beside a fact",
        status_code=204,
        response_model=None,
        responses={
            204: {"description": "No note stands beside the fact."},
            **problem_responses(401, 403, 404, 422, 429, 503),
        },
    )
    async def delete_note(fact_seq: FactSeqPath, _: Operator) -> Response:
        """Erase what somebody wrote beside a void, a correction or a merge."""
        try:
            await erase_note(ports.pool, fact_seq)
        except DATABASE_AWAY as error:
            raise ServiceUnavailable from error
        return Response(status_code=204, headers={"Cache-Control": "no-store"})

    return router


def _into(claim: MergeClaim) -> str:
    try:
        return read_id(claim.into)
    except MistypedPlayerId as error:
        raise ClaimRefused([Mistake("/into", "mistyped_player_id", error.detail)]) from None
