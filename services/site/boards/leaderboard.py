"""The pages of leaderboards: the global one, and one for each region."""

from typing import Annotated, Final, TypeAlias

from fastapi import Depends, Path, Query, Request
from starlette.responses import Response

from services.projections.leaderboards.answers import BoardWithChanges
from services.projections.leaderboards.boards import DAYS_MAX, GAMES_MAX, GAMES_MIN_DEFAULT
from services.site.boards.choices import (
    LEADERBOARD_PATH,
    PAGE_PLAYERS,
    Chosen,
    choices_of,
)
from services.site.boards.places import IN_REGIONS, REGIONS
from services.site.kit.pages import PageHead, Site, SitePages
from services.site.kit.words import _
from services.site.reads import Reads
from shared.http.routes import Route

# As the interface has it: 100 million players.
PAGE_MAX: Final = 2_000_000
NAME_CHARACTERS_MAX: Final = 64


def read_chosen(
    page: Annotated[int, Query(ge=1, le=PAGE_MAX)] = 1,
    min_games: Annotated[int, Query(ge=0, le=GAMES_MAX)] = GAMES_MIN_DEFAULT,
    active_within_days: Annotated[int | None, Query(ge=1, le=DAYS_MAX)] = None,
) -> Chosen:
    """Read which page of a board is asked for, whichever board that is."""
    return Chosen(LEADERBOARD_PATH, page, min_games, active_within_days)


ChosenPage: TypeAlias = Annotated[Chosen, Depends(read_chosen)]
BoardName: TypeAlias = Annotated[str, Path(max_length=NAME_CHARACTERS_MAX)]


async def leaderboard(request: Request, site: Site, reads: Reads, chosen: ChosenPage) -> Response:
    """Show a page of the global leaderboard."""
    answer = await reads.boards.leaderboard(
        limit=PAGE_PLAYERS,
        offset=chosen.offset,
        min_games=chosen.games_min,
        active_within_days=chosen.active_within_days,
    )
    title = _("Leaderboard")
    description = _("The best American Mahjong players, by their rating among Verified players.")
    return _board_page(request, site, chosen, answer, title=title, description=description)


async def region_leaderboard(
    request: Request, site: Site, reads: Reads, chosen: ChosenPage, region: BoardName
) -> Response:
    """Show a page of the leaderboard of a region."""
    chosen = chosen.of_board(f"{LEADERBOARD_PATH}/{region}")
    answer = await reads.boards.leaderboard(
        region=region,
        limit=PAGE_PLAYERS,
        offset=chosen.offset,
        min_games=chosen.games_min,
        active_within_days=chosen.active_within_days,
    )
    title = _("Leaderboard: {}").format(REGIONS[region])
    description = _(
        "The best American Mahjong players {}, by their rating among Verified players."
    ).format(IN_REGIONS[region])
    more = _("Belong to the region: the one you chose, or else that of your first club.")
    return _board_page(
        request, site, chosen, answer, title=title, description=description, more=more
    )


def _board_page(
    request: Request,
    site: SitePages,
    chosen: Chosen,
    answer: BoardWithChanges,
    *,
    title: str,
    description: str,
    more: str = "",
) -> Response:
    """Show a page of a board that can be chosen by region."""
    return site.page(
        request,
        "boards/leaderboard.html",
        board_head(chosen, answer, title, description),
        current="leaderboard",
        title=title,
        description=description,
        **shown_board(chosen, answer, more=more, has_regions=True),
    )


def board_head(chosen: Chosen, answer: BoardWithChanges, title: str, description: str) -> PageHead:
    """Return what a page of a board says about itself.

    Each page is its own to search engines: whoever is on page 2 is not on page 1. A board with
    filters is the same players again, and a page beyond the last has none.
    """
    is_first = chosen.page == 1
    return PageHead(
        title=title if is_first else _("{} (page {})").format(title, chosen.page),
        description=description,
        path=chosen.address,
        preview=f"{chosen.path}/preview.png",
        indexed=not chosen.is_filtered and (is_first or bool(answer["board"]["players"])),
    )


def shown_board(
    chosen: Chosen, answer: BoardWithChanges, *, more: str, has_regions: bool = False
) -> dict[str, object]:
    """Return what the template of a board shows; `more` is what this board asks of players."""
    board = answer["board"]
    has_next = board["next_cursor"] is not None
    return {
        "board": board,
        "total": answer["total"],
        "changes": answer["changes"],
        "days": answer["days"],
        "chosen": chosen,
        "groups": choices_of(chosen, has_regions=has_regions),
        "more": more,
        "games_min": GAMES_MIN_DEFAULT,
        "newer": chosen.on_page(chosen.page - 1).address if chosen.page > 1 else None,
        "older": chosen.on_page(chosen.page + 1).address if has_next else None,
        "first_page": chosen.on_page(1).address,
    }


LEADERBOARD_PAGES: Final = (
    Route("GET", LEADERBOARD_PATH, leaderboard, ignores_unknown=True),
    Route("GET", LEADERBOARD_PATH + "/{region}", region_leaderboard, ignores_unknown=True),
)
