"""The routes about verification: what the operator decides, and the events of Stripe."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final

from fastapi import Depends, Request
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    field_validator,
)
from starlette.responses import Response
from typing_extensions import TypedDict

from services.ingest.claim.claims import Claimed
from services.ingest.claim.openapi import json_body
from services.verification.deciding import decide, read_reason
from services.verification.entitlement import Decision
from services.verification.room import VerificationRoom
from services.verification.stripe.inbox import add_event
from services.verification.stripe.signatures import check_signature
from shared.access.acts import Acts, StaffActKind
from shared.db.away import DATABASE_AWAY
from shared.errors import MahjicError, ServiceUnavailable
from shared.http.bodies import read_json_body, read_strictly
from shared.http.callers import Caller, require
from shared.http.conditional import private_json
from shared.http.layers.paths import STRIPE_EVENTS_PATH
from shared.http.player_ids import PlayerIdPath, read_id
from shared.http.responses import problem_responses
from shared.http.routes import Route, handed_in
from shared.limits import TEXT_CHARACTERS_MAX

PATH: Final = "/v1/admin/players/{player_id}/verification"
# An event holds a whole object of Stripe's, some KiB.
EVENT_BYTES_MAX: Final = 512 << 10
BODY_BYTES_MAX: Final = 16 << 10
_OBJECT_ID: Final = re.compile(r"[A-Za-z0-9_]{1,255}", re.ASCII)

Operator = Annotated[Caller, Depends(require("operator"))]
Room = Annotated[VerificationRoom, handed_in(VerificationRoom)]


class VerificationClaim(Claimed):
    """What the operator decides about a player."""

    verified: bool | None = Field(
        description="`true` makes the player Verified, `false` keeps the player from it, and "
        "`null` takes back what was decided: payment and identity decide then."
    )
    reason: str | None = Field(
        default=None,
        max_length=TEXT_CHARACTERS_MAX,
        description="Why, in a sentence. It is kept until the player is forgotten, and is on no "
        "log.",
        examples=["Plays in our club every week."],
    )


class Verification(TypedDict):
    """What applies from this place on the log onward."""

    player_id: str
    verified: bool
    seq: Annotated[int, Field(description="Pass it to a read as `min_seq` to see the change.")]


class _Object(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    id: str | None = None

    @field_validator("id", mode="before")
    @classmethod
    def _of_use(cls, value: object) -> str | None:
        # Coupons and products have ids of somebody's choosing. No such object is anybody's here,
        # and an event that is refused comes again for days.
        return value if isinstance(value, str) and _OBJECT_ID.fullmatch(value) else None


class _Data(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    object: _Object


class EventRead(BaseModel):
    """The little of an event that is kept."""

    model_config = ConfigDict(extra="ignore", strict=True)

    id: str = Field(min_length=1, max_length=255, pattern=r"^[A-Za-z0-9_]+$")
    type: str = Field(min_length=1, max_length=255, pattern=r"^[a-z0-9_.]+$")
    data: _Data


class NotAnEvent(MahjicError):
    """What was sent is signed, and no event as Stripe sends them."""

    code = "not_an_event"
    title = "This is not an event of Stripe"
    status = 400


VERIFICATION: Final = TypeAdapter(VerificationClaim)
_ACTS: Final[Mapping[Decision | None, StaffActKind]] = {
    "grant": "verify_player",
    "block": "end_verification",
    None: "leave_verification",
}


async def put_verification(
    request: Request, player_id: PlayerIdPath, caller: Operator, room: Room, acts: Acts
) -> Response:
    canonical = read_id(player_id)
    claim = await read_strictly(request, VERIFICATION, bytes_max=BODY_BYTES_MAX)
    decision: Decision | None = None
    if claim.verified is not None:
        decision = "grant" if claim.verified else "block"
    reason = None if claim.reason is None else read_reason(claim.reason)
    await acts.keep(caller, _ACTS[decision], canonical)
    try:
        settled = await decide(room, canonical, decision, reason)
    except DATABASE_AWAY as error:
        raise ServiceUnavailable from error
    answer: Verification = {
        "player_id": canonical,
        "verified": settled.is_verified,
        "seq": settled.seq,
    }
    return private_json(answer)


async def post_event(request: Request, room: Room) -> Response:
    secrets = room.opened.webhook_secrets
    body = await read_json_body(request, bytes_max=EVENT_BYTES_MAX)
    signature = request.headers.get("stripe-signature")
    check_signature(body, signature, secrets, room.now().timestamp())
    event = read_event(body)
    try:
        await add_event(room.pool, event.id, event.type, event.data.object.id, room.now())
    except DATABASE_AWAY as error:
        raise ServiceUnavailable from error
    return Response(status_code=200, headers={"Cache-Control": "no-store"})


def read_event(body: bytes) -> EventRead:
    """Return what is kept of an event. Raises NotAnEvent."""
    try:
        return EventRead.model_validate_json(body)
    except ValidationError:
        raise NotAnEvent(
            "It holds no id, type and object as events do. Send snapshot events to this address, "
            "not thin ones."
        ) from None


def _answers(model: type[object], description: str) -> dict[str, Any]:
    return {"model": model, "description": description}


VERIFICATION_ROUTES: Final = (
    Route(
        "PUT",
        PATH,
        put_verification,
        "Verify a player, or end the verification",
        tag="operator",
        operation_id="set_verification",
        responses={
            200: _answers(Verification, "It applies from here on."),
            **problem_responses(400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 503),
        },
        extra={"requestBody": json_body(VerificationClaim, {"verified": True})},
    ),
)
# Nobody but Stripe has anything to send here, so the interface document leaves it out.
EVENT_ROUTES: Final = (Route("POST", STRIPE_EVENTS_PATH, post_event, "Take an event from Stripe"),)
