"""The page that ends mail to an address, for people; and the one click of mail programs.

Opening it changes nothing: mail scanners open every link. Its button, or what a mail program sends
by itself (RFC 8058), ends the mail; neither needs a login, a cookie or the same site.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import Path, Request
from starlette.responses import Response

from services.site.kit.pages import PageHead, Site
from services.site.kit.words import _
from shared.http.routes import Route, handed_in

# The length of our links.
TOKEN_CHARACTERS_MAX: Final = 64
NO_MORE_PAGE: Final = "/mail/no-more/{token}"


@dataclass(frozen=True, slots=True)
class MailEnding:
    """Reads the links in our mails; both raise NotFound if we did not make one."""

    check: Callable[[str], None]
    end: Callable[[str], Awaitable[None]]


Ending = Annotated[MailEnding, handed_in(MailEnding)]
Token = Annotated[str, Path(max_length=TOKEN_CHARACTERS_MAX)]


async def ask_no_more(request: Request, token: Token, site: Site, ending: Ending) -> Response:
    """Ask whether mail is to end, with a button."""
    ending.check(token)
    return _page(request, site, is_done=False)


async def no_more(request: Request, token: Token, site: Site, ending: Ending) -> Response:
    """End mail to the address that the link is about; again changes nothing."""
    await ending.end(token)
    return _page(request, site, is_done=True)


def _page(request: Request, site: Site, *, is_done: bool) -> Response:
    title = _("No more mail from us") if is_done else _("No more mail?")
    # Nothing here names the link: whoever has it could end the mail.
    head = PageHead.unlisted(title)
    return site.page(request, "mailing/no_more.html", head, is_done=is_done)


MAILING_PAGES: Final = (
    Route("GET", NO_MORE_PAGE, ask_no_more, ignores_unknown=True),
    Route("POST", NO_MORE_PAGE, no_more, ignores_unknown=True),
)
