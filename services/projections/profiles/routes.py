"""The routes for a player's profile."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

import asyncpg
from fastapi import Query, Request
from pydantic import AfterValidator
from pydantic_core import PydanticCustomError, PydanticKnownError
from starlette.responses import Response

from services.projections.answering.correcting import shown_correcting
from services.projections.answering.merged import MERGED_RESPONSE, to_survivor
from services.projections.answering.parameters import MinSeq, Reader
from services.projections.answering.people import NoPublicPlayer
from services.projections.profiles.answers import FoundPlayer, Profile, SearchAnswer
from services.projections.profiles.queries import read_profile
from services.projections.search.queries import find_players
from shared.answers import points
from shared.characters import forbidden_in_label, is_word
from shared.http.conditional import public_json
from shared.http.player_ids import PlayerIdPath, read_id
from shared.http.responses import problem_responses
from shared.http.routes import Route
from shared.rating.bands import band_of

# Long enough to spare a busy page most reads, short enough to see your own game on it.
MAX_AGE_S: Final = 5
FOUND_MAX: Final = 50
# One letter finds half of all players, but a Chinese character may be a whole name.
LETTERS_MIN: Final = 2


def _seen(words: str) -> str:
    if (odd := forbidden_in_label(words)) is not None:
        raise PydanticCustomError(
            "forbidden_character", "A name cannot have {odd}. Type the name again.", {"odd": odd}
        )
    if len(words) < LETTERS_MIN and not is_word(words):
        raise PydanticKnownError("string_too_short", {"min_length": LETTERS_MIN})
    return words


Words = Annotated[
    str,
    Query(
        min_length=1,
        max_length=100,
        description=(
            "The beginning of words of the name, or of the Mahjic ID: two letters or more, "
            "or one Chinese, Japanese or Korean character."
        ),
        examples=["ada"],
    ),
    AfterValidator(_seen),
]
PlayersMax = Annotated[
    int, Query(ge=1, le=FOUND_MAX, description=("How many players to return at most."))
]


async def search_players(
    request: Request, reader: Reader, q: Words, limit: PlayersMax = 20, min_seq: MinSeq = None
) -> Response:
    """Find public players by the beginning of any word in their name, or of their id.

    Case and accents do not matter.
    """
    found = await find_players(reader.since(min_seq), q, limit)
    answer: SearchAnswer = {
        "q": q,
        "seq": found.seq,
        "correcting": shown_correcting(found.correcting),
        "players": [_found(row) for row in found.players],
    }
    return public_json(request, answer, MAX_AGE_S)


async def get_player(
    request: Request, player_id: PlayerIdPath, reader: Reader, min_seq: MinSeq = None
) -> Response:
    """Show a player's current standing.

    A mistyped id gets 422 `mistyped_player_id`. Unknown and private players get the same 404.
    """
    who = read_id(player_id)
    try:
        row = await read_profile(reader.since(min_seq), who)
    except NoPublicPlayer:
        return await to_survivor(request, reader, who)
    return public_json(request, _shown(dict(row)), MAX_AGE_S)


def _found(row: asyncpg.Record) -> FoundPlayer:
    return {
        "player_id": row["player_id"],
        "name": row["name"],
        "rating": points(row["rating_centi"]),
        "band": band_of(row["rating_centi"]).name,
        "games": row["games"],
        "is_verified": row["is_verified"],
    }


def _shown(row: Mapping[str, Any]) -> Profile:
    return {
        "player_id": row["player_id"],
        "name": row["name"],
        "is_verified": row["is_verified"],
        "tier": "verified" if row["is_verified"] else "provisional",
        "rating": points(row["rating_centi"]),
        "band": band_of(row["rating_centi"]).name,
        "games": row["games"],
        "mahjongs": row["mahjongs"],
        "verified_rating": points(row["verified_rating_centi"]),
        "verified_games": row["verified_games"],
        "global_rank": row["global_place"],
        "region": row["region"],
        "sessions": row["sessions"],
        "last_played": row["last_session_date"],
        "seq": row["seq"],
        "fact_seq": row["fact_seq"],
        "correcting": shown_correcting(row["correcting"]),
    }


PROFILE_ROUTES: Final = (
    # Must come before the profile route, which would take `search` for an id.
    Route(
        "GET",
        "/v1/players/search",
        search_players,
        "Search players",
        tag="read",
        responses={200: {"model": SearchAnswer}, **problem_responses(422, 429, 503)},
    ),
    Route(
        "GET",
        "/v1/players/{player_id}",
        get_player,
        "Look up a player",
        tag="read",
        responses={
            200: {"model": Profile},
            **MERGED_RESPONSE,
            **problem_responses(404, 422, 429, 503),
        },
    ),
)
