"""Reads Stripe's answers: what of them the port tells, and in which words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Final

from services.verification.stripe.asking import Answer
from services.verification.stripe.port import (
    CheckNow,
    CheckoutNow,
    Dispute,
    DocumentRead,
    PaymentNow,
    SubscriptionNow,
)

# The name under which a check carries the key with which it was begun.
CHECK_KEY: Final = "mahjic_check"

_RENEWING: Final = frozenset({"active", "trialing", "past_due"})
# The money is gone, also while Stripe appeals, until that is won.
_LOST: Final = frozenset({"lost", "appeal_needs_response", "appeal_under_review"})
_OVER: Final = frozenset({"won", "warning_closed", "prevented"})


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What became of the money of an invoice since it was paid."""

    refunded_cents: int = 0
    dispute: Dispute = "none"

    def and_also(self, other: "TakenBack") -> "TakenBack":
        """Return what became of it if it was paid in two parts."""
        return TakenBack(
            self.refunded_cents + other.refunded_cents, _worst({self.dispute, other.dispute})
        )


KEPT: Final = TakenBack()


def checkout_now(answer: Answer) -> CheckoutNow:
    """Read a page on which somebody can pay."""
    is_open = answer["status"] == "open"
    return CheckoutNow(answer["id"], answer["status"], answer["url"] if is_open else None)


def subscription_now(answer: Answer) -> SubscriptionNow:
    """Read a subscription."""
    ends = answer["cancel_at_period_end"] or answer["cancel_at"] is not None
    return SubscriptionNow(
        subscription_id=answer["id"],
        status=answer["status"],
        renews=answer["status"] in _RENEWING and not ends,
        period_end=max(_moment(each["current_period_end"]) for each in answer["items"]["data"]),
    )


def subscription_paid(invoice: Answer) -> str | None:
    """Return the subscription that an invoice is for, if it is for one."""
    details = (invoice["parent"] or {}).get("subscription_details") or {}
    subscription_id: str | None = details.get("subscription")
    return subscription_id


def payment_now(
    invoice: Answer, subscription_id: str, lines: Sequence[Answer], since: TakenBack
) -> PaymentNow:
    """Read a paid invoice of a subscription."""
    return PaymentNow(
        invoice_id=invoice["id"],
        subscription_id=subscription_id,
        amount_cents=invoice["amount_paid"],
        currency=invoice["currency"],
        paid_at=_moment(invoice["status_transitions"]["paid_at"]),
        period_end=max(_moment(line["period"]["end"]) for line in lines),
        refunded_cents=since.refunded_cents,
        dispute=since.dispute,
    )


def taken_back(charge: Answer, disputes: Iterable[Answer]) -> TakenBack:
    """Read what became of the money of a charge."""
    return TakenBack(
        charge["amount_refunded"], _worst({_dispute(each["status"]) for each in disputes})
    )


def check_now(answer: Answer) -> CheckNow:
    """Read a check of somebody's identity. One that is being redacted is as good as redacted.

    Stripe erases the key, too.
    """
    waits = answer["status"] == "requires_input"
    is_redacted = answer["redaction"] is not None
    is_read = answer["status"] == "verified" and not is_redacted
    return CheckNow(
        session_id=answer["id"],
        key=answer["metadata"].get(CHECK_KEY, ""),
        state=answer["status"],
        url=answer["url"] if waits else None,
        error_code=(answer["last_error"] or {}).get("code") if waits else None,
        report_id=answer["last_verification_report"] if is_read else None,
        is_redacted=is_redacted,
    )


def document_read(answer: Answer) -> DocumentRead:
    """Read what a report says about a document."""
    document = answer.get("document") or {}
    return DocumentRead(
        country=_text(document.get("issuing_country")),
        document_type=_text(document.get("type")),
        number=_text(document.get("number")),
        first_name=_text(document.get("first_name")),
        last_name=_text(document.get("last_name")),
        born_on=_day(document.get("dob")),
    )


def _text(value: object) -> str | None:
    # What was erased reads "[redacted]": two people of that number would seem to be one.
    if not isinstance(value, str) or not value.strip() or value.startswith("["):
        return None
    return value


def _day(value: object) -> date | None:
    if not isinstance(value, dict):
        return None
    try:
        return date(value["year"], value["month"], value["day"])
    except (KeyError, TypeError, ValueError):
        return None


def _dispute(status: str) -> Dispute:
    if status in _LOST:
        return "lost"
    return "none" if status in _OVER else "open"


def _worst(disputes: set[Dispute]) -> Dispute:
    if "lost" in disputes:
        return "lost"
    return "open" if "open" in disputes else "none"


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
