"""What may happen to an account by chance: payments, failures, refunds, disputes and checks."""

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from tests.verification.stripe.account.memory import PRICE
from tests.verification.stripe.account.odd import a_document
from tests.verification.stripe.account.people import People
from tests.verification.stripe.account.state import Account, Refusal

Act: TypeAlias = Callable[[], object]

RETURN = "https://mahjic.example/me/verified"


@dataclass
class History:
    """What happens to an account by chance, of which every act is possible where it stands."""

    account: Account
    chance: random.Random

    def act(self) -> None:
        """Do something that can be done now; a refusal is a part of life."""
        with suppress(Refusal):
            self.chance.choice([*self.of_people(), self._begin, self._join])()

    def of_people(self) -> list[Act]:
        """Return what people, cards and banks can do with what is there."""
        with_money = [*self._with_pages(), *self._with_subscriptions(), *self._with_money()]
        return [*with_money, *self._with_checks()]

    def _join(self) -> None:
        customer_id = self.account.make_customer().id
        if self.chance.random() < 0.9:
            self.account.open_checkout(
                customer_id, price=PRICE, success_url=RETURN, cancel_url=RETURN
            )

    def _begin(self) -> None:
        number = len(self.account.checks)
        self.account.begin_check({"mahjic_check": f"check-{number}"}, return_url=RETURN)

    def _with_pages(self) -> list[Act]:
        people = People(self.account)
        pages = [each.id for each in self.account.checkouts.values() if each.state == "open"]
        acts: list[Callable[[str], object]] = [
            people.pay,
            people.pay,
            people.decline,
            people.expire,
        ]
        return [partial(act, id_) for id_ in pages for act in acts]

    def _with_subscriptions(self) -> list[Act]:
        people = People(self.account)
        acts: list[Act] = []
        for each in self.account.subscriptions.values():
            if each.status == "canceled":
                continue
            acts += [
                partial(people.end, each.id),
                partial(people.renew_after_all, each.id),
                partial(people.cancel_at_period_end, each.id),
            ]
            if not each.cancel_at_period_end:
                acts += [
                    partial(people.fail_renewal, each.id),
                    partial(people.renew, each.id, parts=self.chance.choice([1, 1, 2])),
                ]
        return acts

    def _with_money(self) -> list[Act]:
        people = People(self.account)
        acts: list[Act] = []
        for each in self.account.invoices.values():
            if each.status == "paid":
                acts += [
                    partial(people.refund, each.id),
                    partial(people.refund, each.id, 100),
                    partial(people.open_dispute, each.id),
                ]
        for dispute in self.account.disputes.values():
            invoice_id = self.account.charges[dispute.charge_id].invoice_id
            assert invoice_id is not None
            acts += [
                partial(people.close_dispute, invoice_id, "won"),
                partial(people.close_dispute, invoice_id, "lost"),
            ]
        return acts

    def _with_checks(self) -> list[Act]:
        people = People(self.account)
        acts: list[Act] = []
        for number, each in enumerate(self.account.checks.values()):
            acts.append(partial(self.account.redact_check, each.id))
            if each.state in {"requires_input", "processing"}:
                acts += [
                    partial(people.pass_check, each.id, a_document(number)),
                    partial(people.fail_check, each.id),
                ]
            if each.state == "requires_input":
                acts += [
                    partial(people.begin_processing, each.id),
                    partial(self.account.cancel_check, each.id),
                ]
        return acts
