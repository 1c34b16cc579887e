"""Reads whom a page is asked about, and leads on from other spellings and from merged ids."""

from collections.abc import Sequence
from typing import Annotated, Final, TypeAlias

from fastapi import Query
from starlette.responses import RedirectResponse, Response

from services.projections.answering.cursors import CURSOR_CHARACTERS_MAX, CURSOR_PATTERN
from services.site.kit.pages import HTML
from services.site.reads import PlayerReads
from shared.errors import UnknownPlayer

# A merge can be undone, and a player who is public now may be private in a minute.
_ASK_AGAIN: Final = "no-cache"

Cursor: TypeAlias = Annotated[
    str | None, Query(max_length=CURSOR_CHARACTERS_MAX, pattern=CURSOR_PATTERN)
]


def lead_on(path: str, query: str = "") -> Response:
    """Send a reader on to the address that they meant."""
    location = f"{path}?{query}" if query else path
    answer = RedirectResponse(location, status_code=302, headers={"Cache-Control": _ASK_AGAIN})
    # A page like the one that it leads to, so scripts of other sites may not read it either.
    answer.headers["Content-Type"] = HTML
    return answer


async def survivors(
    players: PlayerReads, asked: Sequence[str], unknown: UnknownPlayer
) -> Sequence[str]:
    """Return who is asked about, where ids are merged into others.

    Raises the error again if none of the ids is merged into a public player.
    """
    found = [await players.merged_into(player_id) for player_id in asked]
    if not any(found):
        raise unknown
    return [survivor or player_id for survivor, player_id in zip(found, asked, strict=True)]
