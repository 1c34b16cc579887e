"""The route that looks people up. It is a POST, so that no address appears in a URL or a log."""

from dataclasses import dataclass
from typing import Annotated, Final

import structlog
from fastapi import Depends, Request
from pydantic import Field, TypeAdapter
from starlette.responses import Response

from services.ingest.claim.claims import Claimed
from services.ingest.claim.openapi import json_body
from services.ingest.claim.people import UnreadablePerson
from services.ingest.who.answers import LookUpAnswer
from services.ingest.who.look_up import WhoPorts, look_up
from shared.access.acts import Acts
from shared.db.away import DATABASE_AWAY
from shared.errors import ClaimRefused, Mistake, ServiceUnavailable
from shared.http.bodies import read_strictly
from shared.http.callers import Caller, require
from shared.http.conditional import private_json
from shared.http.responses import problem_responses
from shared.http.routes import Route, handed_in
from shared.ids import MistypedPlayerIdError, read_player_id
from shared.limits import TEXT_CHARACTERS_MAX
from shared.settings import Settings

PATH: Final = "/v1/people/lookup"
# As many as the effect of a change lists for the operator.
IDS_MAX: Final = 100

_log = structlog.get_logger(__name__)


class LookUpClaim(Claimed):
    """Whom to look up: `who`, or `player_ids`."""

    who: str | None = Field(
        default=None,
        min_length=1,
        max_length=TEXT_CHARACTERS_MAX,
        description=(
            "An email address, with or without `PRIVATE:`; `ANON:nickname`; or part of a "
            "name or nickname that you sent."
        ),
    )
    player_ids: list[str] = Field(
        default_factory=list,
        max_length=IDS_MAX,
        description="Or ids, as in answers.",
    )


CLAIM: Final = TypeAdapter(LookUpClaim)


@dataclass(frozen=True, slots=True)
class WhoIntake:
    """What the route that looks people up needs."""

    looking_up: WhoPorts
    settings: Settings


async def post_lookup(
    request: Request,
    caller: Annotated[Caller, Depends(require("source", "operator"))],
    intake: Annotated[WhoIntake, handed_in(WhoIntake)],
    acts: Acts,
) -> Response:
    """Find people by address, nickname, id or part of a name. It registers no one. A source finds
    the people it named itself in a session on record, by the names it used. For everyone else the
    answer is the same, whether or not Mahjic knows them. The operator finds anyone.
    """
    bytes_max = intake.settings.body_bytes_max
    who, player_ids = _asked(await read_strictly(request, CLAIM, bytes_max=bytes_max))
    try:
        answer = await look_up(who, player_ids, source=caller.source, ports=intake.looking_up)
    except UnreadablePerson as error:
        raise ClaimRefused([Mistake("/who", error.code, error.message)]) from None
    except DATABASE_AWAY as error:
        raise ServiceUnavailable from error
    if caller.source is None:
        found = [each["player_id"] for each in answer["people"]]
        await acts.keep(caller, "look_up_players", *found)
        _log.info("operator_looked_up", key_id=caller.key_id, players=found)
    return private_json(answer)


def _asked(claim: LookUpClaim) -> tuple[str | None, list[str]]:
    if (claim.who is None) == (not claim.player_ids):
        message = "Say who to look up: either `who`, or `player_ids`."
        raise ClaimRefused([Mistake("/who", "missing", message)])
    mistakes: list[Mistake] = []
    player_ids: list[str] = []
    for number, text in enumerate(claim.player_ids):
        try:
            player_ids.append(read_player_id(text))
        except MistypedPlayerIdError as error:
            mistakes.append(Mistake(f"/player_ids/{number}", "invalid_value", str(error)))
    if mistakes:
        raise ClaimRefused(mistakes)
    return claim.who, player_ids


WHO_ROUTES: Final = (
    Route(
        "POST",
        PATH,
        post_lookup,
        "Look up people you had in a session",
        tag="submit",
        operation_id="look_up_people",
        responses={
            200: {"model": LookUpAnswer},
            **problem_responses(400, 401, 403, 408, 413, 415, 422, 429, 503),
        },
        extra={"requestBody": json_body(LookUpClaim, {"who": "alice@example.com"})},
    ),
)
