"""Gives back what somebody sent whose login has ended, to be sent again after the next one.

Nothing of it is kept: we do not know who it is.
"""

from collections.abc import Mapping

from fastapi import Request
from starlette.responses import Response

from services.site.kit.pages import PageHead, SitePages
from services.site.kit.words import _


def held_page(
    request: Request, site: SitePages, sent: Mapping[str, str], *, leads_to: str
) -> Response:
    """Answer with what was typed; the login in the other window `leads_to` a page of ours."""
    title = _("You are no longer logged in")
    head = PageHead(title=title, description=title, path="", indexed=False)
    shown = {"action": request.url.path, "sent": sent, "leads_to": leads_to}
    return site.personal("login/held.html", head, status=401, current="me", **shown)
