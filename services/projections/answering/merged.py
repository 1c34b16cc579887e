"""Redirects requests for a merged id to the same page of the player it is merged into."""

from typing import Any, Final
from urllib.parse import quote

from fastapi import Request
from starlette.responses import Response

from services.projections.answering.people import NoPublicPlayer
from services.projections.answering.reading import ViewReader

# A merge can be undone, so the redirect may not be kept for good, which 308 alone would allow.
MAX_AGE_S: Final = 5
PLAYERS_PATH: Final = "/v1/players/"
# This way no one learns that a hidden player is the same person as one they knew.
READ_SURVIVOR: Final = """
SELECT public.player_id FROM mahjic.public_players AS public
WHERE public.player_id = mahjic.survivor($1) AND public.player_id <> $1
"""
MERGED_RESPONSE: Final[dict[int | str, dict[str, Any]]] = {
    308: {
        "description": "The id was merged into another; this is the same page of that player.",
        "headers": {
            "Location": {
                "description": "The same address with the id of the player it is merged into.",
                "schema": {"type": "string"},
            }
        },
    }
}


async def to_survivor(request: Request, reader: ViewReader, player_id: str) -> Response:
    """Redirect a request for an id that is not public to the player that it is merged into.

    Raises NoPublicPlayer if it is not merged, or is merged into someone who is not public.
    """
    survivor = await read_survivor(reader, player_id)
    if survivor is None:
        raise NoPublicPlayer
    _, slash, rest = request.url.path.removeprefix(PLAYERS_PATH).partition("/")
    query = f"?{request.url.query}" if request.url.query else ""
    location = f"{PLAYERS_PATH}{survivor}{slash}{quote(rest)}{query}"
    headers = {"Location": location, "Cache-Control": f"public, max-age={MAX_AGE_S}"}
    return Response(status_code=308, headers=headers)


async def read_survivor(reader: ViewReader, player_id: str) -> str | None:
    """Return the public player that an id is merged into, or None if there is none."""
    rows = await reader.fetch_plain(READ_SURVIVOR, player_id)
    return rows[0]["player_id"] if rows else None
