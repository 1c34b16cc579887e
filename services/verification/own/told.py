"""What somebody is told about being Verified: where they stand, what is left to do, and the money.

Pure: everything that is on record comes in, the time with it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final, Literal, TypeAlias

from services.verification.entitlement import PATIENCE, Entitlement, OnFile
from services.verification.stripe.port import Dispute

# What a year costs. Stripe has the price that is charged.
YEAR_DOLLARS: Final = 20
# Whoever presses a button notices sooner; nobody else has to know.
AWAY_TOLD_AFTER: Final = timedelta(minutes=5)

# `ending` is Verified to the end of what is paid; `grace` waits for the money of the next year.
Standing: TypeAlias = Literal["none", "verified", "ending", "grace", "lapsed", "granted", "blocked"]
# `renewing`: the year has just ended, and the money of the next one is being taken. `late`: it has
# not come. `over`: what was paid has run out.
PaymentStep: TypeAlias = Literal[
    "open", "paid", "renewing", "late", "returning", "returned", "lost", "over"
]
CheckStep: TypeAlias = Literal["open", "begun", "processing", "failed", "held", "passed"]
MoneyFate: TypeAlias = Literal[
    "kept", "returning", "returned", "partly_returned", "disputed", "lost"
]


@dataclass(frozen=True, slots=True)
class OwnPayment:
    """A payment on record. `is_asked_back` once its money was asked back by a press."""

    amount_cents: int
    currency: str
    paid_at: datetime
    period_end: datetime
    refunded_cents: int = 0
    dispute: Dispute = "none"
    is_asked_back: bool = False


@dataclass(frozen=True, slots=True)
class OwnCheck:
    """An identity check on record, as far as it is known how it stands at Stripe."""

    state: str
    error_code: str | None = None
    is_held: bool = False


@dataclass(frozen=True, slots=True)
class VerifiedRecord:
    """All that is on record about somebody and being Verified; payments and checks newest first.

    `is_known_verified` if the log says Verified although nothing is on file. `is_live` while a
    subscription goes on, so that no other can begin. Until `money_back_until` one press gives money
    back. `is_looking` until Stripe has said how things stand.
    """

    on_file: OnFile
    found: Entitlement
    is_known_verified: bool = False
    payments: Sequence[OwnPayment] = ()
    checks: Sequence[OwnCheck] = ()
    is_live: bool = False
    is_customer: bool = False
    money_back_until: datetime | None = None
    away_since: datetime | None = None
    is_looking: bool = False


@dataclass(frozen=True, slots=True)
class ToldPayment:
    """A payment as its reader sees it."""

    paid_on: date
    amount: str
    pays_until: date
    fate: MoneyFate


@dataclass(frozen=True, slots=True)
class ToldVerified:
    """What the page says. `paid_until` is the end of the last year that was paid and kept.

    `until` is when it ends, or has ended, by time alone. `why_failed` is the code of the last check
    that failed. `money_back_until` is the last day on which one press gives money back.
    """

    standing: Standing
    payment: PaymentStep
    check: CheckStep
    can_pay: bool
    can_check: bool
    has_receipts: bool
    payments: Sequence[ToldPayment]
    paid_until: date | None = None
    until: date | None = None
    why_failed: str | None = None
    money_back_until: date | None = None
    is_stripe_away: bool = False
    is_looking: bool = False


def tell(record: VerifiedRecord, now: datetime) -> ToldVerified:
    """Return what is said about a record at a moment."""
    standing, check = _standing(record), _check(record)
    payment = _payment(record, now)
    paid_until = _paid_until(record)
    by_staff = standing in {"granted", "blocked"}
    back_until = record.money_back_until
    return ToldVerified(
        standing=standing,
        payment=payment,
        check=check,
        can_pay=not by_staff
        and not record.is_live
        and payment in {"open", "returned", "lost", "over"},
        can_check=not by_staff and check in {"open", "begun", "failed"},
        has_receipts=record.is_customer,
        payments=[_told_payment(each) for each in record.payments],
        paid_until=None if paid_until is None else paid_until.date(),
        until=_until(record, standing, paid_until),
        why_failed=_newest(record.checks).error_code if check == "failed" else None,
        money_back_until=back_until.date() if back_until and payment != "returning" else None,
        is_stripe_away=record.away_since is not None and now - record.away_since > AWAY_TOLD_AFTER,
        is_looking=record.is_looking,
    )


def _standing(record: VerifiedRecord) -> Standing:
    if "block" in record.on_file.decisions:
        return "blocked"
    if "grant" in record.on_file.decisions or record.is_known_verified:
        return "granted"
    found = record.found
    if not found.is_verified:
        has_been = record.on_file.is_checked and _paid_until(record) is not None
        return "lapsed" if has_been or found.ended_until is not None else "none"
    if found.is_in_grace:
        return "grace"
    return "ending" if found.until == _paid_until(record) else "verified"


def _until(record: VerifiedRecord, standing: Standing, paid_until: datetime | None) -> date | None:
    found = record.found
    if standing == "grace" and found.until is not None:
        return found.until.date()
    if standing == "lapsed":
        ended = found.ended_until or paid_until
        return None if ended is None else ended.date()
    return None if paid_until is None else paid_until.date()


def _paid_until(record: VerifiedRecord) -> datetime | None:
    kept = [year.ends_at for year in record.on_file.years if not year.is_given_back]
    return max(kept, default=None)


def _payment(record: VerifiedRecord, now: datetime) -> PaymentStep:
    if any(_fate(each) == "returning" for each in record.payments):
        return "returning"
    paid_until = _paid_until(record)
    if paid_until is not None and paid_until > now:
        return "paid"
    if not record.payments:
        return "late" if record.is_live else "open"
    fate = _fate(record.payments[0])
    if fate in {"lost", "returned"}:
        return fate
    if not record.is_live:
        return "over"
    is_late = paid_until is None or now >= paid_until + PATIENCE
    return "late" if is_late else "renewing"


def _told_payment(payment: OwnPayment) -> ToldPayment:
    return ToldPayment(
        payment.paid_at.date(),
        money_words(payment.amount_cents, payment.currency),
        payment.period_end.date(),
        _fate(payment),
    )


def _fate(payment: OwnPayment) -> MoneyFate:
    if payment.dispute == "lost":
        return "lost"
    if payment.refunded_cents and payment.refunded_cents >= payment.amount_cents:
        return "returned"
    if payment.is_asked_back:
        return "returning"
    if payment.dispute == "open":
        return "disputed"
    return "partly_returned" if payment.refunded_cents else "kept"


def money_words(cents: int, currency: str) -> str:
    """Return an amount such as $20.00; of other currencies with their code."""
    amount = f"{cents / 100:,.2f}"
    return f"${amount}" if currency == "usd" else f"{amount} {currency.upper()}"


def _check(record: VerifiedRecord) -> CheckStep:
    if record.on_file.is_checked:
        return "passed"
    if any(each.is_held for each in record.checks):
        return "held"
    if any(each.state in {"processing", "verified"} for each in record.checks):
        return "processing"
    if not record.checks:
        return "open"
    newest = _newest(record.checks)
    if newest.state == "canceled":
        return "open"
    return "failed" if newest.error_code else "begun"


def _newest(checks: Sequence[OwnCheck]) -> OwnCheck:
    return checks[0]
