"""Who must be Verified, told plainly from what is true at Stripe and what staff have said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tests.verification.histories.world import Someone, World

FOURTEEN_DAYS = timedelta(days=14)


@dataclass
class Model:
    """What staff have said and done, and everything else is asked of the world."""

    world: World
    said: dict[str, str] = field(default_factory=dict)
    # Whom each player was merged into.
    merged: dict[str, str] = field(default_factory=dict)

    def survivor(self, player_id: str) -> str:
        while player_id in self.merged:
            player_id = self.merged[player_id]
        return player_id

    def group_of(self, who: Someone) -> Sequence[Someone]:
        """Return everybody who is the same person as somebody."""
        own = self.survivor(who.player_id)
        return [each for each in self.world.people if self.survivor(each.player_id) == own]

    def everybody(self) -> Mapping[str, bool]:
        """Return for each player who stands for a person whether they must be Verified."""
        return {
            self.survivor(who.player_id): self.is_verified(self.group_of(who))
            for who in self.world.people
        }

    def is_verified(self, group: Sequence[Someone]) -> bool:
        if all(who.is_forgotten for who in group):
            return False
        said = [self.said.get(who.player_id) for who in group]
        if "block" in said:
            return False
        if "grant" in said:
            return True
        here = [who for who in group if not who.is_forgotten]
        has_passed = any(who.has_passed for who in here)
        return has_passed and any(self.is_paid(who, self.world.clock()) for who in here)

    def is_paid(self, who: Someone, now: datetime) -> bool:
        """Return whether somebody is paid for, with the days of grace."""
        account = self.world.account
        subs = account.subscriptions_of(who.customer_id) if who.customer_id else []
        return any(self._keeps(sub.id, now) for sub in subs)

    def _keeps(self, subscription_id: str, now: datetime) -> bool:
        account = self.world.account
        sub = account.subscriptions[subscription_id]
        paid_until, newest = None, None
        for invoice in account.invoices.values():
            if invoice.subscription_id != subscription_id or invoice.status != "paid":
                continue
            charges = account.charges_for(invoice.id)
            refunded = sum(charge.refunded_cents for charge in charges)
            lost = any(
                dispute.status == "lost"
                for charge in charges
                for dispute in account.disputes_of(charge)
            )
            end = max(invoice.line_ends)
            newest = max(newest or end, end)
            if refunded < invoice.amount_cents and not lost:
                paid_until = max(paid_until or end, end)
        if paid_until is None:
            return False
        if now < paid_until:
            return True
        renews = sub.status in {"active", "past_due"} and not sub.cancel_at_period_end
        return renews and newest == paid_until and now - paid_until <= FOURTEEN_DAYS
