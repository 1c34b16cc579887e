"""The front page: what Mahjic is, who is on top, what happened lately, and where to begin."""

from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.projections.leaderboards.boards import GAMES_MIN_DEFAULT
from services.site.kit.pages import PageHead, Site
from services.site.kit.words import _
from services.site.reads import Reads
from shared.http.routes import Route

TOP_PLAYERS: Final = 10


async def home(request: Request, site: Site, reads: Reads) -> Response:
    """Show the front page."""
    answer = await reads.boards.leaderboard(limit=TOP_PLAYERS)
    head = PageHead(
        title=_("One rating for every American Mahjong player"),
        description=_(
            "Mahjic is the open rating for American Mahjong: find a player, see the leaderboard, "
            "and look up how every rating came about."
        ),
        path="/",
    )
    return site.page(
        request,
        "boards/home.html",
        head,
        board=answer["board"],
        changes=answer["changes"],
        days=answer["days"],
        games_min=GAMES_MIN_DEFAULT,
        lately=await reads.boards.lately(),
    )


HOME_PAGES: Final = (Route("GET", "/", home, ignores_unknown=True),)
