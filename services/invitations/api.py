"""The operator's route about addresses that are wrong, under `/v1/admin/wrong-addresses`."""

from dataclasses import dataclass
from typing import Annotated, Final

import asyncpg
from fastapi import Depends, Query
from pydantic import Field
from starlette.responses import Response
from typing_extensions import TypedDict

from services.ingest.record.ids_and_times import timestamp_of
from services.invitations.links import DisownedAddress, list_wrong_addresses
from shared.db.away import DATABASE_AWAY
from shared.errors import ServiceUnavailable
from shared.http.callers import Caller, require
from shared.http.conditional import private_json
from shared.http.responses import problem_responses
from shared.http.routes import Route, handed_in
from shared.json_text import INTEGER_MAX
from shared.limits import SOURCE_CHARACTERS_MAX

WRONG_ADDRESSES_PATH: Final = "/v1/admin/wrong-addresses"
PAGE_ADDRESSES_MAX: Final = 200

Operator = Annotated[Caller, Depends(require("operator"))]


class WrongAddressRow(TypedDict):
    """A player whose address is somebody else's, who said so from the mail that they got there."""

    number: int
    player_id: Annotated[str, Field(description="The player whom the source named by it.")]
    source: Annotated[str, Field(description="Who sent the address.")]
    session_id: Annotated[str, Field(description="The session that the mail was about.")]
    session_date: str
    said_at: str


class WrongAddressList(TypedDict):
    """Wrong addresses, from the oldest invitation on."""

    wrong_addresses: list[WrongAddressRow]
    next_after: Annotated[
        int | None, Field(description="Pass it as `after` for the next page; null at the end.")
    ]


@dataclass(frozen=True, slots=True)
class WrongAddressDesk:
    """What the route needs."""

    pool: asyncpg.Pool


async def get_wrong_addresses(
    _: Operator,
    desk: Annotated[WrongAddressDesk, handed_in(WrongAddressDesk)],
    source: Annotated[
        str | None,
        Query(max_length=SOURCE_CHARACTERS_MAX, description="Only those that it sent."),
    ] = None,
    after: Annotated[
        int, Query(ge=0, le=INTEGER_MAX, description="Only those with a higher number.")
    ] = 0,
    limit: Annotated[
        int, Query(ge=1, le=PAGE_ADDRESSES_MAX, description="How many to return at most.")
    ] = 50,
) -> Response:
    """List the players whose addresses are wrong: whoever reads there said "this is not me"."""
    try:
        async with desk.pool.acquire() as connection:
            found = await list_wrong_addresses(
                connection, source=source, after=after, limit=limit + 1
            )
    except DATABASE_AWAY as error:
        raise ServiceUnavailable from error
    shown = found[:limit]
    answer: WrongAddressList = {
        "wrong_addresses": [_row(each) for each in shown],
        "next_after": shown[-1].number if len(found) > limit else None,
    }
    return private_json(answer)


def _row(wrong: DisownedAddress) -> WrongAddressRow:
    return {
        "number": wrong.number,
        "player_id": wrong.player_id,
        "source": wrong.source,
        "session_id": wrong.session_id,
        "session_date": wrong.session_date.isoformat(),
        "said_at": timestamp_of(wrong.said_at),
    }


WRONG_ADDRESS_ROUTES: Final = (
    Route(
        "GET",
        WRONG_ADDRESSES_PATH,
        get_wrong_addresses,
        "List players whose addresses are wrong",
        tag="operator",
        operation_id="list_wrong_addresses",
        responses={200: {"model": WrongAddressList}, **problem_responses(401, 403, 422, 429, 503)},
    ),
)
