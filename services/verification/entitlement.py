"""Who is Verified, and until when, by everything that is on record about a person.

Not blocked; and known to staff, or checked and paid for. What counts as paid is the end of the
latest year for which the money came and stayed: the period of a subscription runs ahead of the
money, and its status says nothing about either.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, TypeAlias

# A card that expired is replaced within two weeks, while Stripe tries again.
GRACE: Final = timedelta(days=14)

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
    """

    is_known: bool = True
    decisions: Sequence[Decision] = ()
    is_checked: bool = False
    years: Sequence[Year] = ()
    renewing: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Entitlement:
    """Whether somebody is Verified, and the moment after which time alone changes that, if any.

    `is_in_grace` while nothing but the days of grace keeps it up.
    """

    is_verified: bool
    until: datetime | None = None
    is_in_grace: bool = False


def entitlement(on_file: OnFile, now: datetime) -> Entitlement:
    """Return whether a person is Verified at a moment, and until when."""
    if not on_file.is_known or "block" in on_file.decisions:
        return Entitlement(is_verified=False)
    if "grant" in on_file.decisions:
        return Entitlement(is_verified=True)
    if not on_file.is_checked:
        return Entitlement(is_verified=False)
    return paid(on_file.years, on_file.renewing, now)


def paid(years: Sequence[Year], renewing: frozenset[str], now: datetime) -> Entitlement:
    """Return whether somebody is paid for at a moment, and until when."""
    spans = [_span(years, each, renewing) for each in {year.subscription_id for year in years}]
    held = [(until, end) for until, end in spans if now < end or (end < until and now <= until)]
    if not held:
        return Entitlement(is_verified=False)
    return Entitlement(
        is_verified=True,
        until=max(until for until, _ in held),
        is_in_grace=all(now >= end for _, end in held),
    )


def _span(
    years: Sequence[Year], subscription_id: str, renewing: frozenset[str]
) -> tuple[datetime, datetime]:
    """Return until when a subscription keeps somebody Verified, and the end of what is paid.

    Whoever got the money of the newest year back is not waited for.
    """
    own = [year for year in years if year.subscription_id == subscription_id]
    kept = [year.ends_at for year in own if not year.is_given_back]
    if not kept:
        never = datetime.min.replace(tzinfo=own[0].ends_at.tzinfo)
        return never, never
    end = max(kept)
    is_last = all(year.ends_at <= end for year in own)
    return (end + GRACE if subscription_id in renewing and is_last else end), end
