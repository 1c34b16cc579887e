"""The routes with proofs: of a change, of all changes of a player, and of a session."""

from typing import Annotated, Final

from fastapi import Depends, Query, Request
from starlette.responses import Response

from services.projections.answering.merged import MERGED_RESPONSE, to_survivor
from services.projections.answering.parameters import Cursor, MinSeq
from services.projections.answering.people import NoPublicPlayer
from services.projections.history.reads import HistoryRequest
from services.projections.history.routes import MAX_AGE_S, ChangeIdPath
from services.transparency.proving.answers import ChangeProof, ChangeProofs, SessionProof
from services.transparency.proving.proofs import (
    Prover,
    prove_change,
    prove_changes,
    prove_session,
)
from services.transparency.proving.showing import sees_all
from shared.http.callers import Caller, caller_of, require
from shared.http.conditional import private_json, public_json
from shared.http.player_ids import PlayerIdPath, read_id
from shared.http.responses import problem_responses
from shared.http.routes import Route, handed_in
from shared.http.session_ids import SessionIdPath

# Each takes some look-ups in both logs.
PROOFS_MAX: Final = 50
PROOFS_DEFAULT: Final = 20

Proofs = Annotated[Prover, handed_in(Prover)]


async def get_change_proof(
    request: Request,
    player_id: PlayerIdPath,
    change_id: ChangeIdPath,
    prover: Proofs,
    min_seq: MinSeq = None,
) -> Response:
    """Show the reason for one change, with a proof that it is on the public log.

    The fact and the verdict are shown as they are on the logs only if everybody in them is public,
    or to an auditor. Otherwise the proof shows where they are, and that they are never changed.
    """
    who, caller = read_id(player_id), caller_of(request)
    try:
        answer = await prove_change(prover, who, change_id, caller, seq_min=min_seq)
    except NoPublicPlayer:
        return await to_survivor(request, prover.reader, who)
    return _shown(request, answer, caller)


async def list_change_proofs(
    request: Request,
    player_id: PlayerIdPath,
    prover: Proofs,
    cursor: Cursor = None,
    limit: Annotated[
        int, Query(ge=1, le=PROOFS_MAX, description="How many changes to return at most.")
    ] = PROOFS_DEFAULT,
) -> Response:
    """List the changes of a player, newest first, each with its reason and its proof."""
    who, caller = read_id(player_id), caller_of(request)
    try:
        asked = HistoryRequest(cursor=cursor, limit=limit)
        answer = await prove_changes(prover, who, asked, caller)
    except NoPublicPlayer:
        return await to_survivor(request, prover.reader, who)
    return _shown(request, answer, caller)


async def get_session_proof(
    session_id: SessionIdPath,
    caller: Annotated[Caller, Depends(require("source", "operator", "auditor"))],
    prover: Proofs,
) -> Response:
    """Show a source its own session as it is on the logs, with a proof.

    If somebody in it is neither public nor named by the source, the record itself is withheld.
    """
    return private_json(await prove_session(prover, session_id, caller))


def _shown(request: Request, answer: ChangeProof | ChangeProofs, caller: Caller | None) -> Response:
    if sees_all(caller):
        return private_json(answer)
    return public_json(request, answer, MAX_AGE_S, headers={"Vary": "Authorization"})


_PROBLEMS: Final = problem_responses(404, 422, 429, 503)

PROOF_ROUTES: Final = (
    Route(
        "GET",
        "/v1/players/{player_id}/changes/{change_id}/proof",
        get_change_proof,
        "Why a rating changed, with a proof",
        tag="read",
        operation_id="get_change_proof",
        responses={200: {"model": ChangeProof}, **MERGED_RESPONSE, **_PROBLEMS},
    ),
    Route(
        "GET",
        "/v1/players/{player_id}/proofs",
        list_change_proofs,
        "A player's changes, with proofs",
        tag="read",
        operation_id="list_change_proofs",
        responses={200: {"model": ChangeProofs}, **MERGED_RESPONSE, **_PROBLEMS},
    ),
    Route(
        "GET",
        "/v1/sessions/{session_id}/proof",
        get_session_proof,
        "A session on the public log",
        tag="submit",
        operation_id="get_session_proof",
        responses={
            200: {"model": SessionProof},
            **problem_responses(401, 403, 404, 422, 429, 503),
        },
    ),
)
