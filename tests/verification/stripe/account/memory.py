"""Keeps the port on an account in memory: thousands of histories take seconds."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from services.verification.stripe.port import (
    CheckNow,
    CheckoutNow,
    Dispute,
    DocumentRead,
    PaymentNow,
    StripeAway,
    StripeNotYet,
    StripeRefused,
    SubscriptionNow,
    Whose,
)
from tests.verification.stripe.account.holdings import Check, Checkout, Disputed, Invoice
from tests.verification.stripe.account.state import Account, Refusal, Unknown, got
from tests.verification.stripe.account.switches import Switches

T = TypeVar("T")

PRICE: Final = "price_of_a_year"
_DISPUTES: Final[dict[str, Dispute]] = {
    "warning_needs_response": "open",
    "warning_under_review": "open",
    "warning_closed": "none",
    "needs_response": "open",
    "under_review": "open",
    "won": "none",
    "lost": "lost",
    "prevented": "none",
    "appeal_needs_response": "lost",
    "appeal_under_review": "lost",
}


@dataclass
class StripeInMemory:
    """The port, as Stripe's own library keeps it over the network."""

    account: Account
    switches: Switches = field(default_factory=Switches)

    async def whose(self, object_id: str) -> Whose | None:
        return await self._read(lambda: self._whose(object_id))

    def _whose(self, object_id: str) -> Whose | None:
        held = self.account
        if object_id.startswith("vs_"):
            key = got(held.checks, object_id).metadata.get("mahjic_check")
            return Whose(check_key=key) if key else None
        charges = held.charges
        owners = {
            **{each.id: each.customer_id for each in held.subscriptions.values()},
            **{each.id: each.customer_id for each in held.invoices.values()},
            **{each.id: each.customer_id for each in held.checkouts.values()},
            **{each.id: each.customer_id for each in charges.values()},
            **{each.intent_id: each.customer_id for each in charges.values()},
            **{each.payment_id: each.customer_id for each in charges.values() if each.invoice_id},
            **{each.id: charges[each.charge_id].customer_id for each in held.refunds.values()},
            **{each.id: charges[each.charge_id].customer_id for each in held.disputes.values()},
        }
        return Whose(customer_id=got(owners, object_id))

    async def checkout(self, session_id: str) -> CheckoutNow | None:
        return await self._read(lambda: self._checkout(got(self.account.checkouts, session_id)))

    async def subscriptions(self, customer_id: str) -> Sequence[SubscriptionNow]:
        found = await self._read(
            lambda: [
                SubscriptionNow(
                    subscription_id=each.id,
                    status=each.status,
                    renews=each.status in {"active", "past_due"}
                    and not each.cancel_at_period_end
                    and each.cancel_at is None,
                    period_end=each.period_end,
                )
                for each in self.account.subscriptions_of(customer_id)
            ]
        )
        return found or []

    async def payments(self, customer_id: str) -> Sequence[PaymentNow]:
        found = await self._read(
            lambda: [
                self._payment(each, each.subscription_id)
                for each in self.account.invoices_of(customer_id)
                if each.status == "paid" and each.subscription_id is not None
            ]
        )
        return found or []

    async def check(self, session_id: str) -> CheckNow | None:
        return await self._read(lambda: self._check(got(self.account.checks, session_id)))

    async def document(self, report_id: str) -> DocumentRead | None:
        return await self._read(lambda: self._document(report_id))

    async def make_customer(self, key: str) -> str:
        return await self._change(key, "customer", lambda: self.account.make_customer().id)

    async def open_checkout(
        self, key: str, customer_id: str, *, success_url: str, cancel_url: str
    ) -> CheckoutNow:
        def opened() -> CheckoutNow:
            return self._checkout(
                self.account.open_checkout(
                    customer_id, price=PRICE, success_url=success_url, cancel_url=cancel_url
                )
            )

        asked = ("checkout", customer_id, success_url, cancel_url)
        return await self._change(key, asked, opened)

    async def open_portal(self, key: str, customer_id: str, *, return_url: str) -> str:
        def opened() -> str:
            portal = self.account.open_portal(customer_id, return_url=return_url)
            return self.account.address("portal", portal.id)

        return await self._change(key, ("portal", customer_id, return_url), opened)

    async def begin_check(self, key: str, *, return_url: str) -> CheckNow:
        def begun() -> CheckNow:
            return self._check(
                self.account.begin_check({"mahjic_check": key}, return_url=return_url)
            )

        return await self._change(key, ("check", return_url), begun)

    async def refund(self, key: str, invoice_id: str) -> None:
        for charge in self.account.charges_for(invoice_id):

            def refunded(intent_id: str = charge.intent_id) -> None:
                self.account.refund(intent_id)

            try:
                await self._change(f"{key}-{charge.id}", ("refund", charge.id), refunded)
            except StripeRefused as refused:
                if refused.code != "charge_already_refunded":
                    raise

    async def cancel_subscription(self, key: str, subscription_id: str) -> None:
        await self._undo(lambda: self.account.cancel_subscription(subscription_id))

    async def redact_check(self, key: str, session_id: str) -> None:
        check = await self.check(session_id)
        if check is None or check.is_redacted:
            return
        if check.state == "processing":
            raise StripeNotYet("It is still looked at.")
        await self._undo(lambda: self.account.redact_check(session_id))

    async def delete_customer(self, customer_id: str) -> None:
        await self._undo(lambda: self.account.delete_customer(customer_id))

    async def _read(self, read: Callable[[], T]) -> T | None:
        self._reach()
        try:
            answer = read()
        except Unknown:
            return None
        await self.switches.travels()
        return answer

    async def _change(self, key: str, asked: Hashable, do: Callable[[], T]) -> T:
        self._reach()
        try:
            answer = self.account.once(key, asked, do)
        except Refusal as refusal:
            raise StripeRefused(refusal.code or "invalid_request_error", None) from None
        if self.switches.loses():
            raise StripeAway("The answer was lost.")
        await self.switches.travels()
        return answer

    async def _undo(self, do: Callable[[], object]) -> None:
        """Do what is in order to find done, and needs no key."""
        self._reach()
        try:
            do()
        except Unknown:
            return
        except Refusal as refusal:
            raise StripeRefused(refusal.code or "invalid_request_error", None) from None
        if self.switches.loses():
            raise StripeAway("The answer was lost.")
        await self.switches.travels()

    def _reach(self) -> None:
        if self.switches.away is not None:
            raise StripeAway("Nobody answers.")

    def _checkout(self, checkout: Checkout) -> CheckoutNow:
        address = self.account.address("pay", checkout.id)
        is_open = checkout.state == "open"
        return CheckoutNow(checkout.id, checkout.state, address if is_open else None)

    def _payment(self, invoice: Invoice, subscription_id: str) -> PaymentNow:
        assert invoice.paid_at is not None
        charges = self.account.charges_for(invoice.id)
        disputes = [each for charge in charges for each in self.account.disputes_of(charge)]
        return PaymentNow(
            invoice_id=invoice.id,
            subscription_id=subscription_id,
            amount_cents=invoice.amount_cents,
            currency="usd",
            paid_at=invoice.paid_at,
            period_end=max(invoice.line_ends),
            refunded_cents=sum(each.refunded_cents for each in charges),
            dispute=_worst(disputes),
        )

    def _check(self, check: Check) -> CheckNow:
        waits = check.state == "requires_input"
        is_read = check.state == "verified" and check.redaction is None
        return CheckNow(
            session_id=check.id,
            key=check.metadata.get("mahjic_check", ""),
            state=check.state,
            url=self.account.address("check", check.id) if waits else None,
            error_code=check.error_code if waits else None,
            report_id=check.report_id if is_read else None,
            is_redacted=check.redaction is not None,
        )

    def _document(self, report_id: str) -> DocumentRead:
        document = got(self.account.reports, report_id).document
        if document is None:
            return DocumentRead(None, None, None, None, None, None)
        return DocumentRead(
            country=document.country,
            document_type=document.document_type,
            number=document.number,
            first_name=document.first_name,
            last_name=document.last_name,
            born_on=document.born_on,
        )


def _worst(disputes: Sequence[Disputed]) -> Dispute:
    told = {_DISPUTES[each.status] for each in disputes}
    if "lost" in told:
        return "lost"
    return "open" if "open" in told else "none"
