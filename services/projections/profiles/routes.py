"""The routes for a player's profile."""

from typing import Annotated, Final

from fastapi import Query, Request
from pydantic import AfterValidator
from pydantic_core import PydanticCustomError, PydanticKnownError
from starlette.responses import Response

from services.projections.answering.merged import MERGED_RESPONSE, to_survivor
from services.projections.answering.parameters import MinSeq, Reader
from services.projections.answering.people import NoPublicPlayer
from services.projections.profiles.answers import Profile, SearchAnswer
from services.projections.profiles.reads import answer_profile, answer_search
from services.projections.search.queries import LETTERS_MIN, WORDS_CHARACTERS_MAX
from shared.characters import forbidden_in_label, is_word
from shared.http.conditional import public_json
from shared.http.player_ids import PlayerIdPath, read_id
from shared.http.responses import problem_responses
from shared.http.routes import Route

# Long enough to spare a busy page most reads, short enough to see your own game on it.
MAX_AGE_S: Final = 5
FOUND_MAX: Final = 50


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
        max_length=WORDS_CHARACTERS_MAX,
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
    answer = await answer_search(reader.since(min_seq), q, limit)
    return public_json(request, answer, MAX_AGE_S)


async def get_player(
    request: Request, player_id: PlayerIdPath, reader: Reader, min_seq: MinSeq = None
) -> Response:
    """Show a player's current standing.

    A mistyped id gets 422 `mistyped_player_id`. Unknown and private players get the same 404.
    """
    who = read_id(player_id)
    try:
        answer = await answer_profile(reader.since(min_seq), who)
    except NoPublicPlayer:
        return await to_survivor(request, reader, who)
    return public_json(request, answer, MAX_AGE_S)


PROFILE_ROUTES: Final = (
    # Must come before the profile route, which would take `search` for an id.
    Route(
        "GET",
        "/v1/players/search",
        search_players,
        "Search players",
        tag="read",
        operation_id="search_players",
        responses={200: {"model": SearchAnswer}, **problem_responses(422, 429, 503)},
    ),
    Route(
        "GET",
        "/v1/players/{player_id}",
        get_player,
        "Look up a player",
        tag="read",
        operation_id="get_player",
        responses={
            200: {"model": Profile},
            **MERGED_RESPONSE,
            **problem_responses(404, 422, 429, 503),
        },
    ),
)
