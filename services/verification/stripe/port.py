"""What is asked of Stripe, which takes the payments and checks identities.

1. What is read is as it is now at Stripe, never as an event once told it.
2. Whatever makes something takes a key, and gives the same thing again for the same key, also when
   the first answer was lost. Undoing what is undone already changes nothing.
3. What Stripe does not know, or no longer knows, is None and no error.
4. All of them can raise StripeAway, after which asking again later is safe, and StripeRefused,
   which stays refused until somebody changes something.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal, Protocol, TypeAlias

CheckoutState: TypeAlias = Literal["open", "complete", "expired"]
CheckState: TypeAlias = Literal["requires_input", "processing", "verified", "canceled"]
Dispute: TypeAlias = Literal["none", "open", "lost"]


class StripeAway(Exception):
    """Stripe gave no answer, or none of use: nobody knows whether it did what it was asked."""


class StripeNotYet(StripeAway):
    """Stripe answers, and what it was asked can only be done later."""


class StripeFailed(StripeAway):
    """Stripe failed at it by a fault of its own, and says so again for the same key for a day."""


class StripeRefused(Exception):
    """Stripe understood, and does not do it. `code` is its own word for why."""

    def __init__(self, code: str, request_id: str | None) -> None:
        super().__init__(f"Stripe refused the request: {code} (request {request_id or 'unknown'}).")
        self.code = code


@dataclass(frozen=True, slots=True)
class CheckoutNow:
    """A page of Stripe's on which somebody can pay. One that is not open has no address."""

    session_id: str
    state: CheckoutState
    url: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class SubscriptionNow:
    """A subscription. `renews` while Stripe will ask for the next year's money, or still tries.

    `period_end` runs ahead of the money: what is paid for is what the payments say.
    """

    subscription_id: str
    status: str
    renews: bool
    period_end: datetime


@dataclass(frozen=True, slots=True)
class PaymentNow:
    """A paid invoice of a subscription, and what became of its money since.

    It pays for the time up to `period_end`. `refunded_cents` of `amount_cents` were given back.
    """

    invoice_id: str
    subscription_id: str
    amount_cents: int
    currency: str
    paid_at: datetime
    period_end: datetime
    refunded_cents: int
    dispute: Dispute


@dataclass(frozen=True, slots=True)
class CheckNow:
    """A check of somebody's identity. `key` is that with which it was begun, until it is redacted.

    While it `requires_input` it has an address at which the person goes on, and after a check that
    failed an `error_code` that says why. Once it is verified, `report_id` says where what was read
    from the document is, until `is_redacted`.
    """

    session_id: str
    key: str
    state: CheckState
    url: str | None = field(repr=False)
    error_code: str | None
    report_id: str | None
    is_redacted: bool


@dataclass(frozen=True, slots=True, repr=False)
class DocumentRead:
    """What was read from a document, for as long as it takes to hash it. It is never shown.

    None for what the document does not hold, or has been redacted.
    """

    country: str | None
    document_type: str | None
    number: str | None
    first_name: str | None
    last_name: str | None
    born_on: date | None

    def __repr__(self) -> str:
        return "DocumentRead(...)"


@dataclass(frozen=True, slots=True)
class Whose:
    """By what somebody is found: the customer, or the key with which a check was begun."""

    customer_id: str | None = None
    check_key: str | None = None


class Stripe(Protocol):
    """The promises are numbered above."""

    # What an event was about.

    async def whose(self, object_id: str) -> Whose | None:
        """Return whose a subscription, invoice, charge, dispute, refund, payment or page is.

        The kind is told by the beginning of the id, as in `sub_...`. What is nobody's is None, and
        so is a kind that is never anybody's.
        """
        ...

    # How things stand.

    async def checkout(self, session_id: str) -> CheckoutNow | None: ...

    async def subscriptions(self, customer_id: str) -> Sequence[SubscriptionNow]:
        """Return all subscriptions of a customer, also those that ended."""
        ...

    async def payments(self, customer_id: str) -> Sequence[PaymentNow]:
        """Return all paid invoices of a customer's subscriptions."""
        ...

    async def check(self, session_id: str) -> CheckNow | None: ...

    async def document(self, report_id: str) -> DocumentRead | None:
        """Return what the report of a check says about the document. Needs a restricted key."""
        ...

    # What people ask for, who wait for the answer.

    async def make_customer(self, key: str) -> str:
        """Make a customer without a name or an address, and return the id."""
        ...

    async def open_checkout(
        self, key: str, customer_id: str, *, success_url: str, cancel_url: str
    ) -> CheckoutNow:
        """Open a page on which a customer can pay for a year, and have it renewed."""
        ...

    async def open_portal(self, key: str, customer_id: str, *, return_url: str) -> str:
        """Return the address of a page with receipts, on which a customer can cancel."""
        ...

    async def begin_check(self, key: str, *, return_url: str) -> CheckNow:
        """Begin a check of somebody's document, with a picture of their face."""
        ...

    # What is done in the background.

    async def refund(self, key: str, invoice_id: str) -> None:
        """Give all the money of a paid invoice back."""
        ...

    async def cancel_subscription(self, key: str, subscription_id: str) -> None:
        """End a subscription at once."""
        ...

    async def redact_check(self, key: str, session_id: str) -> None:
        """Have everything erased that a check has seen."""
        ...

    async def delete_customer(self, customer_id: str) -> None:
        """Erase a customer. Subscriptions end with it; payments stay on Stripe's books."""
        ...
