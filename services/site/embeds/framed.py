"""The pages that other sites show in a frame: a board, a player, the calculator.

They are made by the server and need no script, set no cookie and know nobody. Their links open in a
page of their own, as no other page may be framed.
"""

from dataclasses import dataclass
from typing import Annotated, Final, Literal, TypeAlias

from fastapi import Depends, Query, Request
from starlette.responses import Response

from services.site.boards.leaderboard import BoardName
from services.site.embeds.made_up import KINDS_OF_GAME, read_round
from services.site.embeds.snippets import ROWS_DEFAULT
from services.site.kit import figures
from services.site.kit.pages import PageHead, Site, SitePages
from services.site.kit.words import _
from services.site.players.asked import lead_on, survivors
from services.site.reads import Reads
from shared.errors import UnknownPlayer
from shared.http.layers.paths import FRAMED_PATH
from shared.http.player_ids import PlayerIdPath, read_id
from shared.http.routes import Route
from shared.rating.registry import formula_named

ROWS_MAX: Final = 50

# Without a word, a page is light or dark as its reader likes.
Theme: TypeAlias = Literal["light", "dark"] | None


@dataclass(frozen=True, slots=True)
class FramedLook:
    """How a board is to look."""

    rows: int
    theme: Theme


def read_look(
    limit: Annotated[int, Query(ge=1, le=ROWS_MAX)] = ROWS_DEFAULT, theme: Theme = None
) -> FramedLook:
    """Read how a board is to look, whichever it is."""
    return FramedLook(limit, theme)


BoardLook: TypeAlias = Annotated[FramedLook, Depends(read_look)]


async def framed_leaderboard(
    request: Request, site: Site, reads: Reads, look: BoardLook
) -> Response:
    """Show the first players of the global leaderboard."""
    answer = await reads.boards.leaderboard(limit=look.rows)
    shown = {"board": answer, "whole": "/leaderboard"}
    return _framed(request, site, "embeds/board.html", _("Mahjic leaderboard"), look.theme, **shown)


async def framed_board(
    request: Request, site: Site, reads: Reads, slug: BoardName, look: BoardLook
) -> Response:
    """Show the first players of the board of a source."""
    told = await reads.boards.source(slug)
    answer = await reads.boards.leaderboard(source=slug, limit=look.rows)
    shown = {"board": answer, "whole": f"/sources/{slug}"}
    return _framed(request, site, "embeds/board.html", told["name"], look.theme, **shown)


async def framed_player(
    request: Request, site: Site, reads: Reads, player_id: PlayerIdPath, theme: Theme = None
) -> Response:
    """Show where a player stands; an id that is merged leads to the one that it belongs to now."""
    who = read_id(player_id)
    try:
        profile = await reads.players.profile(who)
    except UnknownPlayer as unknown:
        (survivor,) = await survivors(reads.players, [who], unknown)
        return lead_on(f"{FRAMED_PATH}player/{survivor}", request.url.query)
    return _framed(request, site, "embeds/player.html", profile["name"], theme, player=profile)


async def framed_calculator(
    request: Request, site: Site, reads: Reads, theme: Theme = None
) -> Response:
    """Show a round that somebody makes up, and what it does to each rating."""
    answer = await reads.formula.formula()
    made_up = read_round(request.query_params)
    return _framed(
        request,
        site,
        "embeds/calculator.html",
        _("Rating calculator"),
        theme,
        made_up=made_up,
        moves=made_up.moves(formula_named(answer["name"])),
        kinds=KINDS_OF_GAME,
        f=figures,
    )


def _framed(
    request: Request, site: SitePages, template: str, title: str, theme: Theme, **shown: object
) -> Response:
    head = PageHead.unlisted(title)
    return site.page(request, template, head, current="", theme=theme or "", **shown)


FRAMED_PAGES: Final = (
    Route("GET", "/embed/leaderboard", framed_leaderboard, ignores_unknown=True),
    Route("GET", "/embed/leaderboard/{slug}", framed_board, ignores_unknown=True),
    Route("GET", "/embed/player/{player_id}", framed_player, ignores_unknown=True),
    Route("GET", "/embed/calculator", framed_calculator, ignores_unknown=True),
)
