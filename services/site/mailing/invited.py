"""The page behind "this is not me", for whoever got an invitation that is somebody else's.

Opening it changes nothing: mail scanners open every link. Only its button does, which needs no
login: whoever reads mail at an address may say that it is not the player's.
"""

from typing import Annotated, Final

from fastapi import Path
from starlette.responses import Response

from services.invitations.links import InvitationLinks, InvitedReader
from services.site.kit.pages import PageHead, Site, SitePages
from services.site.kit.words import _
from shared.http.routes import Route, handed_in

# The length of our links.
TOKEN_CHARACTERS_MAX: Final = 43
INVITED_PAGE: Final = "/invited/{token}"

Links = Annotated[InvitationLinks, handed_in(InvitationLinks)]
Token = Annotated[str, Path(max_length=TOKEN_CHARACTERS_MAX)]


async def ask_not_me(token: Token, site: Site, links: Links) -> Response:
    """Ask whether the mail was for somebody else, with a button."""
    return _page(site, await links.look(token), is_done=False)


async def not_me(token: Token, site: Site, links: Links) -> Response:
    """End mail to the address, and keep that it is not the player's; again changes nothing."""
    return _page(site, await links.say_not_me(token), is_done=True)


def _page(site: SitePages, reader: InvitedReader, *, is_done: bool) -> Response:
    title = _("Thank you for telling us") if is_done else _("Not you?")
    # Nothing here names the link: whoever has it could end the mail.
    head = PageHead.unlisted(title)
    return site.personal("mailing/invited.html", head, reader=reader, is_done=is_done)


INVITED_PAGES: Final = (
    Route("GET", INVITED_PAGE, ask_not_me, ignores_unknown=True),
    Route("POST", INVITED_PAGE, not_me, ignores_unknown=True),
)
