"""The pages of those who submit: all of them, and one with its board."""

from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.projections.sources.answers import SourceSince
from services.site.boards.choices import PAGE_PLAYERS
from services.site.boards.leaderboard import BoardName, ChosenPage, board_head, shown_board
from services.site.boards.places import IN_REGIONS, ONE_OF_SOURCE_TYPES, REGIONS, SOURCE_TYPES
from services.site.kit.pages import PageHead, Site
from services.site.kit.words import _, shown_day
from services.site.reads import Reads
from shared.http.routes import Route

SOURCES_PATH: Final = "/sources"


async def sources(request: Request, site: Site, reads: Reads) -> Response:
    """Show who submits, where, how much, and since when."""
    answer = await reads.boards.sources()
    title = _("Clubs, leagues and platforms")
    description = _("Who sends results to Mahjic, where they play, how much, and since when.")
    return site.page(
        request,
        "boards/sources.html",
        PageHead(title=title, description=description, path=SOURCES_PATH),
        current="sources",
        title=title,
        description=description,
        correction=answer["correcting"],
        sources=sorted(answer["sources"], key=lambda each: (each["name"].casefold(), each["slug"])),
        regions=REGIONS,
        types=SOURCE_TYPES,
    )


async def source(
    request: Request, site: Site, reads: Reads, chosen: ChosenPage, slug: BoardName
) -> Response:
    """Show one source and a page of its board."""
    told = await reads.boards.source(slug)
    chosen = chosen.of_board(f"{SOURCES_PATH}/{slug}")
    answer = await reads.boards.leaderboard(
        source=slug,
        limit=PAGE_PLAYERS,
        offset=chosen.offset,
        min_games=chosen.games_min,
        active_within_days=chosen.active_within_days,
    )
    words = _words(told)
    description = _("{name}: {words} Its sessions, and its leaderboard.").format(
        name=told["name"], words=words
    )
    return site.page(
        request,
        "boards/source.html",
        board_head(chosen, answer, told["name"], description),
        current="sources",
        source=told,
        words=words,
        **shown_board(chosen, answer, more=_("Play here at least once.")),
    )


def _words(told: SourceSince) -> str:
    """Say what a source is, where, and since when."""
    words = ONE_OF_SOURCE_TYPES[told["type"]]
    if told["region"] is not None:
        words = f"{words} {IN_REGIONS[told['region']]}"
    if told["first_session"] is None:
        return _("{}. It has not sent a session yet.").format(words)
    return _("{}. The first session here was on {}.").format(
        words, shown_day(told["first_session"])
    )


SOURCE_PAGES: Final = (
    Route("GET", SOURCES_PATH, sources, ignores_unknown=True),
    Route("GET", SOURCES_PATH + "/{slug}", source, ignores_unknown=True),
)
