"""The addresses of a player's badge and card, which anyone may put on a page of their own.

They are for whoever is shown on pages; everyone else looks the same as someone unknown.
"""

from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.site.previews.badge import drawn_badge
from services.site.previews.painter import typefaces
from services.site.previews.routes import MAX_AGE_S, Painter, card_of
from services.site.reads import Reads
from shared.http.conditional import public_file
from shared.http.player_ids import PlayerIdPath, read_id
from shared.http.routes import Route


async def player_badge(request: Request, reads: Reads, player_id: PlayerIdPath) -> Response:
    """Answer with the badge of a player."""
    profile = await reads.players.profile(read_id(player_id))
    svg = drawn_badge(profile["rating"], profile["band"], typefaces().text)
    return public_file(request, svg.encode(), "image/svg+xml", MAX_AGE_S)


async def player_card(
    request: Request, painter: Painter, reads: Reads, player_id: PlayerIdPath
) -> Response:
    """Answer with the card of a player."""
    who = read_id(player_id)
    card = card_of(who, await reads.players.profile(who))
    return public_file(request, await painter.png(card), "image/png", MAX_AGE_S)


PLAYER_PICTURES: Final = (
    Route("GET", "/players/{player_id}/badge.svg", player_badge, ignores_unknown=True),
    Route("GET", "/players/{player_id}/card.png", player_card, ignores_unknown=True),
)
