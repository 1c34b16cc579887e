"""Writes what an account holds in Stripe's words, over a template that has all other fields."""

from datetime import datetime
from typing import Any, TypeAlias

from tests.verification.stripe.account.holdings import (
    Charge,
    Check,
    Checkout,
    Customer,
    Disputed,
    Invoice,
    Portal,
    Refund,
    Report,
    Subscription,
)
from tests.verification.stripe.account.state import Account

Json: TypeAlias = dict[str, Any]

# What Stripe writes where something was erased.
REDACTED = "[redacted]"


def customer_json(customer: Customer) -> Json:
    if customer.is_deleted:
        return {"id": customer.id, "object": "customer", "deleted": True}
    return {"id": customer.id, "name": None, "email": None, "metadata": {}}


def checkout_json(account: Account, checkout: Checkout) -> Json:
    is_open = checkout.state == "open"
    return {
        "id": checkout.id,
        "customer": checkout.customer_id,
        "status": checkout.state,
        "url": account.address("pay", checkout.id) if is_open else None,
        "success_url": checkout.success_url,
        "cancel_url": checkout.cancel_url,
        "client_reference_id": None,
    }


def portal_json(account: Account, portal: Portal) -> Json:
    return {
        "id": portal.id,
        "customer": portal.customer_id,
        "return_url": portal.return_url,
        "url": account.address("portal", portal.id),
    }


def subscription_json(template: Json, subscription: Subscription) -> Json:
    items = template["items"]
    item = {
        **items["data"][0],
        "current_period_start": seconds(subscription.period_start),
        "current_period_end": seconds(subscription.period_end),
    }
    ends_at = subscription.cancel_at
    return {
        "id": subscription.id,
        "customer": subscription.customer_id,
        "status": subscription.status,
        "cancel_at_period_end": subscription.cancel_at_period_end,
        "cancel_at": None if ends_at is None else seconds(ends_at),
        "items": {**items, "data": [item], "has_more": False},
    }


def invoice_json(template: Json, invoice: Invoice) -> Json:
    lines = template["lines"]
    every = [line_json(lines["data"][0], end) for end in invoice.line_ends]
    subscription = {"subscription": invoice.subscription_id, "metadata": None}
    return {
        "id": invoice.id,
        "customer": invoice.customer_id,
        "status": invoice.status,
        "currency": "usd",
        "amount_paid": invoice.amount_cents if invoice.status == "paid" else 0,
        "parent": invoice.subscription_id
        and {"type": "subscription_details", "subscription_details": subscription},
        "status_transitions": {
            "paid_at": None if invoice.paid_at is None else seconds(invoice.paid_at)
        },
        # An invoice shows ten of its lines; the others are asked for.
        "lines": {**lines, "data": every[:10], "has_more": len(every) > 10},
    }


def line_json(template: Json, end: datetime) -> Json:
    return {**template, "period": {"start": seconds(end) - 1, "end": seconds(end)}}


def charge_json(account: Account, charge: Charge) -> Json:
    return {
        "id": charge.id,
        "customer": charge.customer_id,
        "payment_intent": charge.intent_id,
        "amount": charge.amount_cents,
        "amount_refunded": charge.refunded_cents,
        "refunded": charge.refunded_cents == charge.amount_cents,
        "disputed": bool(account.disputes_of(charge)),
        "paid": charge.is_paid,
        "status": "succeeded" if charge.is_paid else "failed",
    }


def intent_json(charge: Charge) -> Json:
    return {"id": charge.intent_id, "customer": charge.customer_id}


def payment_json(charge: Charge) -> Json:
    return {
        "id": charge.payment_id,
        "invoice": charge.invoice_id,
        "payment": {"type": "payment_intent", "payment_intent": charge.intent_id},
        "status": "paid",
    }


def refund_json(account: Account, refund: Refund) -> Json:
    return {
        "id": refund.id,
        "charge": refund.charge_id,
        "payment_intent": account.charges[refund.charge_id].intent_id,
        "amount": refund.amount_cents,
        "status": "succeeded",
    }


def dispute_json(dispute: Disputed) -> Json:
    return {"id": dispute.id, "charge": dispute.charge_id, "status": dispute.status}


def check_json(account: Account, check: Check) -> Json:
    waits = check.state == "requires_input"
    failed = check.error_code and {"code": check.error_code, "reason": "It did not work."}
    return {
        "id": check.id,
        "status": check.state,
        "metadata": check.metadata,
        "url": account.address("check", check.id) if waits else None,
        "last_error": failed,
        "last_verification_report": check.report_id,
        "redaction": check.redaction and {"status": check.redaction},
    }


def report_json(report: Report, shown: set[str]) -> Json:
    """Write a report; number and birth date only if they were asked for."""
    document = report.document
    if document is None:
        words = ("issuing_country", "type", "first_name", "last_name", "number")
        told: Json = {**dict.fromkeys(words, REDACTED), "dob": None, "files": []}
    else:
        born_on = document.born_on
        told = {
            "issuing_country": document.country,
            "type": document.document_type,
            "first_name": document.first_name,
            "last_name": document.last_name,
            "number": document.number,
            "dob": {"day": born_on.day, "month": born_on.month, "year": born_on.year},
            "files": [document.file_id],
        }
    told = {name: value for name, value in told.items() if name not in {"number", "dob"} - shown}
    return {"id": report.id, "verification_session": report.check_id, "document": told}


def seconds(moment: datetime) -> int:
    return int(moment.timestamp())
