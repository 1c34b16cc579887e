"""An account at Stripe: what can be asked of it, and what it then holds and tells.

No network, no clock of its own, nothing random. What people and cards do to it is in `people`.
"""

import itertools
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, Literal, TypeAlias, TypeVar, cast

from tests.verification.stripe.account.holdings import (
    Charge,
    Check,
    Checkout,
    Customer,
    Disputed,
    Event,
    Invoice,
    Portal,
    Refund,
    Report,
    Subscription,
)

T = TypeVar("T")
Page: TypeAlias = Literal["pay", "portal", "check"]

YEAR_CENTS: Final = 2000
# Stripe may forget a key once it is that old.
KEY_KEPT: Final = timedelta(hours=24)
# Disputes after which the money is the customer's problem no longer.
_SETTLED: Final = frozenset({"won", "warning_closed", "prevented"})


class Refusal(Exception):
    """Stripe understands, and does not do it."""

    def __init__(self, code: str | None) -> None:
        super().__init__(code)
        self.code = code


class Unknown(Refusal):
    """Stripe does not know what it was asked about."""

    def __init__(self) -> None:
        super().__init__("resource_missing")


class KeyReused(Refusal):
    """The same key was used for something else."""

    def __init__(self) -> None:
        super().__init__("idempotency_error")


@dataclass(frozen=True, slots=True)
class _Remembered:
    asked: Hashable
    answer: object
    at: datetime


@dataclass
class Account:
    """All that is held, by ids, and all that was ever told, in `outbox`."""

    clock: Callable[[], datetime]
    # Where its pages for people are.
    site: str = "https://stripe.example"
    customers: dict[str, Customer] = field(default_factory=dict)
    checkouts: dict[str, Checkout] = field(default_factory=dict)
    portals: dict[str, Portal] = field(default_factory=dict)
    subscriptions: dict[str, Subscription] = field(default_factory=dict)
    invoices: dict[str, Invoice] = field(default_factory=dict)
    charges: dict[str, Charge] = field(default_factory=dict)
    refunds: dict[str, Refund] = field(default_factory=dict)
    disputes: dict[str, Disputed] = field(default_factory=dict)
    checks: dict[str, Check] = field(default_factory=dict)
    reports: dict[str, Report] = field(default_factory=dict)
    outbox: list[Event] = field(default_factory=list)
    _keys: dict[str, _Remembered] = field(default_factory=dict)
    _numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def now(self) -> datetime:
        """Return the time as Stripe knows it, in whole seconds."""
        return self.clock().replace(microsecond=0)

    def address(self, page: Page, object_id: str) -> str:
        return f"{self.site}/{page}/{object_id}"

    def new_id(self, prefix: str) -> str:
        return f"{prefix}_{next(self._numbers):014d}"

    def tell(self, type_: str, object_id: str) -> None:
        self.outbox.append(Event(self.new_id("evt"), type_, object_id, self.now()))

    def once(self, key: str, asked: Hashable, do: Callable[[], T]) -> T:
        """Do what is asked with a key, or give the answer again that was given before.

        A refusal is remembered, too.
        """
        known = self._keys.get(key)
        if known is not None and self.now() - known.at < KEY_KEPT:
            if known.asked != asked:
                raise KeyReused
        else:
            known = _Remembered(asked, _outcome(do), self.now())
            self._keys[key] = known
        if isinstance(known.answer, Refusal):
            raise known.answer
        return cast("T", known.answer)

    # What is asked for.

    def make_customer(self) -> Customer:
        made = Customer(self.new_id("cus"))
        self.customers[made.id] = made
        self.tell("customer.created", made.id)
        return made

    def customer(self, customer_id: str) -> Customer:
        """Return a customer who can still do something."""
        customer = got(self.customers, customer_id)
        if customer.is_deleted:
            raise Unknown
        return customer

    def open_checkout(
        self, customer_id: str, *, price: str, success_url: str, cancel_url: str
    ) -> Checkout:
        customer = self.customer(customer_id)
        made = Checkout(self.new_id("cs_test"), customer.id, price, success_url, cancel_url)
        self.checkouts[made.id] = made
        return made

    def open_portal(self, customer_id: str, *, return_url: str) -> Portal:
        made = Portal(self.new_id("bps"), self.customer(customer_id).id, return_url)
        self.portals[made.id] = made
        return made

    def begin_check(self, metadata: dict[str, str], *, return_url: str) -> Check:
        made = Check(self.new_id("vs"), metadata, return_url)
        self.checks[made.id] = made
        self.tell("identity.verification_session.created", made.id)
        return made

    def refund(self, intent_id: str, cents: int | None = None) -> Refund:
        """Give back what is left of a charge, or a part of it."""
        charges = [each for each in self.charges.values() if each.intent_id == intent_id]
        if not charges:
            raise Unknown
        (charge,) = charges
        if charge.refunded_cents == charge.amount_cents:
            raise Refusal("charge_already_refunded")
        if any(each.status not in _SETTLED for each in self.disputes_of(charge)):
            raise Refusal("charge_disputed")
        left = charge.amount_cents - charge.refunded_cents
        made = Refund(self.new_id("re"), charge.id, left if cents is None else cents)
        assert 0 < made.amount_cents <= left
        self.refunds[made.id] = made
        charge.refunded_cents += made.amount_cents
        self.tell("refund.created", made.id)
        self.tell("charge.refunded", charge.id)
        return made

    def cancel_subscription(self, subscription_id: str) -> Subscription:
        """End a subscription at once. One that has ended is unknown to whoever wants to end it."""
        subscription = got(self.subscriptions, subscription_id)
        if subscription.status == "canceled":
            raise Unknown
        subscription.status = "canceled"
        for invoice in self.invoices.values():
            if invoice.subscription_id == subscription_id and invoice.status != "paid":
                invoice.status = "void"
        self.tell("customer.subscription.deleted", subscription.id)
        return subscription

    def cancel_check(self, check_id: str) -> Check:
        check = got(self.checks, check_id)
        if check.state != "requires_input":
            raise Refusal(None)
        check.state = "canceled"
        self.tell("identity.verification_session.canceled", check.id)
        return check

    def redact_check(self, check_id: str) -> Check:
        """Erase what a check has seen, and its metadata; that takes Stripe up to four days."""
        check = got(self.checks, check_id)
        if check.redaction is not None or check.state not in {"requires_input", "verified"}:
            raise Refusal(None)
        if check.state == "requires_input":
            self.cancel_check(check_id)
        check.redaction = "processing"
        check.metadata = {}
        if check.report_id is not None:
            self.reports[check.report_id].document = None
        return check

    def delete_customer(self, customer_id: str) -> Customer:
        customer = self.customer(customer_id)
        for subscription in self.subscriptions_of(customer_id):
            if subscription.status != "canceled":
                self.cancel_subscription(subscription.id)
        customer.is_deleted = True
        self.tell("customer.deleted", customer.id)
        return customer

    # What belongs together.

    def subscriptions_of(self, customer_id: str) -> list[Subscription]:
        return _of(self.subscriptions, customer_id)

    def invoices_of(self, customer_id: str) -> list[Invoice]:
        return _of(self.invoices, customer_id)

    def charges_of(self, customer_id: str) -> list[Charge]:
        return _of(self.charges, customer_id)

    def charges_for(self, invoice_id: str) -> list[Charge]:
        """Return the charges that paid an invoice."""
        return [
            each for each in self.charges.values() if each.is_paid and each.invoice_id == invoice_id
        ]

    def disputes_of(self, charge: Charge) -> list[Disputed]:
        return [each for each in self.disputes.values() if each.charge_id == charge.id]


def got(held: dict[str, T], object_id: str) -> T:
    """Return what is held under an id, or raise Unknown."""
    try:
        return held[object_id]
    except KeyError:
        raise Unknown from None


def _of(held: dict[str, Any], customer_id: str) -> list[Any]:
    return [each for each in held.values() if each.customer_id == customer_id]


def _outcome(do: Callable[[], object]) -> object:
    try:
        return do()
    except Refusal as refusal:
        return refusal
