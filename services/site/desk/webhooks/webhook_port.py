"""What the pages of webhooks ask for; the wiring hands in what keeps these promises.

All of it is for owners of the source alone: everything here raises UnknownDesk or OwnersOnly.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from services.accounts.logging_in.logins import Login
from services.notices.webhooks.endpoints import WebhookEndpoint
from services.notices.webhooks.looking import WebhookDelivery
from shared.errors import MahjicError

# What owners do to an address with one press.
WebhookChange: TypeAlias = Literal["on", "off", "make_secret", "end_secret"]


class TooOftenWebhooks(MahjicError):
    """Addresses were tried, tests sent, or all sent again more often than an hour has room for."""

    code = "too_often_webhooks"
    title = "That was often enough for now"
    status = 429


@dataclass(frozen=True, slots=True)
class WebhookAtDesk:
    """An address with a page of what was or is to be sent there, the newest first."""

    endpoint: WebhookEndpoint
    deliveries: Sequence[WebhookDelivery]
    has_more: bool


class WebhooksOfDesk(Protocol):
    """The addresses that a source names for its events, and what is sent there."""

    async def listed(self, login: Login, source: str) -> Sequence[WebhookEndpoint]:
        """Return all addresses of a source, the oldest first."""
        ...

    async def one(
        self, login: Login, source: str, endpoint_id: str, *, before: int | None
    ) -> WebhookAtDesk:
        """Return an address, with what was sent there below a number. Raises NoSuchEndpoint."""
        ...

    async def delivery(
        self, login: Login, source: str, endpoint_id: str, number: int
    ) -> WebhookDelivery:
        """Return one event on its way to an address. Raises NoSuchEndpoint or NoSuchDelivery."""
        ...

    async def add(self, login: Login, source: str, endpoint_id: str, typed: str) -> None:
        """Add an address under the id that its form carries, once.

        Raises LoginNotFresh, UnfitUrl, TooManyEndpoints, TooOftenWebhooks or NoSuchEndpoint.
        """
        ...

    async def remove(self, login: Login, source: str, endpoint_id: str) -> None:
        """Remove an address, and what was sent there. Raises LoginNotFresh or NoSuchEndpoint."""
        ...

    async def change(
        self, login: Login, source: str, endpoint_id: str, change: WebhookChange
    ) -> None:
        """Change how an address is sent to. Raises LoginNotFresh, NoSuchEndpoint or SecretsFull."""
        ...

    async def try_now(self, login: Login, source: str, endpoint_id: str) -> None:
        """End the pause of an address that failed. Raises NoSuchEndpoint."""
        ...

    async def send_test(self, login: Login, source: str, form_id: str) -> None:
        """Send a test to all addresses of a source, once for each form. Raises TooOftenWebhooks."""
        ...

    async def send_since(self, login: Login, source: str, endpoint_id: str, number: int) -> None:
        """Send every event from a number on again.

        Raises NoSuchEndpoint or TooOftenWebhooks.
        """
        ...

    async def send_again(self, login: Login, source: str, endpoint_id: str, number: int) -> None:
        """Send one event again. Raises NoSuchEndpoint or NoSuchDelivery."""
        ...
