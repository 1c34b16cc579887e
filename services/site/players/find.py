"""The page that finds a player: by the beginning of names, or by Mahjic ID."""

from dataclasses import dataclass
from typing import Annotated, Final, TypeAlias

from fastapi import Query, Request
from starlette.responses import Response

from services.projections.profiles.answers import FindAnswer
from services.site.kit.pages import PageHead, Site
from services.site.kit.words import _
from services.site.players.asked import lead_on
from services.site.reads import PlayerReads, Reads
from shared.errors import InvalidParameter, MahjicError
from shared.ids import MistypedPlayerIdError, read_player_id

# As many as fit on a page that people read. More letters find fewer.
FOUND_MAX: Final = 20
# What is longer than the field takes is told at the field.
WORDS_CHARACTERS_MAX: Final = 64
# An error of the search itself, in the words of a page.
_TOO_MANY: Final = "search_takes_too_long"

Typed: TypeAlias = Annotated[str, Query()]
# Told by the script, which lists what it finds and never leaves the page on its own.
AsList: TypeAlias = Annotated[str, Query(alias="as")]


@dataclass(frozen=True, slots=True)
class Search:
    """What was typed, what that found, and what was wrong with it; without words, nothing yet."""

    q: str
    found: FindAnswer | None = None
    mistake: str = ""


async def find_page(
    request: Request, site: Site, reads: Reads, q: Typed = "", as_: AsList = ""
) -> Response:
    """Show whom a search finds. A whole Mahjic ID leads straight to its player."""
    search = await searched(reads.players, q)
    if as_ != "list" and (player_id := whole_id(search)):
        return lead_on(f"/players/{player_id}")
    title = _("Players found for “{}”").format(search.q) if search.q else _("Find a player")
    head = PageHead(
        title=title,
        description=_("Find a player of American Mahjong by name or by Mahjic ID."),
        path="/find",
        indexed=not search.q,
    )
    return site.page(
        request, "players/find.html", head, current="find", search=search, found_max=FOUND_MAX
    )


async def searched(players: PlayerReads, typed: str) -> Search:
    """Return what a search finds, or what is wrong with its words."""
    words = " ".join(typed.split())
    if not words:
        return Search("")
    if len(words) > WORDS_CHARACTERS_MAX:
        return Search(
            words[:WORDS_CHARACTERS_MAX],
            mistake=_(
                "That is too long for a name. Type only a part of it, {} letters or fewer."
            ).format(WORDS_CHARACTERS_MAX),
        )
    try:
        found = await players.find(words, limit=FOUND_MAX)
    except InvalidParameter as refused:
        return Search(words, mistake=_refused(refused))
    except MahjicError as error:
        if error.told_code != _TOO_MANY:
            raise
        return Search(words, mistake=_("Too many players match. Type more letters of the name."))
    return Search(words, found, mistake=found["mistyped"] or "")


def whole_id(search: Search) -> str | None:
    """Return the player that was found by a whole Mahjic ID, None if a search was for words."""
    try:
        read_player_id(search.q)
    except MistypedPlayerIdError:
        return None
    # Someone who is merged into another is found as that player.
    found = search.found["players"] if search.found else []
    return found[0]["player_id"] if len(found) == 1 else None


def _refused(error: InvalidParameter) -> str:
    return " ".join(each["message"] for each in error.extra["errors"])
