"""Keeps the port by Stripe's own library, over HTTPS.

It tries nothing twice: whoever asks knows whether somebody waits, and has the key. Stripe remembers
a key for a day; what is asked for with an older one is asked for anew.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

import stripe

from services.verification.stripe.asking import (
    Answer,
    answered,
    found,
    keep_library_quiet,
    listed,
)
from services.verification.stripe.line import HttpxLine
from services.verification.stripe.port import (
    CheckNow,
    CheckoutNow,
    DocumentRead,
    PaymentNow,
    StripeNotYet,
    StripeRefused,
    SubscriptionNow,
    Whose,
)
from services.verification.stripe.reading import (
    CHECK_KEY,
    KEPT,
    TakenBack,
    check_now,
    checkout_now,
    document_read,
    payment_now,
    subscription_now,
    subscription_paid,
    taken_back,
)

ANSWER_S_MAX: Final = 20.0

_ALREADY_REFUNDED: Final = "charge_already_refunded"

_Retrieve: TypeAlias = Callable[[str, Any], Awaitable[stripe.StripeObject]]


class StripeSdk:
    """Stripe, by a restricted key that may read what documents say."""

    def __init__(
        self,
        api_key: str,
        price: str,
        api_base: str | None = None,
        timeout_s: float = ANSWER_S_MAX,
    ) -> None:
        keep_library_quiet()
        self._line = HttpxLine(timeout_s)
        self._v1 = stripe.StripeClient(
            api_key,
            base_addresses={"api": api_base} if api_base else None,
            max_network_retries=0,
            http_client=self._line,
        ).v1
        self._owners = _owners(self._v1)
        self._price = price
        self._s_max = timeout_s

    async def aclose(self) -> None:
        """Close the connections."""
        await self._line.close_async()

    async def whose(self, object_id: str) -> Whose | None:
        kind = object_id.partition("_")[0]
        if kind == "vs":
            check = await self.check(object_id)
            return Whose(check_key=check.key) if check and check.key else None
        if kind not in self._owners:
            return None
        retrieve, within = self._owners[kind]
        answer = await found(
            retrieve(object_id, {"expand": [within]} if within else {}), self._s_max
        )
        owner = answer[within] if answer and within else answer
        customer_id = owner["customer"] if owner else None
        return Whose(customer_id=customer_id) if customer_id else None

    async def checkout(self, session_id: str) -> CheckoutNow | None:
        asked = self._v1.checkout.sessions.retrieve_async(session_id)
        answer = await found(asked, self._s_max)
        return checkout_now(answer) if answer else None

    async def subscriptions(self, customer_id: str) -> Sequence[SubscriptionNow]:
        ask = self._v1.subscriptions.list_async
        every = await listed(ask, self._s_max, customer=customer_id, status="all")
        return [subscription_now(each) for each in every]

    async def payments(self, customer_id: str) -> Sequence[PaymentNow]:
        ask = self._v1.invoices.list_async
        invoices = await listed(ask, self._s_max, customer=customer_id, status="paid")
        since = await self._taken_back(customer_id)
        return [
            payment_now(each, subscription_id, await self._lines(each), since.get(each["id"], KEPT))
            for each in invoices
            if (subscription_id := subscription_paid(each))
        ]

    async def _lines(self, invoice: Answer) -> Sequence[Answer]:
        if not invoice["lines"]["has_more"]:
            lines: Sequence[Answer] = invoice["lines"]["data"]
            return lines
        return await listed(
            partial(self._v1.invoices.line_items.list_async, invoice["id"]), self._s_max
        )

    async def _taken_back(self, customer_id: str) -> dict[str, TakenBack]:
        """Return what became of the money of a customer's invoices, where it did not just stay.

        A charge does not say which invoice it paid, so that is asked only if it matters.
        """
        charges = await listed(self._v1.charges.list_async, self._s_max, customer=customer_id)
        since: dict[str, TakenBack] = {}
        for charge in charges:
            if not charge["amount_refunded"] and not charge["disputed"]:
                continue
            one = taken_back(charge, await self._disputes(charge))
            for invoice_id in await self._invoices_paid_by(charge):
                since[invoice_id] = since.get(invoice_id, KEPT).and_also(one)
        return since

    async def _disputes(self, charge: Answer) -> Sequence[Answer]:
        if not charge["disputed"]:
            return []
        return await listed(self._v1.disputes.list_async, self._s_max, charge=charge["id"])

    async def _invoices_paid_by(self, charge: Answer) -> Sequence[str]:
        if charge["payment_intent"] is None:
            return []
        payment = {"type": "payment_intent", "payment_intent": charge["payment_intent"]}
        ask = self._v1.invoice_payments.list_async
        return [each["invoice"] for each in await listed(ask, self._s_max, payment=payment)]

    async def check(self, session_id: str) -> CheckNow | None:
        asked = self._v1.identity.verification_sessions.retrieve_async(session_id)
        answer = await found(asked, self._s_max)
        return check_now(answer) if answer else None

    async def document(self, report_id: str) -> DocumentRead | None:
        asked = self._v1.identity.verification_reports.retrieve_async(
            report_id, {"expand": ["document.number", "document.dob"]}
        )
        answer = await found(asked, self._s_max)
        return document_read(answer) if answer else None

    async def make_customer(self, key: str) -> str:
        answer = await answered(
            self._v1.customers.create_async({}, {"idempotency_key": key}), self._s_max
        )
        customer_id: str = answer["id"]
        return customer_id

    async def open_checkout(
        self, key: str, customer_id: str, *, success_url: str, cancel_url: str
    ) -> CheckoutNow:
        asked = self._v1.checkout.sessions.create_async(
            {
                "mode": "subscription",
                "customer": customer_id,
                "line_items": [{"price": self._price, "quantity": 1}],
                "success_url": success_url,
                "cancel_url": cancel_url,
            },
            {"idempotency_key": key},
        )
        return checkout_now(await answered(asked, self._s_max))

    async def open_portal(self, key: str, customer_id: str, *, return_url: str) -> str:
        asked = self._v1.billing_portal.sessions.create_async(
            {"customer": customer_id, "return_url": return_url}, {"idempotency_key": key}
        )
        url: str = (await answered(asked, self._s_max))["url"]
        return url

    async def begin_check(self, key: str, *, return_url: str) -> CheckNow:
        asked = self._v1.identity.verification_sessions.create_async(
            {
                "type": "document",
                "options": {"document": {"require_matching_selfie": True}},
                "metadata": {CHECK_KEY: key},
                "return_url": return_url,
            },
            {"idempotency_key": key},
        )
        return check_now(await answered(asked, self._s_max))

    async def refund(self, key: str, invoice_id: str) -> None:
        ask = self._v1.invoice_payments.list_async
        for each in await listed(ask, self._s_max, invoice=invoice_id, status="paid"):
            intent_id = each["payment"].get("payment_intent")
            if intent_id is not None:
                await self._give_back(f"{key}-{each['id']}", intent_id)

    async def _give_back(self, key: str, intent_id: str) -> None:
        # Without an amount, all that is left of it goes back.
        asked = self._v1.refunds.create_async(
            {"payment_intent": intent_id}, {"idempotency_key": key}
        )
        try:
            await answered(asked, self._s_max)
        except StripeRefused as refused:
            if refused.code != _ALREADY_REFUNDED:
                raise

    async def cancel_subscription(self, key: str, subscription_id: str) -> None:
        # Stripe does not know one that is canceled already, when it is asked to cancel it.
        asked = self._v1.subscriptions.cancel_async(subscription_id, {}, {"idempotency_key": key})
        await found(asked, self._s_max)

    async def redact_check(self, key: str, session_id: str) -> None:
        asked = await self.check(session_id)
        if asked is None or asked.is_redacted:
            return
        if asked.state == "processing":
            # A refusal would be remembered with the key, and repeated when it has become possible.
            raise StripeNotYet("Stripe erases nothing of a check while it still looks at it.")
        redact = self._v1.identity.verification_sessions.redact_async(
            session_id, {}, {"idempotency_key": key}
        )
        await found(redact, self._s_max)

    async def delete_customer(self, customer_id: str) -> None:
        await found(self._v1.customers.delete_async(customer_id), self._s_max)


def _owners(v1: stripe.V1Services) -> Mapping[str, tuple[_Retrieve, str | None]]:
    """Return how each kind of object is asked for, and what within it names the customer."""
    charge = (v1.charges.retrieve_async, None)
    dispute = (v1.disputes.retrieve_async, "charge")
    refund = (v1.refunds.retrieve_async, "charge")
    return {
        "sub": (v1.subscriptions.retrieve_async, None),
        "in": (v1.invoices.retrieve_async, None),
        "inpay": (v1.invoice_payments.retrieve_async, "invoice"),
        "pi": (v1.payment_intents.retrieve_async, None),
        "cs": (v1.checkout.sessions.retrieve_async, None),
        "ch": charge,
        "py": charge,
        "du": dispute,
        "dp": dispute,
        "re": refund,
        "pyr": refund,
    }
