"""The operator's routes about players, under `/v1/admin/players`."""

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, TypeVar

import asyncpg
from fastapi import Depends, Request
from pydantic import Field, TypeAdapter
from starlette.responses import Response
from typing_extensions import TypedDict

from services.ingest.claim.claims import Claimed
from services.ingest.claim.openapi import json_body
from services.ingest.players.acts import forget, register, set_privacy
from services.ingest.players.forgetting import Erasable
from services.ingest.players.naming import with_address
from services.ingest.record.ids_and_times import IdsAndTimes
from services.ingest.record.waterline import Waterline
from shared.access.acts import Acts
from shared.db.away import DATABASE_AWAY
from shared.errors import ServiceUnavailable
from shared.http.bodies import read_strictly
from shared.http.callers import Caller, require
from shared.http.conditional import private_json
from shared.http.player_ids import PlayerIdPath, read_id
from shared.http.responses import problem_responses
from shared.http.routes import Route, handed_in
from shared.limits import TEXT_CHARACTERS_MAX
from shared.settings import Settings

T = TypeVar("T")

PATH: Final = "/v1/admin/players"

Operator = Annotated[Caller, Depends(require("operator"))]
PROBLEMS: Final = problem_responses(400, 401, 403, 404, 408, 413, 415, 422, 429, 503)


class RegisterClaim(Claimed):
    """Someone to put on record before their first game."""

    email: str = Field(
        max_length=TEXT_CHARACTERS_MAX,
        description="An email address, or `PRIVATE:` and one.",
        examples=["alice@example.com"],
    )


class PrivacyClaim(Claimed):
    """Whether the player is shown to the public."""

    privacy: Literal["normal", "private"]


class RegisteredPlayer(TypedDict):
    """A player on record."""

    player_id: str
    mahjic_id: str


class Privacy(TypedDict):
    """What applies until the operator or the player says otherwise."""

    player_id: str
    privacy: Literal["normal", "private"]


REGISTER: Final = TypeAdapter(RegisterClaim)
PRIVACY: Final = TypeAdapter(PrivacyClaim)


def _answers(model: type[object], description: str) -> dict[str, Any]:
    return {"model": model, "description": description}


@dataclass(frozen=True, slots=True)
class PlayerIntake:
    """What the routes about players need."""

    pool: asyncpg.Pool
    waterline: Waterline
    ids_and_times: IdsAndTimes
    settings: Settings
    # What other rooms keep about people.
    erasables: Sequence[Erasable] = ()


Players = Annotated[PlayerIntake, handed_in(PlayerIntake)]


async def post_player(request: Request, caller: Operator, players: Players, acts: Acts) -> Response:
    claim = await read_strictly(request, REGISTER, bytes_max=players.settings.body_bytes_max)
    person = with_address(claim.email)
    known = await _unless_away(
        register(players.pool, players.waterline, person, players.ids_and_times)
    )
    # Only now is it known who it is about.
    await acts.keep(caller, "register_player", known.player_id)
    answer: RegisteredPlayer = {"player_id": known.player_id, "mahjic_id": known.player_id}
    return private_json(answer, status=201 if known.is_new else 200)


async def put_privacy(
    request: Request, player_id: PlayerIdPath, caller: Operator, players: Players, acts: Acts
) -> Response:
    canonical = read_id(player_id)
    claim = await read_strictly(request, PRIVACY, bytes_max=players.settings.body_bytes_max)
    await acts.keep(
        caller, "hide_player" if claim.privacy == "private" else "show_player", canonical
    )
    await _unless_away(set_privacy(players.pool, players.waterline, canonical, claim.privacy))
    answer: Privacy = {"player_id": canonical, "privacy": claim.privacy}
    return private_json(answer)


async def delete_personal_data(
    player_id: PlayerIdPath, caller: Operator, players: Players, acts: Acts
) -> Response:
    canonical = read_id(player_id)
    await acts.keep(caller, "forget_player", canonical)
    await _unless_away(
        forget(
            players.pool,
            players.waterline,
            canonical,
            players.ids_and_times,
            players.erasables,
        )
    )
    return Response(status_code=204, headers={"Cache-Control": "no-store"})


async def _unless_away(change: Awaitable[T]) -> T:
    try:
        return await change
    except DATABASE_AWAY as error:
        raise ServiceUnavailable from error


PLAYER_ROUTES: Final = (
    Route(
        "POST",
        PATH,
        post_player,
        "Register someone who has not played yet",
        tag="operator",
        operation_id="register_player",
        status=201,
        responses={
            200: _answers(RegisteredPlayer, "The person was already on record."),
            201: _answers(RegisteredPlayer, "A new player."),
            **PROBLEMS,
        },
        extra={"requestBody": json_body(RegisterClaim, {"email": "alice@example.com"})},
    ),
    Route(
        "PUT",
        f"{PATH}/{{player_id}}/privacy",
        put_privacy,
        "Show or hide a player",
        tag="operator",
        operation_id="set_privacy",
        responses={200: _answers(Privacy, "It applies from here on."), **PROBLEMS},
        extra={"requestBody": json_body(PrivacyClaim, {"privacy": "private"})},
    ),
    Route(
        "DELETE",
        f"{PATH}/{{player_id}}/personal-data",
        delete_personal_data,
        "Forget who a player is",
        tag="operator",
        operation_id="forget_player",
        status=204,
        responses={204: {"description": "Nothing is left that says who it was."}, **PROBLEMS},
    ),
)
