"""The page that tells how to show Mahjic on a page of one's own, with previews and what to copy."""

from typing import Annotated, Final

from fastapi import Query, Request
from starlette.responses import Response

from services.site.embeds.snippets import board_snippet, calculator_snippet, player_snippet
from services.site.kit.pages import PageHead, Site
from services.site.kit.words import _
from services.site.reads import Reads
from shared.http.player_ids import MistypedPlayerId, read_id
from shared.http.routes import Route

EMBED_PATH: Final = "/developers/embed"
_TYPED_CHARACTERS_MAX: Final = 64

Typed = Annotated[str, Query(max_length=_TYPED_CHARACTERS_MAX)]


async def embedding(
    request: Request, site: Site, reads: Reads, source: Typed = "", player: Typed = ""
) -> Response:
    """Show what a page of one's own can show: a board, a player, the calculator."""
    answer = await reads.boards.sources()
    sources = sorted(answer["sources"], key=lambda each: (each["name"].casefold(), each["slug"]))
    chosen = next((each["slug"] for each in sources if each["slug"] == source), None)
    who, mistake = _read_player(player.strip())
    head = PageHead(
        title=_("Mahjic on your own site"),
        description=_("Show your board, your rating or the calculator on a page of your own."),
        path=EMBED_PATH,
        indexed=not (source or player),
    )
    return site.page(
        request,
        "embeds/telling.html",
        head,
        current="developers",
        sources=sources,
        chosen=chosen,
        player=player,
        mistake=mistake,
        snippets=[board_snippet(chosen), player_snippet(who), calculator_snippet()],
    )


def _read_player(typed: str) -> tuple[str | None, str]:
    """Return the Mahjic ID that was typed, if one was, and what is wrong with it."""
    if not typed:
        return None, ""
    try:
        return read_id(typed), ""
    except MistypedPlayerId as mistake:
        return None, mistake.detail


EMBEDDING_PAGES: Final = (Route("GET", EMBED_PATH, embedding, ignores_unknown=True),)
