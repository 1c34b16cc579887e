"""The routes for a player's history, the reason for a change, and the formula."""

from typing import Annotated, Final

from fastapi import Depends, Path, Query, Request
from starlette.responses import Response

from services.projections.answering.merged import MERGED_RESPONSE, to_survivor
from services.projections.answering.parameters import Cursor, MinSeq, SessionDate
from services.projections.answering.people import NoPublicPlayer
from services.projections.history.answers import AnyWhy, FormulaAnswer, History
from services.projections.history.reads import (
    CHANGES_DEFAULT,
    Histories,
    HistoryRequest,
    answer_change,
    answer_formula,
    answer_history,
)
from shared.http.conditional import public_json
from shared.http.player_ids import PlayerIdPath, read_id
from shared.http.responses import problem_responses
from shared.http.routes import Route, handed_in

# What a change did never changes, but the privacy of someone in it may.
MAX_AGE_S: Final = 5
FORMULA_MAX_AGE_S: Final = 60
CHANGES_MAX: Final = 200


def history_request(
    first_date: Annotated[
        SessionDate | None,
        Query(
            alias="from",
            description="Sessions on or after this date, and corrections made on or after it.",
        ),
    ] = None,
    last_date: Annotated[
        SessionDate | None,
        Query(
            alias="to",
            description="Sessions on or before this date, and corrections made on or before it.",
        ),
    ] = None,
    cursor: Cursor = None,
    limit: Annotated[
        int, Query(ge=1, le=CHANGES_MAX, description=("How many changes to return at most."))
    ] = CHANGES_DEFAULT,
) -> HistoryRequest:
    """Read which page is asked for."""
    return HistoryRequest(first_date, last_date, cursor, limit)


HistoryPorts = Annotated[Histories, handed_in(Histories)]
ChangeIdPath = Annotated[
    str,
    Path(
        max_length=60,
        description="The `change_id` of the history: player, fact, round; a correction "
        "has no round.",
        examples=["MJ-7K3Q9XZM.7.1"],
    ),
]
RoundsMax = Annotated[
    int,
    Query(ge=1, le=CHANGES_MAX, description=("How many rounds of a correction to return at most.")),
]


async def get_history(
    request: Request,
    player_id: PlayerIdPath,
    asked: Annotated[HistoryRequest, Depends(history_request)],
    histories: HistoryPorts,
    min_seq: MinSeq = None,
) -> Response:
    """List every change in a player's ratings, newest first, in log order.

    Rounds appear as they were rated and published. A later correction is a separate entry, so
    1500.00 plus all changes gives the current rating. The list includes the changes of every id
    that is merged into the player (`played_as`).
    """
    who = read_id(player_id)
    try:
        answer = await answer_history(histories.reader.since(min_seq), who, asked)
    except NoPublicPlayer:
        return await to_survivor(request, histories.reader, who)
    return public_json(request, answer, MAX_AGE_S)


async def get_change(
    request: Request,
    player_id: PlayerIdPath,
    change_id: ChangeIdPath,
    histories: HistoryPorts,
    *,
    cursor: Cursor = None,
    limit: RoundsMax = CHANGES_DEFAULT,
    min_seq: MinSeq = None,
) -> Response:
    """Show the full reason for one change. Its parts add up to the change exactly.

    For a round, the parts are the comparisons with each opponent, in the numbers as published. For
    a correction, they are the player's rounds whose numbers changed. Those are found by replaying
    all facts without the correction and with it. Until that is done, the answer is 503
    `being_computed`.
    """
    who = read_id(player_id)
    try:
        answer = await answer_change(
            histories, who, change_id, cursor=cursor, limit=limit, seq_min=min_seq
        )
    except NoPublicPlayer:
        return await to_survivor(request, histories.reader, who)
    return public_json(request, answer, MAX_AGE_S)


async def get_formula(
    request: Request, histories: HistoryPorts, min_seq: MinSeq = None
) -> Response:
    """Show the name of the formula in force, all its numbers, and the rating bands."""
    answer = await answer_formula(histories.reader.since(min_seq))
    return public_json(request, answer, FORMULA_MAX_AGE_S)


HISTORY_ROUTES: Final = (
    Route(
        "GET",
        "/v1/players/{player_id}/history",
        get_history,
        "A player's history",
        tag="read",
        operation_id="get_history",
        responses={
            200: {"model": History},
            **MERGED_RESPONSE,
            **problem_responses(404, 422, 429, 503),
        },
    ),
    Route(
        "GET",
        "/v1/players/{player_id}/changes/{change_id}",
        get_change,
        "Why a rating changed",
        tag="read",
        operation_id="get_change",
        responses={
            200: {"model": AnyWhy},
            **MERGED_RESPONSE,
            **problem_responses(404, 422, 429, 503),
        },
    ),
    Route(
        "GET",
        "/v1/formula",
        get_formula,
        "The formula in use",
        tag="read",
        operation_id="get_formula",
        responses={200: {"model": FormulaAnswer}, **problem_responses(429, 503)},
    ),
)
