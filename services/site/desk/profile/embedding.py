"""The page that shows a club how its board looks on its own site, and what to copy for that."""

from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.site.desk.at_desk import AtDesk
from services.site.embeds.snippets import board_snippet
from services.site.kit.words import _

EMBEDDING_TAB: Final = "/embed"


async def embedding_page(_request: Request, at: AtDesk) -> Response:
    """Show the board as a page of the club would, with the lines to copy."""
    return at.page(
        "desk/profile/embedding.html",
        title=_("Your board on your own site"),
        tab=EMBEDDING_TAB,
        snippet=board_snippet(at.desk.source),
    )
