"""The page of all addresses that a source's events are sent to, with a form for another one."""

from collections.abc import Mapping
from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.accounts.logging_in.logins import LoginNotFresh
from services.notices.webhooks.endpoints import (
    ENDPOINTS_MAX,
    TooManyEndpoints,
    new_endpoint_id,
)
from services.notices.webhooks.urls import URL_CHARACTERS_MAX, UnfitUrl
from services.site.desk.at_desk import AtDesk
from services.site.desk.webhooks.webhook_port import TooOftenWebhooks
from services.site.kit.words import _
from services.site.login.door import lead_to
from shared.http.browser.forms import read_form

WEBHOOKS_TAB: Final = "/webhooks"
DONE: Final[Mapping[str, str]] = {
    "removed": _("Removed. Nothing more is sent there."),
}


async def webhooks_page(request: Request, at: AtDesk) -> Response:
    """Show all addresses, and a form for another one."""
    return await _list(at, done=DONE.get(request.query_params.get("done", ""), ""))


async def add_webhook(request: Request, at: AtDesk) -> Response:
    """Add an address, and lead to its page."""
    form = await read_form(request)
    endpoint_id, typed = form.get("endpoint", ""), form.get("url", "")
    try:
        await at.room.webhooks.add(at.login, at.desk.source, endpoint_id, typed)
    except (LoginNotFresh, TooManyEndpoints, TooOftenWebhooks, UnfitUrl) as mistake:
        shown = typed[: URL_CHARACTERS_MAX + 3]
        return await _list(at, typed=shown, mistake=mistake.detail, status=mistake.status)
    return lead_to(at.path(f"{WEBHOOKS_TAB}/{endpoint_id}?done=added"))


async def _list(
    at: AtDesk, *, done: str = "", typed: str = "", mistake: str = "", status: int = 200
) -> Response:
    endpoints = await at.room.webhooks.listed(at.login, at.desk.source)
    return at.page(
        "desk/webhooks/list.html",
        title=_("Webhooks"),
        tab=WEBHOOKS_TAB,
        status=status,
        endpoints=endpoints,
        has_room=len(endpoints) < ENDPOINTS_MAX,
        endpoints_max=ENDPOINTS_MAX,
        new_endpoint_id=new_endpoint_id(),
        url_characters_max=URL_CHARACTERS_MAX,
        is_fresh=at.is_fresh,
        done=done,
        typed=typed,
        mistake=mistake,
    )
