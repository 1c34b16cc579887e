"""What people, cards and banks do to an account at Stripe, and what time does to it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from tests.verification.stripe.account.holdings import (
    Charge,
    Check,
    Disputed,
    Invoice,
    Report,
    Subscription,
)
from tests.verification.stripe.account.odd import ODD, Document
from tests.verification.stripe.account.state import YEAR_CENTS, Account


@dataclass(frozen=True, slots=True)
class People:
    """Everybody but Mahjic. Each act leaves events in the account's outbox."""

    account: Account

    # On the page on which somebody can pay.

    def pay(self, checkout_id: str) -> Subscription:
        """Pay for the first year."""
        checkout = self.account.checkouts[checkout_id]
        assert checkout.state == "open", "Nobody can pay on a page that is not open."
        now = self.account.now()
        made = Subscription(
            self.account.new_id("sub"), checkout.customer_id, "active", now, a_year_after(now)
        )
        self.account.subscriptions[made.id] = made
        self.account.tell("customer.subscription.created", made.id)
        self._take_money(self._invoice(made), parts=1)
        checkout.state = "complete"
        self.account.tell("checkout.session.completed", checkout.id)
        return made

    def decline(self, checkout_id: str) -> None:
        """Try to pay with a card that is declined; the page stays open."""
        checkout = self.account.checkouts[checkout_id]
        assert checkout.state == "open", "Nobody can pay on a page that is not open."
        charge = self._charge(checkout.customer_id, None, YEAR_CENTS, is_paid=False)
        self.account.tell("payment_intent.payment_failed", charge.intent_id)
        self.account.tell("charge.failed", charge.id)

    def expire(self, checkout_id: str) -> None:
        """Leave the page alone for a day."""
        checkout = self.account.checkouts[checkout_id]
        assert checkout.state == "open"
        checkout.state = "expired"
        self.account.tell("checkout.session.expired", checkout.id)

    # When a year is over.

    def draft_renewal(self, subscription_id: str) -> Invoice:
        """Begin the next period; for an hour, Stripe asks for no money yet."""
        subscription = self.account.subscriptions[subscription_id]
        assert subscription.status == "active"
        assert not subscription.cancel_at_period_end
        subscription.period_start = subscription.period_end
        subscription.period_end = a_year_after(subscription.period_end)
        self.account.tell("customer.subscription.updated", subscription.id)
        return self._invoice(subscription)

    def renew(self, subscription_id: str, *, parts: int = 1) -> Invoice:
        """Pay for the next year, or what is still owed, in one or more parts."""
        subscription = self.account.subscriptions[subscription_id]
        invoice = self._owed(subscription_id) or self.draft_renewal(subscription_id)
        self._take_money(invoice, parts=parts)
        if subscription.status == "past_due":
            subscription.status = "active"
            self.account.tell("customer.subscription.updated", subscription.id)
        return invoice

    def fail_renewal(self, subscription_id: str) -> Invoice:
        """Have the card declined for the next year, or once more for what is still owed."""
        subscription = self.account.subscriptions[subscription_id]
        invoice = self._owed(subscription_id) or self.draft_renewal(subscription_id)
        invoice.status = "open"
        charge = self._charge(invoice.customer_id, None, invoice.amount_cents, is_paid=False)
        self.account.tell("charge.failed", charge.id)
        self.account.tell("invoice.payment_failed", invoice.id)
        if subscription.status == "active":
            subscription.status = "past_due"
            self.account.tell("customer.subscription.updated", subscription.id)
        return invoice

    def cancel_at_period_end(self, subscription_id: str) -> None:
        self._set_ending(subscription_id, is_ending=True)

    def renew_after_all(self, subscription_id: str) -> None:
        self._set_ending(subscription_id, is_ending=False)

    def end(self, subscription_id: str) -> None:
        """End it: it was canceled and its time is over, or Stripe tries the card no more."""
        self.account.cancel_subscription(subscription_id)

    # When money goes back.

    def refund(self, invoice_id: str, cents: int | None = None) -> None:
        """Give money back by hand, all of it or a part of the first charge."""
        charges = self.account.charges_for(invoice_id)
        for charge in charges if cents is None else charges[:1]:
            self.account.refund(charge.intent_id, cents)

    def open_dispute(self, invoice_id: str, status: str = "needs_response") -> Disputed:
        """Tell the bank that the money should not have been taken."""
        charge = self.account.charges_for(invoice_id)[0]
        made = Disputed(self.account.new_id("du"), charge.id, status)
        self.account.disputes[made.id] = made
        self.account.tell("charge.dispute.created", made.id)
        return made

    def change_dispute(self, invoice_id: str, status: str) -> None:
        dispute = self._dispute(invoice_id)
        dispute.status = status
        self.account.tell("charge.dispute.updated", dispute.id)

    def close_dispute(self, invoice_id: str, status: Literal["won", "lost"]) -> None:
        """Have the bank decide. Won means that we keep the money."""
        dispute = self._dispute(invoice_id)
        dispute.status = status
        self.account.tell("charge.dispute.closed", dispute.id)

    # On the page on which an identity is checked.

    def begin_processing(self, check_id: str) -> None:
        """Hand everything in; Stripe looks at it."""
        check = self.account.checks[check_id]
        assert check.state == "requires_input"
        check.state = "processing"
        check.error_code = None
        self._tell_of(check)

    def pass_check(self, check_id: str, document: Document = ODD) -> None:
        check = self._processing(check_id)
        made = Report(self.account.new_id("vr"), check.id, document)
        self.account.reports[made.id] = made
        check.report_id = made.id
        check.state = "verified"
        self._tell_of(check)

    def fail_check(self, check_id: str, code: str = "selfie_face_mismatch") -> None:
        """Fail; the person can try again."""
        check = self._processing(check_id)
        check.state = "requires_input"
        check.error_code = code
        self._tell_of(check)

    def finish_redaction(self, check_id: str) -> None:
        check = self.account.checks[check_id]
        assert check.redaction == "processing"
        check.redaction = "redacted"
        self.account.tell("identity.verification_session.redacted", check.id)

    def _processing(self, check_id: str) -> Check:
        check = self.account.checks[check_id]
        if check.state == "requires_input":
            self.begin_processing(check_id)
        assert check.state == "processing"
        return check

    def _tell_of(self, check: Check) -> None:
        self.account.tell(f"identity.verification_session.{check.state}", check.id)

    def _set_ending(self, subscription_id: str, *, is_ending: bool) -> None:
        subscription = self.account.subscriptions[subscription_id]
        assert subscription.status != "canceled"
        subscription.cancel_at_period_end = is_ending
        self.account.tell("customer.subscription.updated", subscription.id)

    def _owed(self, subscription_id: str) -> Invoice | None:
        return next(
            (
                each
                for each in self.account.invoices.values()
                if each.subscription_id == subscription_id and each.status in {"draft", "open"}
            ),
            None,
        )

    def _invoice(self, subscription: Subscription) -> Invoice:
        made = Invoice(
            self.account.new_id("in"),
            subscription.customer_id,
            subscription.id,
            YEAR_CENTS,
            [subscription.period_end],
        )
        self.account.invoices[made.id] = made
        self.account.tell("invoice.created", made.id)
        return made

    def _take_money(self, invoice: Invoice, *, parts: int) -> None:
        for _ in range(parts):
            cents = invoice.amount_cents // parts
            charge = self._charge(invoice.customer_id, invoice.id, cents, is_paid=True)
            self.account.tell("payment_intent.succeeded", charge.intent_id)
            self.account.tell("charge.succeeded", charge.id)
            self.account.tell("invoice_payment.paid", charge.payment_id)
        invoice.status = "paid"
        invoice.paid_at = self.account.now()
        self.account.tell("invoice.paid", invoice.id)

    def _charge(
        self, customer_id: str, invoice_id: str | None, cents: int, *, is_paid: bool
    ) -> Charge:
        made = Charge(
            id=self.account.new_id("ch"),
            intent_id=self.account.new_id("pi"),
            payment_id=self.account.new_id("inpay"),
            invoice_id=invoice_id,
            customer_id=customer_id,
            amount_cents=cents,
            is_paid=is_paid,
        )
        self.account.charges[made.id] = made
        return made

    def _dispute(self, invoice_id: str) -> Disputed:
        charges = {each.id for each in self.account.charges_for(invoice_id)}
        return next(
            each for each in reversed(self.account.disputes.values()) if each.charge_id in charges
        )


def a_year_after(moment: datetime) -> datetime:
    """Return the same day of the next year; after a leap day, the last of February."""
    try:
        return moment.replace(year=moment.year + 1)
    except ValueError:
        return moment.replace(year=moment.year + 1, day=28)
