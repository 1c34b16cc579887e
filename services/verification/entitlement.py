"""Who is Verified, and until when, by everything that is on file about a person.

Not blocked; and known to staff, or checked and paid for. What counts as paid is the end of the
latest year for which the money came and stayed: the period of a subscription runs ahead of the
money, and its status says nothing about either.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, TypeAlias

# A card that expired is replaced within two weeks, while Stripe tries again.
GRACE: Final = timedelta(days=14)
# Stripe takes the money of the next year in the hours after the end of the last one: nobody is late
# before that.
PATIENCE: Final = timedelta(days=1)

Decision: TypeAlias = Literal["grant", "block"]


@dataclass(frozen=True, slots=True)
class Year:
    """What was paid once: a subscription up to `ends_at`.

    `is_given_back` if all of the money was refunded, or lost in a dispute.
    """

    subscription_id: str
    ends_at: datetime
    is_given_back: bool = False


@dataclass(frozen=True, slots=True)
class OnFile:
    """Everything that decides about one person, of all their ids and accounts.

    Nobody known is behind an anonymous or a forgotten player. `is_checked` once an identity check
    of the person passed and is not held. `renewing` are the subscriptions that still renew.
    `ended_until` is the latest moment with which time has ended it before, and `grace_until` the
    end of days of grace that have begun.
    """

    is_known: bool = True
    decisions: Sequence[Decision] = ()
    is_checked: bool = False
    years: Sequence[Year] = ()
    renewing: frozenset[str] = frozenset()
    ended_until: datetime | None = None
    grace_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Entitlement:
    """Whether somebody is Verified, and the moment after which time alone ends that, if any.

    `is_in_grace` while the money of the next year is late. At `next_at` time alone may
    change something. `ended_until` is what has to be kept of what time has ended.
    """

    is_verified: bool
    until: datetime | None = None
    is_in_grace: bool = False
    next_at: datetime | None = None
    ended_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class PaidSpan:
    """How long a subscription keeps somebody Verified: `paid_until`, and through the grace."""

    paid_until: datetime
    until: datetime

    @property
    def late_from(self) -> datetime:
        """When the money of the next year should have come."""
        return min(self.paid_until + PATIENCE, self.until)

    def holds(self, now: datetime) -> bool:
        """Return whether it does so at a moment."""
        is_in_grace = self.paid_until < self.until and now <= self.until
        return now < self.paid_until or is_in_grace


def entitlement(on_file: OnFile, now: datetime) -> Entitlement:
    """Return whether a person is Verified at a moment, and until when."""
    if not on_file.is_known or "block" in on_file.decisions:
        return Entitlement(is_verified=False, ended_until=on_file.ended_until)
    if "grant" in on_file.decisions:
        return Entitlement(is_verified=True, ended_until=on_file.ended_until)
    if not on_file.is_checked:
        return Entitlement(is_verified=False, ended_until=on_file.ended_until)
    return _by_payment(on_file, now)


def _by_payment(on_file: OnFile, now: datetime) -> Entitlement:
    spans, ended = list(_spans(on_file)), on_file.ended_until
    # What time has ended before is not brought back by a clock that is put back.
    held = [each for each in spans if each.holds(now) and (ended is None or each.until > ended)]
    if not held:
        over = [each.until for each in spans] + ([] if ended is None else [ended])
        return Entitlement(is_verified=False, ended_until=max(over, default=None))
    to_come = [at for each in held for at in (each.late_from, each.until) if at > now]
    until = max(each.until for each in held)
    return Entitlement(
        is_verified=True,
        until=until,
        # Nor does such a clock begin the same days of grace twice.
        is_in_grace=until == on_file.grace_until or all(now >= each.late_from for each in held),
        next_at=min(to_come, default=until),
        ended_until=ended,
    )


def _spans(on_file: OnFile) -> Iterator[PaidSpan]:
    """Yield how long each subscription lasts, if any of its money stayed.

    Whoever got the money of the newest year back is not waited for.
    """
    for subscription_id in {year.subscription_id for year in on_file.years}:
        own = [year for year in on_file.years if year.subscription_id == subscription_id]
        kept = [year.ends_at for year in own if not year.is_given_back]
        if not kept:
            continue
        paid_until = max(kept)
        waits = subscription_id in on_file.renewing and all(y.ends_at <= paid_until for y in own)
        yield PaidSpan(paid_until, paid_until + GRACE if waits else paid_until)
