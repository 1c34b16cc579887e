"""The page of a player: who it is, both ratings, the record, whom they met, and every session."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.projections.charts.answers import RatingChart
from services.projections.history.session_answers import SessionHistory
from services.projections.leaderboards.boards import GAMES_MIN_DEFAULT
from services.projections.profiles.answers import Profile
from services.projections.together.answers import HeadToHead
from services.site.boards.choices import path_of_place
from services.site.boards.places import REGIONS
from services.site.charts.points import ChartLine
from services.site.kit.pages import PageHead, Site
from services.site.kit.words import BANDS, _, shown_number, shown_rating
from services.site.players.asked import Cursor, lead_on, survivors
from services.site.players.charted import figure_of, fits_beside, pool_lines, table_of
from services.site.players.told import (
    correction_title,
    correction_words,
    game_type_words,
    isolated,
)
from services.site.players.whereabouts import public_paths
from services.site.reads import RatingReads, Reads
from shared.errors import UnknownPlayer
from shared.http.player_ids import PlayerIdPath, read_id

# A session can have a hundred rounds. Those of a page that come after so many are told by a link
# to the reason and what they gave, so that the page stays small.
ROUNDS_TOLD_MAX: Final = 120


@dataclass(frozen=True, slots=True)
class AboveSessions:
    """What stands on a player's page above the sessions; a long table has a page of its own."""

    chart: RatingChart
    lines: Sequence[ChartLine]
    has_table: bool
    met: HeadToHead


async def player_page(
    request: Request, site: Site, reads: Reads, player_id: PlayerIdPath, cursor: Cursor = None
) -> Response:
    """Show a player; with a cursor, only a page of older sessions."""
    who = read_id(player_id)
    if who != player_id:
        return lead_on(f"/players/{who}", request.url.query)
    players = reads.players
    try:
        profile = await players.profile(who)
        sessions = await players.sessions(who, cursor=cursor)
        above = None if cursor else await above_sessions(players, who)
    except UnknownPlayer as unknown:
        (survivor,) = await survivors(players, [who], unknown)
        return lead_on(f"/players/{survivor}")
    return site.page(
        request,
        "players/older.html" if cursor else "players/player.html",
        _head(profile),
        current="",
        paths=public_paths(who),
        player=profile,
        verified_games_min=GAMES_MIN_DEFAULT,
        path_of_place=path_of_place,
        regions=REGIONS,
        **sessions_shown(sessions, above),
    )


async def chart_page(
    request: Request, site: Site, reads: Reads, player_id: PlayerIdPath
) -> Response:
    """Show how a player's ratings went, every one of them as a row of a table."""
    who = read_id(player_id)
    if who != player_id:
        return lead_on(f"/players/{who}/chart", request.url.query)
    try:
        profile = await reads.players.profile(who)
        chart = await reads.players.chart(who)
    except UnknownPlayer as unknown:
        (survivor,) = await survivors(reads.players, [who], unknown)
        return lead_on(f"/players/{survivor}/chart")
    head = replace(
        _head(profile),
        title=_("How the rating of {} went").format(isolated(profile["name"])),
        path=f"/players/{who}/chart",
    )
    return site.page(
        request,
        "players/chart.html",
        head,
        current="",
        paths=public_paths(who),
        player=profile,
        **chart_shown(chart),
    )


async def above_sessions(players: RatingReads, who: str) -> AboveSessions:
    """Return what stands above the sessions of a player."""
    chart = await players.chart(who)
    lines = pool_lines(chart)
    return AboveSessions(chart, lines, fits_beside(lines), await players.head_to_head(who))


def sessions_shown(sessions: SessionHistory, above: AboveSessions | None) -> dict[str, object]:
    """Return what a page with the sessions of a player is made of."""
    return {
        "sessions": sessions,
        "above": above,
        "rounds_told_max": ROUNDS_TOLD_MAX,
        "game_type_words": game_type_words,
        "correction_title": correction_title,
        "correction_words": correction_words,
        "figure_of": figure_of,
        "table_of": table_of,
    }


def chart_shown(chart: RatingChart) -> dict[str, object]:
    """Return what a page with a chart and its table is made of."""
    return {
        "chart": chart,
        "lines": pool_lines(chart),
        "figure_of": figure_of,
        "table_of": table_of,
    }


def _head(profile: Profile) -> PageHead:
    who, name = profile["player_id"], profile["name"]
    games = shown_number(profile["games"])
    return PageHead(
        title=isolated(name),
        description=_("{}: rating {} ({}) after {} rated games of American Mahjong.").format(
            isolated(name), shown_rating(profile["rating"]), BANDS[profile["band"]], games
        ),
        path=f"/players/{who}",
        preview=f"/players/{who}/preview.png",
        indexed=name != who,
    )
