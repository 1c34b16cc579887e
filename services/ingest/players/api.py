"""The operator's routes about players, under `/v1/admin/players`."""

from collections.abc import Awaitable
from typing import Annotated, Any, Final, Literal, TypeVar

import asyncpg
from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, Field, TypeAdapter
from starlette.responses import Response

from services.ingest.claim.claims import Claimed
from services.ingest.claim.openapi import json_body
from services.ingest.claim.people import Person, UnreadablePerson, read_person
from services.ingest.players.acts import forget, register, set_privacy, set_verification
from services.ingest.record.ids_and_times import IdsAndTimes
from services.ingest.record.waterline import Waterline
from shared.db.away import DATABASE_AWAY
from shared.errors import ClaimRefused, Mistake
from shared.http.bodies import parse_strictly, read_json_body
from shared.http.callers import Caller, require
from shared.http.conditional import private_json
from shared.http.player_ids import PlayerIdPath, read_id
from shared.http.problems import ServiceUnavailable
from shared.http.responses import problem_responses
from shared.settings import Settings

T = TypeVar("T")

Operator = Annotated[Caller, Depends(require("operator"))]
PROBLEMS: Final = problem_responses(400, 401, 403, 404, 408, 413, 415, 422, 429, 503)


class RegisterClaim(Claimed):
    """Somebody to put on record before the first game."""

    email: str = Field(
        max_length=400,
        description="An e-mail address, or `PRIVATE:` and one.",
        examples=["alice@example.com"],
    )


class VerificationClaim(Claimed):
    """Whether the player is Verified from now on."""

    verified: bool


class PrivacyClaim(Claimed):
    """Whether the player is shown to the public."""

    privacy: Literal["normal", "private"]


class RegisteredPlayer(BaseModel):
    """A player on record."""

    player_id: str
    mahjic_id: str


class Verification(BaseModel):
    """What holds from this place on the log onward."""

    player_id: str
    verified: bool
    seq: int = Field(description="Reads that are given it as `min_seq` show that it holds.")


class Privacy(BaseModel):
    """What holds until the operator or the player says otherwise."""

    player_id: str
    privacy: Literal["normal", "private"]


def _answers(model: type[BaseModel], description: str) -> dict[str, Any]:
    return {"model": model, "description": description}


def admin_player_routes(
    pool: asyncpg.Pool, waterline: Waterline, settings: Settings, ids_and_times: IdsAndTimes
) -> APIRouter:
    """Return the routes that register, verify, hide and forget players."""
    router = APIRouter(prefix="/v1/admin/players", tags=["operator"])

    async def body(request: Request, adapter: TypeAdapter[T]) -> T:
        raw = await read_json_body(request, bytes_max=settings.body_bytes_max)
        return parse_strictly(adapter, raw)

    @router.post(
        "",
        summary="Register somebody who has not played yet",
        status_code=201,
        response_model=None,
        responses={
            200: _answers(RegisteredPlayer, "The person was on record before."),
            201: _answers(RegisteredPlayer, "A new player."),
            **PROBLEMS,
        },
        openapi_extra={"requestBody": json_body(RegisterClaim, {"email": "alice@example.com"})},
    )
    async def post_player(request: Request, _: Operator) -> Response:
        claim = await body(request, TypeAdapter(RegisterClaim))
        known = await _unless_away(register(pool, waterline, _person(claim.email), ids_and_times))
        answer = {"player_id": known.player_id, "mahjic_id": known.player_id}
        return private_json(answer, status=201 if known.is_new else 200)

    @router.put(
        "/{player_id}/verification",
        summary="Begin or end a player's verification",
        response_model=None,
        responses={
            200: _answers(Verification, "It holds from here on."),
            **PROBLEMS,
            **problem_responses(409),
        },
        openapi_extra={"requestBody": json_body(VerificationClaim, {"verified": True})},
    )
    async def put_verification(request: Request, player_id: PlayerIdPath, _: Operator) -> Response:
        canonical = read_id(player_id)
        claim = await body(request, TypeAdapter(VerificationClaim))
        seq = await _unless_away(
            set_verification(pool, waterline, canonical, ids_and_times, is_verified=claim.verified)
        )
        return private_json({"player_id": canonical, "verified": claim.verified, "seq": seq})

    @router.put(
        "/{player_id}/privacy",
        summary="Show or hide a player",
        response_model=None,
        responses={200: _answers(Privacy, "It holds from here on."), **PROBLEMS},
        openapi_extra={"requestBody": json_body(PrivacyClaim, {"privacy": "private"})},
    )
    async def put_privacy(request: Request, player_id: PlayerIdPath, _: Operator) -> Response:
        canonical = read_id(player_id)
        claim = await body(request, TypeAdapter(PrivacyClaim))
        await _unless_away(set_privacy(pool, waterline, canonical, claim.privacy))
        return private_json({"player_id": canonical, "privacy": claim.privacy})

    @router.delete(
        "/{player_id}/personal-data",
        summary="Forget who a player is",
        status_code=204,
        response_model=None,
        responses={204: {"description": "Nothing is left that tells who it was."}, **PROBLEMS},
    )
    async def delete_personal_data(player_id: PlayerIdPath, _: Operator) -> Response:
        await _unless_away(forget(pool, waterline, read_id(player_id), ids_and_times))
        return Response(status_code=204, headers={"Cache-Control": "no-store"})

    return router


def _person(text: str) -> Person:
    try:
        person = read_person(text)
    except UnreadablePerson as error:
        raise ClaimRefused([Mistake("/email", error.code, error.message)]) from None
    if person.kind != "person":
        message = "Only somebody with an e-mail address can be registered; Bob is imaginary."
        raise ClaimRefused([Mistake("/email", "not_a_person", message)])
    return person


async def _unless_away(change: Awaitable[T]) -> T:
    try:
        return await change
    except DATABASE_AWAY as error:
        raise ServiceUnavailable from error
