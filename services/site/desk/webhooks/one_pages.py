"""The page of one address that events are sent to: how it stands, and what was sent there."""

from collections.abc import Mapping
from typing import Final, get_args

from fastapi import Request
from starlette.responses import Response

from services.accounts.logging_in.logins import LoginNotFresh
from services.notices.webhooks.endpoints import SecretsFull, new_endpoint_id
from services.site.desk.at_desk import AtDesk
from services.site.desk.webhooks.list_pages import WEBHOOKS_TAB
from services.site.desk.webhooks.webhook_port import TooOftenWebhooks, WebhookChange
from services.site.desk.webhooks.webhook_words import KIND_WORDS, NOT_SHOWN, came_of_it
from services.site.kit.words import _
from services.site.login.door import lead_to
from shared.errors import MahjicError
from shared.http.browser.forms import read_form
from shared.http.problems import BadRequest

CHANGES: Final[tuple[WebhookChange, ...]] = get_args(WebhookChange)
DONE: Final[Mapping[str, str]] = {
    "added": _("Added. Whatever happens from now on is sent there. Send a test to try it."),
    "on": _("Switched on. What happened meanwhile is sent now."),
    "off": _("Switched off. Nothing is sent there until you switch it on again."),
    "make_secret": _("There is a new secret. Until you stop using the old one, both work."),
    "end_secret": _("The old secret is no longer used."),
    "try": _("Everything that waits is tried again now."),
    "test": _(
        "A test is on its way. Load this page again in a few seconds to see what came of it."
    ),
    "since": _("Everything from that number on is sent again now."),
}
_NUMBER_DIGITS_MAX: Final = 18


async def webhook_page(request: Request, at: AtDesk) -> Response:
    """Show an address, and what was sent there."""
    return await _one(request, at, done=DONE.get(request.query_params.get("done", ""), ""))


async def change_webhook(request: Request, at: AtDesk) -> Response:
    """Switch an address on or off, or change its secret."""
    asked = (await read_form(request)).get("do", "")
    change = next((each for each in CHANGES if each == asked), None)
    if change is None:
        raise BadRequest(_("Load the page again, and press one of its buttons."))
    endpoint_id = request.path_params["endpoint_id"]
    try:
        await at.room.webhooks.change(at.login, at.desk.source, endpoint_id, change)
    except (LoginNotFresh, SecretsFull) as refused:
        return await _one(request, at, refused=refused)
    return _back(request, at, change)


async def try_webhook(request: Request, at: AtDesk) -> Response:
    """Send what waits for an address that failed."""
    await at.room.webhooks.try_now(at.login, at.desk.source, request.path_params["endpoint_id"])
    return _back(request, at, "try")


async def send_test_event(request: Request, at: AtDesk) -> Response:
    """Send a test."""
    form = await read_form(request)
    try:
        await at.room.webhooks.send_test(at.login, at.desk.source, form.get("test", ""))
    except TooOftenWebhooks as refused:
        return await _one(request, at, refused=refused)
    return _back(request, at, "test")


async def send_webhook_since(request: Request, at: AtDesk) -> Response:
    """Send everything from a number on again."""
    typed = (await read_form(request)).get("number", "")
    number = read_number(typed)
    if number is None:
        words = _("Type the number of an event, such as 12.")
        return await _one(request, at, typed=typed[:_NUMBER_DIGITS_MAX], mistake=words)
    endpoint_id = request.path_params["endpoint_id"]
    try:
        await at.room.webhooks.send_since(at.login, at.desk.source, endpoint_id, number)
    except TooOftenWebhooks as refused:
        return await _one(request, at, typed=typed, refused=refused)
    return _back(request, at, "since")


async def remove_webhook_page(request: Request, at: AtDesk) -> Response:
    """Ask whether an address is to be removed."""
    endpoint_id = request.path_params["endpoint_id"]
    found = await at.room.webhooks.one(at.login, at.desk.source, endpoint_id, before=None)
    return at.page(
        "desk/webhooks/remove.html",
        title=_("Remove this address?"),
        tab=WEBHOOKS_TAB,
        here=at.path(f"{WEBHOOKS_TAB}/{endpoint_id}"),
        endpoint=found.endpoint,
        is_fresh=at.is_fresh,
    )


async def remove_webhook(request: Request, at: AtDesk) -> Response:
    """Remove an address."""
    await at.room.webhooks.remove(at.login, at.desk.source, request.path_params["endpoint_id"])
    return lead_to(at.path(f"{WEBHOOKS_TAB}?done=removed"))


def read_number(typed: str) -> int | None:
    """Return the number of an event, None if none was typed."""
    typed = typed.strip()
    is_number = typed.isascii() and typed.isdecimal() and len(typed) <= _NUMBER_DIGITS_MAX
    return int(typed) if is_number else None


def _back(request: Request, at: AtDesk, done: str) -> Response:
    endpoint_id = request.path_params["endpoint_id"]
    return lead_to(at.path(f"{WEBHOOKS_TAB}/{endpoint_id}?done={done}"))


async def _one(
    request: Request,
    at: AtDesk,
    *,
    done: str = "",
    refused: MahjicError | None = None,
    typed: str = "",
    mistake: str = "",
) -> Response:
    endpoint_id = request.path_params["endpoint_id"]
    before = read_number(request.query_params.get("before", ""))
    found = await at.room.webhooks.one(at.login, at.desk.source, endpoint_id, before=before)
    here = at.path(f"{WEBHOOKS_TAB}/{endpoint_id}")
    status = 422 if mistake else 200
    return at.page(
        "desk/webhooks/one.html",
        title=_("Events for one server"),
        tab=WEBHOOKS_TAB,
        status=status if refused is None else refused.status,
        here=here,
        endpoint=found.endpoint,
        deliveries=[(each, came_of_it(each)) for each in found.deliveries],
        older=f"{here}?before={found.deliveries[-1].number}" if found.has_more else "",
        newer=here if before is not None else "",
        kind_words=KIND_WORDS,
        not_shown=NOT_SHOWN,
        new_test_id=new_endpoint_id(),
        is_fresh=at.is_fresh,
        done=done,
        refused="" if refused is None else refused.detail,
        typed=typed,
        mistake=mistake,
    )
