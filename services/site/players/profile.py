"""The page of a player: who it is, both ratings, the record, whom they met, and every session."""

from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.projections.leaderboards.boards import GAMES_MIN_DEFAULT
from services.projections.profiles.answers import Profile
from services.site.kit.pages import PageHead, Site
from services.site.kit.words import _, shown_number, shown_rating
from services.site.players.asked import Cursor, Reads, lead_on, survivors
from services.site.players.told import (
    correction_title,
    correction_words,
    game_type_words,
    isolated,
)
from shared.errors import UnknownPlayer
from shared.http.player_ids import PlayerIdPath, read_id

# A session can have a hundred rounds. Those of a page that come after so many are told by a link
# to the reason and what they gave, so that the page stays small.
ROUNDS_TOLD_MAX: Final = 120


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
        met = None if cursor else await players.head_to_head(who)
    except UnknownPlayer as unknown:
        (survivor,) = await survivors(players, [who], unknown)
        return lead_on(f"/players/{survivor}")
    return site.page(
        request,
        "players/older.html" if cursor else "players/player.html",
        _head(profile),
        player=profile,
        sessions=sessions,
        met=met,
        rounds_told_max=ROUNDS_TOLD_MAX,
        verified_games_min=GAMES_MIN_DEFAULT,
        game_type_words=game_type_words,
        correction_title=correction_title,
        correction_words=correction_words,
    )


def _head(profile: Profile) -> PageHead:
    who, name = profile["player_id"], profile["name"]
    games = shown_number(profile["games"])
    return PageHead(
        title=isolated(name),
        description=_("{}: rating {} ({}) after {} rated games of American Mahjong.").format(
            isolated(name), shown_rating(profile["rating"]), profile["band"], games
        ),
        path=f"/players/{who}",
        preview=f"/players/{who}/preview.png",
        indexed=name != who,
    )
