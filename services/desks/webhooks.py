"""Keeps the promises of WebhooksOfDesk: an owner's acts on addresses, each in one transaction."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from services.accounts.desk_acts import DeskAct, note_desk_act
from services.accounts.logging_in.limits import MailLimit, count_mail
from services.accounts.logging_in.logins import Login, check_fresh
from services.accounts.members.desks import hold_desk
from services.accounts.members.notices import MemberNotices
from services.accounts.ports import Connection
from services.accounts.room import Accounts, Done
from services.notices.webhooks.endpoints import (
    ID_CHARACTERS,
    NoSuchDelivery,
    NoSuchEndpoint,
    WebhookEndpoint,
    add_endpoint,
    begin_secret,
    end_old_secret,
    end_pause,
    hold_endpoint,
    list_endpoints,
    remove_endpoint,
    send_again,
    send_since,
    set_state,
)
from services.notices.webhooks.looking import WebhookDelivery, list_deliveries, one_delivery
from services.notices.webhooks.network import (
    NameNotFound,
    NotPublic,
    Resolve,
    checked_addresses,
    resolve,
)
from services.notices.webhooks.urls import UnfitUrl, WebhookUrl, read_url
from services.site.desk.webhooks.webhook_port import (
    TooOftenWebhooks,
    WebhookAtDesk,
    WebhookChange,
)
from shared.ids import CROCKFORD
from shared.json_text import INTEGER_MAX
from shared.notices.writing import Notice, write_notices

SHOWN: Final = 20
# Whoever adds an address waits for its page.
LOOK_UP_S_MAX: Final = 6.0
# Adding is mailed to all owners; a test goes to all addresses.
AN_HOUR: Final = (MailLimit(10, timedelta(hours=1)),)
_ACTS: Final[Mapping[WebhookChange, str]] = {
    "on": "switch_webhook_on",
    "off": "switch_webhook_off",
    "make_secret": "make_webhook_secret",
    "end_secret": "end_webhook_secret",
}
_ID: Final = re.compile(rf"wh_[{CROCKFORD}]{{{ID_CHARACTERS}}}")


@dataclass(frozen=True, slots=True)
class DeskWebhooks:
    """What owners do with the addresses of their source; `loopback` allows some of this machine."""

    accounts: Accounts
    loopback: bool
    look_up: Resolve = resolve

    async def listed(self, login: Login, source: str) -> Sequence[WebhookEndpoint]:
        """Return all addresses."""
        return await self._as_owner(login, source, lambda c: list_endpoints(c, source))

    async def one(
        self, login: Login, source: str, endpoint_id: str, *, before: int | None
    ) -> WebhookAtDesk:
        """Return an address, with a page of what was sent there."""

        async def read(connection: Connection) -> WebhookAtDesk:
            endpoint = await _find(connection, source, endpoint_id)
            found = await list_deliveries(
                connection,
                source,
                endpoint_id,
                before=INTEGER_MAX if before is None else before,
                limit=SHOWN + 1,
            )
            return WebhookAtDesk(endpoint, found[:SHOWN], len(found) > SHOWN)

        return await self._as_owner(login, source, read)

    async def delivery(
        self, login: Login, source: str, endpoint_id: str, number: int
    ) -> WebhookDelivery:
        """Return one event on its way to an address."""

        async def read(connection: Connection) -> WebhookDelivery:
            await _find(connection, source, endpoint_id)
            found = await one_delivery(connection, source, endpoint_id, number)
            if found is None:
                raise NoSuchDelivery
            return found

        return await self._as_owner(login, source, read)

    async def add(self, login: Login, source: str, endpoint_id: str, typed: str) -> None:
        """Add an address, if its name leads to somewhere on the open internet."""
        check_fresh(self.accounts, login)
        if _ID.fullmatch(endpoint_id) is None:
            raise NoSuchEndpoint
        url = read_url(typed, loopback=self.loopback)
        # Before it is looked up: whoever asks for many names learns which of them there are.
        await self._as_owner(login, source, lambda c: self._count_named(c, source))
        await self._check_public(url)
        now = self.accounts.chance.now()

        async def add(connection: Connection) -> None:
            if not await add_endpoint(connection, source, endpoint_id, str(url), now=now):
                return
            await self._note(connection, login, source, "add_webhook", endpoint_id)
            await MemberNotices.of(self.accounts).tell_of_webhook(connection, source, host=url.host)

        await self._as_owner(login, source, add)

    async def remove(self, login: Login, source: str, endpoint_id: str) -> None:
        """Remove an address."""
        check_fresh(self.accounts, login)

        async def remove(connection: Connection) -> None:
            await remove_endpoint(connection, source, endpoint_id)
            await self._note(connection, login, source, "remove_webhook", endpoint_id)

        await self._as_owner(login, source, remove)

    async def change(
        self, login: Login, source: str, endpoint_id: str, change: WebhookChange
    ) -> None:
        """Switch an address on or off, or change its secret."""
        check_fresh(self.accounts, login)

        async def apply(connection: Connection) -> None:
            endpoint = await hold_endpoint(connection, source, endpoint_id)
            match change:
                case "make_secret":
                    await begin_secret(connection, endpoint)
                case "end_secret":
                    await end_old_secret(connection, endpoint)
                case "on" | "off":
                    now = self.accounts.chance.now()
                    await set_state(connection, endpoint, change, now=now)
            await self._note(connection, login, source, _ACTS[change], endpoint_id)

        await self._as_owner(login, source, apply)

    async def try_now(self, login: Login, source: str, endpoint_id: str) -> None:
        """End the pause of an address; one that is off stays so."""

        async def end(connection: Connection) -> None:
            endpoint = await hold_endpoint(connection, source, endpoint_id)
            if endpoint.state == "on":
                await end_pause(connection, endpoint_id, now=self.accounts.chance.now())

        await self._as_owner(login, source, end)

    async def send_test(self, login: Login, source: str, form_id: str) -> None:
        """Write a test event, which the form causes once."""
        if _ID.fullmatch(form_id) is None:
            raise NoSuchEndpoint
        now = self.accounts.chance.now()

        async def write(connection: Connection) -> None:
            await self._count(
                connection,
                f"webhook tests of {source}",
                "Ten tests were sent in the last hour. Try again in an hour.",
            )
            test = Notice(source, "test", f"test {form_id}", now, {})
            await write_notices(connection, [test])

        await self._as_owner(login, source, write)

    async def send_since(self, login: Login, source: str, endpoint_id: str, number: int) -> None:
        """Send every event from a number on again."""

        async def send(connection: Connection) -> None:
            endpoint = await hold_endpoint(connection, source, endpoint_id)
            await self._count(
                connection,
                f"webhooks again of {source}",
                "That was done ten times in the last hour. Try again in an hour.",
            )
            await send_since(connection, endpoint, number)

        await self._as_owner(login, source, send)

    async def send_again(self, login: Login, source: str, endpoint_id: str, number: int) -> None:
        """Send one event again."""

        async def send(connection: Connection) -> None:
            endpoint = await hold_endpoint(connection, source, endpoint_id)
            await send_again(connection, endpoint, number, now=self.accounts.chance.now())

        await self._as_owner(login, source, send)

    async def _count_named(self, connection: Connection, source: str) -> None:
        await self._count(
            connection,
            f"webhooks of {source}",
            "Ten addresses were tried in the last hour. Try again in an hour.",
        )

    async def _check_public(self, url: WebhookUrl) -> None:
        """Look up a name. Raises UnfitUrl."""
        try:
            async with asyncio.timeout(LOOK_UP_S_MAX):
                await checked_addresses(url.host, loopback=self.loopback, look_up=self.look_up)
        except (NameNotFound, TimeoutError):
            raise UnfitUrl(
                f"There is no server called {url.host}, or its name can’t be looked up right now. "
                "Check the spelling, or try again in a few minutes."
            ) from None
        except NotPublic:
            raise UnfitUrl(
                f"{url.host} leads to a machine or a network that is not on the open internet, so "
                "Mahjic sends nothing there. Give the address of a server that everyone can reach."
            ) from None

    async def _as_owner(
        self, login: Login, source: str, work: Callable[[Connection], Awaitable[Done]]
    ) -> Done:
        async def held(connection: Connection) -> Done:
            await hold_desk(connection, login, source, as_owner=True)
            return await work(connection)

        return await self.accounts.settled(held)

    async def _count(self, connection: Connection, what: str, words: str) -> None:
        counted = self.accounts.counted_as(what)
        now = self.accounts.chance.now()
        if await count_mail(connection, {counted: AN_HOUR}, now) is not None:
            raise TooOftenWebhooks(words)

    async def _note(
        self, connection: Connection, login: Login, source: str, act: str, endpoint_id: str
    ) -> None:
        done = DeskAct(source=source, act=act, by=login.account_id, key_id=endpoint_id)
        await note_desk_act(connection, done, at=self.accounts.chance.now())


async def _find(connection: Connection, source: str, endpoint_id: str) -> WebhookEndpoint:
    """Return an address to look at: nobody waits for that."""
    there = await list_endpoints(connection, source)
    found = next((each for each in there if each.endpoint_id == endpoint_id), None)
    if found is None:
        raise NoSuchEndpoint
    return found
