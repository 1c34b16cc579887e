"""What an account at Stripe holds, as far as Mahjic ever asks about it."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from tests.verification.stripe.account.odd import Document

CheckoutState: TypeAlias = Literal["open", "complete", "expired"]
InvoiceState: TypeAlias = Literal["draft", "open", "paid", "void"]
CheckState: TypeAlias = Literal["requires_input", "processing", "verified", "canceled"]
Redaction: TypeAlias = Literal["processing", "redacted"]


@dataclass
class Customer:
    """Somebody who pays. One that is deleted can't do anything anymore."""

    id: str
    is_deleted: bool = False


@dataclass
class Checkout:
    """A page on which somebody can pay."""

    id: str
    customer_id: str
    price: str
    success_url: str
    cancel_url: str
    state: CheckoutState = "open"


@dataclass
class Portal:
    """A page with receipts, on which somebody can cancel."""

    id: str
    customer_id: str
    return_url: str


@dataclass
class Subscription:
    """What renews every year. Its period runs ahead of the money."""

    id: str
    customer_id: str
    status: str
    period_start: datetime
    period_end: datetime
    cancel_at_period_end: bool = False
    cancel_at: datetime | None = None


@dataclass
class Invoice:
    """What is asked for one period. It has a line for each thing that it charges for."""

    id: str
    customer_id: str
    subscription_id: str | None
    amount_cents: int
    line_ends: list[datetime]
    status: InvoiceState = "draft"
    paid_at: datetime | None = None


@dataclass
class Charge:
    """An attempt to take money from a card. It does not know the invoice; its payment does."""

    id: str
    intent_id: str
    payment_id: str
    invoice_id: str | None
    customer_id: str
    amount_cents: int
    is_paid: bool
    refunded_cents: int = 0


@dataclass
class Refund:
    """Money that was given back."""

    id: str
    charge_id: str
    amount_cents: int


@dataclass
class Disputed:
    """What the bank of a card holder says about a charge."""

    id: str
    charge_id: str
    status: str


@dataclass
class Check:
    """A check of somebody's identity."""

    id: str
    metadata: dict[str, str]
    return_url: str
    state: CheckState = "requires_input"
    error_code: str | None = None
    report_id: str | None = None
    redaction: Redaction | None = None


@dataclass
class Report:
    """What was read from a document, until it was erased."""

    id: str
    check_id: str
    document: Document | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Event:
    """What Stripe tells: that something happened to an object. It may come late, twice or never."""

    id: str
    type: str
    object_id: str
    created: datetime
