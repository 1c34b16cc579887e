"""One's own rating with its chart, every change and its reason: also of somebody who is private."""

from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.site.boards.places import REGIONS
from services.site.kit.pages import Site
from services.site.kit.words import _
from services.site.me.room import Mine
from services.site.players.asked import Cursor
from services.site.players.corrected import CHANGED_ROUNDS_PAGE
from services.site.players.profile import above_sessions, chart_shown, sessions_shown
from services.site.players.whereabouts import OWN_PATHS
from services.site.players.why import ChangePath, told_reason
from shared.http.routes import Route

HISTORY_PATH: Final = OWN_PATHS.sessions


async def history_page(request: Request, site: Site, mine: Mine, cursor: Cursor = None) -> Response:
    """Show one's own ratings and sessions; with a cursor, only a page of older sessions."""
    person = await mine.player(request)
    if isinstance(person, Response):
        return person
    who = person.player_id
    reads = mine.reads.of(who)
    profile = await reads.profile(who)
    sessions = await reads.sessions(who, cursor=cursor)
    above = None if cursor else await above_sessions(reads, who)
    return mine.page(
        site,
        "players/older.html" if cursor else "me/history.html",
        title=_("My results"),
        words=_("How your rating went, and why."),
        tab=HISTORY_PATH,
        status=200,
        paths=OWN_PATHS,
        player=profile,
        regions=REGIONS,
        **sessions_shown(sessions, above),
    )


async def own_chart_page(request: Request, site: Site, mine: Mine) -> Response:
    """Show how one's own ratings went, every one of them as a row of a table."""
    person = await mine.player(request)
    if isinstance(person, Response):
        return person
    who = person.player_id
    reads = mine.reads.of(who)
    profile = await reads.profile(who)
    return mine.page(
        site,
        "players/chart.html",
        title=_("How my rating went"),
        words=_("Every one of your ratings."),
        tab=HISTORY_PATH,
        status=200,
        paths=OWN_PATHS,
        player=profile,
        **chart_shown(await reads.chart(who)),
    )


async def own_why_page(
    request: Request, site: Site, mine: Mine, change_id: ChangePath, cursor: Cursor = None
) -> Response:
    """Show why one's own rating changed, to the last digit."""
    person = await mine.player(request)
    if isinstance(person, Response):
        return person
    who = person.player_id
    reads = mine.reads.of(who)
    profile = await reads.profile(who)
    reason = await reads.change(who, change_id, cursor=cursor, limit=CHANGED_ROUNDS_PAGE)
    told = told_reason(profile["name"], reason, is_first=cursor is None)
    return mine.page(
        site,
        told.template,
        title=told.title,
        words=_("The full sum behind one change of your rating."),
        tab=HISTORY_PATH,
        status=200,
        paths=OWN_PATHS,
        **told.shown,
    )


HISTORY_PAGES: Final = (
    Route("GET", HISTORY_PATH, history_page, ignores_unknown=True),
    Route("GET", OWN_PATHS.chart, own_chart_page, ignores_unknown=True),
    Route("GET", OWN_PATHS.changes + "{change_id}", own_why_page, ignores_unknown=True),
)
