"""Gives back what somebody sent whose login is not good for it, to be sent after the next one.

Nothing of it is kept: we do not know who it is.
"""

from collections.abc import Mapping

from fastapi import Request
from starlette.responses import Response

from services.accounts.logging_in.logins import LoginNotFresh, NotLoggedIn
from services.site.kit.pages import PageHead, SitePages
from services.site.kit.words import _


def held_page(
    request: Request,
    site: SitePages,
    sent: Mapping[str, str],
    *,
    leads_to: str,
    is_stale: bool = False,
) -> Response:
    """Answer with what was typed; the login in the other window `leads_to` a page of ours.

    `is_stale` says that the login has not ended, but is too old for what was sent.
    """
    title = _("Log in once more for this") if is_stale else _("You are no longer logged in")
    status = LoginNotFresh.status if is_stale else NotLoggedIn.status
    head = PageHead.unlisted(title)
    shown = {"action": request.url.path, "sent": sent, "leads_to": leads_to, "is_stale": is_stale}
    return site.personal("login/held.html", head, status=status, current="me", **shown)
