"""The page of one event that was sent to a server: what was sent, and what the server answered."""

from typing import Final

import orjson
from fastapi import Request
from starlette.responses import Response

from services.notices.webhooks.endpoints import NoSuchDelivery
from services.notices.webhooks.signing import message_id
from services.site.desk.at_desk import AtDesk
from services.site.desk.webhooks.list_pages import WEBHOOKS_TAB
from services.site.desk.webhooks.one_pages import read_number
from services.site.desk.webhooks.webhook_words import (
    KIND_WORDS,
    NOT_SHOWN,
    came_of_it,
    shown_answer,
)
from services.site.kit.words import _
from services.site.login.door import lead_to

AGAIN_DONE: Final = "again"


async def delivery_page(request: Request, at: AtDesk) -> Response:
    """Show an event as it may be shown now, and what came of it."""
    endpoint_id, number = _asked(request)
    found = await at.room.webhooks.delivery(at.login, at.desk.source, endpoint_id, number)
    webhook = at.path(f"{WEBHOOKS_TAB}/{endpoint_id}")
    sent = None
    if found.told is not None:
        sent = orjson.dumps(found.told, option=orjson.OPT_INDENT_2).decode()
    return at.page(
        "desk/webhooks/delivery.html",
        title=_("Event {}").format(number),
        tab=WEBHOOKS_TAB,
        webhook=webhook,
        here=f"{webhook}/events/{number}",
        delivery=found,
        kind=NOT_SHOWN if found.told is None else KIND_WORDS[found.told["type"]],
        came_of_it=came_of_it(found),
        message_id=message_id(endpoint_id, number),
        sent=sent,
        answer="" if found.answer is None else shown_answer(found.answer),
        is_sent_again=request.query_params.get("done", "") == AGAIN_DONE,
    )


async def send_delivery_again(request: Request, at: AtDesk) -> Response:
    """Send an event again."""
    endpoint_id, number = _asked(request)
    await at.room.webhooks.send_again(at.login, at.desk.source, endpoint_id, number)
    return lead_to(at.path(f"{WEBHOOKS_TAB}/{endpoint_id}/events/{number}?done={AGAIN_DONE}"))


def _asked(request: Request) -> tuple[str, int]:
    """Return the address and the number. Raises NoSuchDelivery."""
    number = read_number(request.path_params["number"])
    if number is None:
        raise NoSuchDelivery
    return request.path_params["endpoint_id"], number
