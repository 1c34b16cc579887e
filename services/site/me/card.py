"""The card of the Mahjic ID, to show at a table or to print."""

from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.site.kit.pages import Site
from services.site.kit.words import _
from services.site.me.qr import qr_code
from services.site.me.room import Mine
from shared.http.routes import Route

CARD_PATH: Final = "/me/card"


async def card_page(request: Request, site: Site, mine: Mine) -> Response:
    """Show the card: the Mahjic ID, the name if there is one, and a code that leads to the page."""
    person = await mine.player(request)
    if isinstance(person, Response):
        return person
    address = f"{site.origin.url}/players/{person.player_id}"
    return mine.page(
        site,
        "me/card.html",
        title=_("My card"),
        words=_("Your Mahjic ID, to show at the table."),
        tab=CARD_PATH,
        me=await mine.people.about(person),
        address=address,
        code=qr_code(address),
    )


CARD_PAGES: Final = (Route("GET", CARD_PATH, card_page, ignores_unknown=True),)
