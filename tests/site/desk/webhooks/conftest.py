"""A club whose owner names servers, on this machine, and the sending, driven by hand."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from services.notices.webhooks.endpoints import new_endpoint_id
from tests.conftest import Database
from tests.notices.town import NoticeTown
from tests.notices.webhooks.club import WebhookTown
from tests.notices.webhooks.receiver import Receiver, a_receiver
from tests.site.desk.conftest import CLUB, OWNER, Desks, some_desks
from tests.site.me.conftest import Member

WEBHOOKS = f"/desk/{CLUB}/webhooks"


@dataclass
class WebhookDesk:
    """The desk of a club that names servers, its owner's browser, and a server."""

    desks: Desks
    owner: Member
    receiver: Receiver
    hooked: WebhookTown

    async def add(self, path: str = "/") -> str:
        """Add an address of the server, and return its page."""
        endpoint_id = new_endpoint_id()
        form = {"endpoint": endpoint_id, "url": self.receiver.url(path)}
        answer = await self.owner.send(WEBHOOKS, form)
        here = f"{WEBHOOKS}/{endpoint_id}"
        assert (answer.status_code, answer.headers.get("location")) == (303, f"{here}?done=added")
        return here

    async def press(self, path: str, **form: str) -> None:
        """Press a button, which leads on."""
        answer = await self.owner.send(path, form)
        assert answer.status_code == 303, answer.text

    async def test(self, here: str) -> None:
        """Press the button that sends a test."""
        page = await self.owner.page(here)
        form = page.main.one("form", action=f"{here}/test")
        await self.press(f"{here}/test", test=form.one("input").attributes["value"])

    async def night(self, on: str = "2026-01-31") -> None:
        """Have a night rated."""
        await self.desks.town.play({"ann@example.com": 1, "ben@example.com": 0}, on=on)


@pytest.fixture
async def desk(database: Database) -> AsyncIterator[WebhookDesk]:
    """Return the desk, where servers of this machine may be named."""
    async with some_desks(database, webhooks_loopback=True) as desks, a_receiver() as receiver:
        hooked = WebhookTown(
            NoticeTown(desks.town.running, await desks.town.running.operator_key())
        )
        yield WebhookDesk(desks, await desks.browser_of(OWNER), receiver, hooked)
        await hooked.room.post.close()
