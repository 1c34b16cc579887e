"""The operator's routes that change the past: many voids, merges, formulas, and notes."""

from typing import Annotated, Any, Final

from fastapi import Depends, Path, Request
from pydantic import TypeAdapter
from starlette.responses import Response

from services.ingest.changes.adoptions import adopt_formula
from services.ingest.changes.asking import PREFER_HEADER, Changes
from services.ingest.changes.merges import merge, unmerge
from services.ingest.changes.notes import erase_note
from services.ingest.changes.reseats import AskedReseat, reseat
from services.ingest.changes.responses import change_response, change_responses
from services.ingest.changes.voids import Voiding, void_sessions
from services.ingest.claim.asked import asked_wait_s
from services.ingest.claim.claims import (
    FormulaClaim,
    MergeClaim,
    ReseatClaim,
    UnmergeClaim,
    VoidsClaim,
)
from services.ingest.claim.openapi import json_body
from services.ingest.players.naming import with_address
from shared.access.acts import Acts
from shared.answers.effects import AdoptionAnswer, MergeAnswer, ReseatAnswer, VoidsAnswer
from shared.errors import ClaimRefused, Mistake
from shared.http.bodies import read_strictly
from shared.http.callers import Caller, require
from shared.http.player_ids import MistypedPlayerId, PlayerIdPath, read_id
from shared.http.responses import problem_responses
from shared.http.routes import Route

Operator = Annotated[Caller, Depends(require("operator"))]
FactSeqPath = Annotated[int, Path(ge=1, lt=1 << 63, description="The `seq` of a fact on the log.")]

VOIDS: Final = TypeAdapter(VoidsClaim)
MERGE: Final = TypeAdapter(MergeClaim)
UNMERGE: Final = TypeAdapter(UnmergeClaim)
RESEAT: Final = TypeAdapter(ReseatClaim)
FORMULA: Final = TypeAdapter(FormulaClaim)
SESSIONS_EXAMPLE: Final = {
    "session_ids": ["ses_01HZX3Y5ZQ8W6V4T2R0PNMKJHG"],
    "reason": "test_entry",
}
RESEAT_EXAMPLE: Final = {
    "sessions": ["ses_01HZX3Y5ZQ8W6V4T2R0PNMKJHG"],
    "email": "karen@example.com",
}


async def post_voids(request: Request, caller: Operator, intake: Changes, acts: Acts) -> Response:
    """Leave sessions out in one step, all of them or none."""
    claim = await read_strictly(request, VOIDS, bytes_max=intake.settings.body_bytes_max)
    session_ids = tuple(dict.fromkeys(claim.session_ids))
    voiding = Voiding(session_ids, claim.reason, claim.note, by=None)
    wait_s = asked_wait_s(request, intake.settings)
    await acts.keep(caller, "void_sessions", *session_ids)
    answer = await void_sessions(voiding, wait_s=wait_s, ports=intake.changing)
    return change_response(answer, f"/v1/sessions/{session_ids[0]}")


async def post_merge(
    request: Request, player_id: PlayerIdPath, caller: Operator, intake: Changes, acts: Acts
) -> Response:
    """Treat all of a player's history as another player's. This can be undone."""
    canonical = read_id(player_id)
    claim = await read_strictly(request, MERGE, bytes_max=intake.settings.body_bytes_max)
    into, wait_s = _into(claim), asked_wait_s(request, intake.settings)
    await acts.keep(caller, "merge_players", canonical, into)
    answer = await merge(canonical, into, claim.note, wait_s=wait_s, ports=intake.changing)
    return change_response(answer, f"/v1/players/{into}")


async def post_unmerge(
    request: Request, player_id: PlayerIdPath, caller: Operator, intake: Changes, acts: Acts
) -> Response:
    """Bring a merged player back, exactly as if the merge had never happened."""
    canonical = read_id(player_id)
    claim = await read_strictly(request, UNMERGE, bytes_max=intake.settings.body_bytes_max)
    wait_s = asked_wait_s(request, intake.settings)
    await acts.keep(caller, "unmerge_player", canonical)
    answer = await unmerge(canonical, claim.note, wait_s=wait_s, ports=intake.changing)
    return change_response(answer, f"/v1/players/{canonical}")


async def post_reseat(
    request: Request, player_id: PlayerIdPath, caller: Operator, intake: Changes, acts: Acts
) -> Response:
    """Give a player's seats in some sessions to another address, as if it had always been so.

    All of the sessions change, or none. The same request the other way undoes it.
    """
    canonical = read_id(player_id)
    claim = await read_strictly(request, RESEAT, bytes_max=intake.settings.body_bytes_max)
    sessions, person = tuple(dict.fromkeys(claim.sessions)), with_address(claim.email)
    asked = AskedReseat(canonical, sessions, person, claim.note)
    wait_s = asked_wait_s(request, intake.settings)
    await acts.keep(caller, "reassign_seats", canonical, *sessions)
    answer = await reseat(asked, wait_s=wait_s, ports=intake.changing)
    return change_response(answer, f"/v1/players/{answer.body['to']}")


async def post_formula(request: Request, caller: Operator, intake: Changes, acts: Acts) -> Response:
    """Switch to another rating formula, for new sessions only or for the whole history."""
    claim = await read_strictly(request, FORMULA, bytes_max=intake.settings.body_bytes_max)
    wait_s = asked_wait_s(request, intake.settings)
    await acts.keep(caller, "adopt_formula")
    answer = await adopt_formula(
        claim.formula,
        claim.since,
        proposal=claim.proposal,
        wait_s=wait_s,
        ports=intake.changing,
    )
    return change_response(answer, "/v1/formula")


async def delete_note(
    fact_seq: FactSeqPath, caller: Operator, intake: Changes, acts: Acts
) -> Response:
    """Erase the note on a void, a correction or a merge."""
    await acts.keep(caller, "erase_note", str(fact_seq))
    await erase_note(intake.pool, fact_seq)
    return Response(status_code=204, headers={"Cache-Control": "no-store"})


def _into(claim: MergeClaim) -> str:
    try:
        return read_id(claim.into)
    except MistypedPlayerId as error:
        raise ClaimRefused([Mistake("/into", "mistyped_player_id", error.detail)]) from None


def _asking(body: dict[str, Any]) -> dict[str, Any]:
    return {"requestBody": body, "parameters": [PREFER_HEADER]}


ADMIN_CHANGE_ROUTES: Final = (
    Route(
        "POST",
        "/v1/admin/sessions/void",
        post_voids,
        "Void many sessions",
        tag="operator",
        operation_id="void_sessions",
        status=201,
        responses=change_responses(VoidsAnswer, "The sessions are voided"),
        extra=_asking(json_body(VoidsClaim, SESSIONS_EXAMPLE)),
    ),
    Route(
        "POST",
        "/v1/admin/players/{player_id}/merge",
        post_merge,
        "Merge one player into another",
        tag="operator",
        operation_id="merge_player",
        status=201,
        responses=change_responses(MergeAnswer, "The two ids are now one person"),
        extra=_asking(json_body(MergeClaim, {"into": "MJ-7K3Q9XZM"})),
    ),
    Route(
        "POST",
        "/v1/admin/players/{player_id}/unmerge",
        post_unmerge,
        "Undo the merge of a player",
        tag="operator",
        operation_id="unmerge_player",
        status=201,
        responses=change_responses(MergeAnswer, "The two ids are two people again"),
        extra=_asking(json_body(UnmergeClaim, {})),
    ),
    Route(
        "POST",
        "/v1/admin/players/{player_id}/reseat",
        post_reseat,
        "Give seats to another player",
        tag="operator",
        operation_id="reseat_player",
        status=201,
        responses=change_responses(ReseatAnswer, "The seats are the other player's"),
        extra=_asking(json_body(ReseatClaim, RESEAT_EXAMPLE)),
    ),
    Route(
        "POST",
        "/v1/admin/formulas",
        post_formula,
        "Adopt a formula",
        tag="operator",
        operation_id="adopt_formula",
        status=201,
        responses=change_responses(AdoptionAnswer, "The formula is adopted"),
        extra=_asking(json_body(FormulaClaim, {"formula": "mahjic-elo/1", "since": "now"})),
    ),
    Route(
        "DELETE",
        "/v1/admin/notes/{fact_seq}",
        delete_note,
        "Erase the note on a fact",
        tag="operator",
        operation_id="erase_note",
        status=204,
        responses={
            204: {"description": "The fact has no note."},
            **problem_responses(401, 403, 404, 422, 429, 503),
        },
    ),
)
