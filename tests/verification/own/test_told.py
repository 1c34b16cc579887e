"""What somebody is told, by tables: each row is something that happens to people."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from services.verification.entitlement import Decision, OnFile, Year, entitlement
from services.verification.own.told import (
    CheckStep,
    MoneyFate,
    OwnCheck,
    OwnPayment,
    PaymentStep,
    Standing,
    VerifiedRecord,
    money_words,
    tell,
)

PAID_AT = datetime(2027, 3, 1, 12, tzinfo=UTC)
YEAR_END = datetime(2028, 3, 1, 12, tzinfo=UTC)
PAID = OwnPayment(2000, "usd", PAID_AT, YEAR_END)
IN_THE_YEAR, LATER = PAID_AT + timedelta(days=40), YEAR_END + timedelta(days=5)
MUCH_LATER = YEAR_END + timedelta(days=20)
PASSED = OwnCheck("verified")


def a_record(
    *payments: OwnPayment,
    now: datetime = IN_THE_YEAR,
    checked: bool = False,
    renews: bool = False,
    live: bool | None = None,
    decisions: Sequence[Decision] = (),
    checks: Sequence[OwnCheck] = (),
) -> VerifiedRecord:
    """Return what is on record of somebody; all payments are of one subscription."""
    years = [
        Year(
            "sub_1",
            each.period_end,
            each.dispute == "lost" or each.refunded_cents >= each.amount_cents,
        )
        for each in payments
    ]
    on_file = OnFile(
        decisions=decisions,
        is_checked=checked,
        years=years,
        renewing=frozenset({"sub_1"} if renews else ()),
    )
    return VerifiedRecord(
        on_file,
        entitlement(on_file, now),
        payments=payments,
        checks=[PASSED] if checked else checks,
        is_live=renews if live is None else live,
    )


STANDINGS: dict[str, tuple[VerifiedRecord, datetime, Standing, date | None]] = {
    "nothing begun": (a_record(), IN_THE_YEAR, "none", None),
    "paid alone": (a_record(PAID, renews=True), IN_THE_YEAR, "none", date(2028, 3, 1)),
    "checked alone": (a_record(checked=True), IN_THE_YEAR, "none", None),
    "paid, and renews": (
        a_record(PAID, checked=True, renews=True),
        IN_THE_YEAR,
        "verified",
        date(2028, 3, 1),
    ),
    "canceled": (a_record(PAID, checked=True), IN_THE_YEAR, "ending", date(2028, 3, 1)),
    "the year has just ended": (
        a_record(PAID, checked=True, renews=True, now=YEAR_END + timedelta(hours=2)),
        YEAR_END + timedelta(hours=2),
        "verified",
        date(2028, 3, 1),
    ),
    "the card failed": (
        a_record(PAID, checked=True, renews=True, now=LATER),
        LATER,
        "grace",
        date(2028, 3, 15),
    ),
    "the card failed for good": (
        a_record(PAID, checked=True, renews=True, now=MUCH_LATER),
        MUCH_LATER,
        "lapsed",
        date(2028, 3, 15),
    ),
    "canceled, and over": (
        a_record(PAID, checked=True, now=LATER),
        LATER,
        "lapsed",
        date(2028, 3, 1),
    ),
    "given back after the check": (
        a_record(replace(PAID, refunded_cents=2000), checked=True),
        IN_THE_YEAR,
        "none",
        None,
    ),
    "known to staff": (a_record(decisions=["grant"]), IN_THE_YEAR, "granted", None),
    "kept from it": (
        a_record(PAID, checked=True, renews=True, decisions=["block", "grant"]),
        IN_THE_YEAR,
        "blocked",
        date(2028, 3, 1),
    ),
    "Verified on the log, and nothing on file": (
        replace(a_record(), is_known_verified=True),
        IN_THE_YEAR,
        "granted",
        None,
    ),
}


@pytest.mark.parametrize("row", STANDINGS.values(), ids=STANDINGS.keys())
def test_how_somebody_stands(row: tuple[VerifiedRecord, datetime, Standing, date | None]) -> None:
    record, now, standing, until = row
    told = tell(record, now)
    assert (told.standing, told.until) == (standing, until)


# What the step of paying says, whether it has the button, and what became of the newest payment.
PAYMENTS: dict[str, tuple[VerifiedRecord, datetime, PaymentStep, bool, MoneyFate | None]] = {
    "nothing paid": (a_record(), IN_THE_YEAR, "open", True, None),
    "not paid, but a subscription": (a_record(live=True), IN_THE_YEAR, "late", False, None),
    "paid": (a_record(PAID, renews=True), IN_THE_YEAR, "paid", False, "kept"),
    "paid, canceled, and still running": (
        a_record(PAID, live=True),
        IN_THE_YEAR,
        "paid",
        False,
        "kept",
    ),
    "paid, and ended at Stripe": (a_record(PAID), IN_THE_YEAR, "paid", False, "kept"),
    "the year has just ended": (
        a_record(PAID, renews=True),
        YEAR_END + timedelta(hours=2),
        "renewing",
        False,
        "kept",
    ),
    "renewal not paid": (a_record(PAID, renews=True), LATER, "late", False, "kept"),
    "run out": (a_record(PAID), LATER, "over", True, "kept"),
    "asked back": (
        a_record(replace(PAID, is_asked_back=True), renews=True),
        IN_THE_YEAR,
        "returning",
        False,
        "returning",
    ),
    "given back": (
        a_record(replace(PAID, is_asked_back=True, refunded_cents=2000)),
        IN_THE_YEAR,
        "returned",
        True,
        "returned",
    ),
    "given back, and paid again": (
        a_record(
            replace(PAID, paid_at=PAID_AT + timedelta(days=2)),
            replace(PAID, refunded_cents=2000),
            renews=True,
        ),
        IN_THE_YEAR,
        "paid",
        False,
        "kept",
    ),
    "partly given back": (
        a_record(replace(PAID, refunded_cents=500), renews=True),
        IN_THE_YEAR,
        "paid",
        False,
        "partly_returned",
    ),
    "dispute open": (
        a_record(replace(PAID, dispute="open"), renews=True),
        IN_THE_YEAR,
        "paid",
        False,
        "disputed",
    ),
    "dispute lost": (
        a_record(replace(PAID, dispute="lost")),
        IN_THE_YEAR,
        "lost",
        True,
        "lost",
    ),
    "dispute lost, not ended yet": (
        a_record(replace(PAID, dispute="lost"), renews=True),
        IN_THE_YEAR,
        "lost",
        False,
        "lost",
    ),
    "known to staff": (a_record(decisions=["grant"]), IN_THE_YEAR, "open", False, None),
    "kept from it": (a_record(decisions=["block"]), IN_THE_YEAR, "open", False, None),
}


@pytest.mark.parametrize("row", PAYMENTS.values(), ids=PAYMENTS.keys())
def test_what_is_left_to_pay(
    row: tuple[VerifiedRecord, datetime, PaymentStep, bool, MoneyFate | None],
) -> None:
    record, now, step, can_pay, fate = row
    told = tell(record, now)
    assert (told.payment, told.can_pay) == (step, can_pay)
    assert (told.payments[0].fate if told.payments else None) == fate


CHECKS: dict[str, tuple[VerifiedRecord, CheckStep, bool, str | None]] = {
    "none": (a_record(), "open", True, None),
    "asked for": (a_record(checks=[OwnCheck("asked")]), "begun", True, None),
    "begun": (a_record(checks=[OwnCheck("requires_input")]), "begun", True, None),
    "failed": (
        a_record(checks=[OwnCheck("requires_input", "document_expired")]),
        "failed",
        True,
        "document_expired",
    ),
    "failed, and begun anew": (
        a_record(checks=[OwnCheck("requires_input"), OwnCheck("canceled", "abandoned")]),
        "begun",
        True,
        None,
    ),
    "canceled": (a_record(checks=[OwnCheck("canceled")]), "open", True, None),
    "processing": (a_record(checks=[OwnCheck("processing")]), "processing", False, None),
    "an older one is processing": (
        a_record(checks=[OwnCheck("requires_input"), OwnCheck("processing")]),
        "processing",
        False,
        None,
    ),
    "held": (a_record(checks=[OwnCheck("verified", is_held=True)]), "held", False, None),
    "passed": (a_record(checked=True), "passed", False, None),
    "kept from it": (a_record(decisions=["block"]), "open", False, None),
}


@pytest.mark.parametrize("row", CHECKS.values(), ids=CHECKS.keys())
def test_what_is_left_to_check(row: tuple[VerifiedRecord, CheckStep, bool, str | None]) -> None:
    record, step, can_check, why = row
    told = tell(record, IN_THE_YEAR)
    assert (told.check, told.can_check, told.why_failed) == (step, can_check, why)


def test_each_payment_is_told_with_its_day_and_amount() -> None:
    told = tell(a_record(replace(PAID, amount_cents=123_456), renews=True), IN_THE_YEAR)
    (payment,) = told.payments
    assert (payment.paid_on, payment.amount) == (date(2027, 3, 1), "$1,234.56")
    assert payment.pays_until == date(2028, 3, 1)


def test_amounts_of_other_countries_say_which_money_it_is() -> None:
    assert [money_words(2000, "usd"), money_words(5, "cad")] == ["$20.00", "0.05 CAD"]


def test_the_last_day_of_the_money_back_is_told_until_it_is_asked_for() -> None:
    back = replace(a_record(PAID, renews=True), money_back_until=datetime(2027, 3, 31, tzinfo=UTC))
    assert tell(back, IN_THE_YEAR).money_back_until == date(2027, 3, 31)
    asked = replace(back, payments=[replace(PAID, is_asked_back=True)])
    assert tell(asked, IN_THE_YEAR).money_back_until is None


@pytest.mark.parametrize(("minutes", "is_told"), [(4, False), (6, True)])
def test_stripe_is_away_only_after_some_minutes(minutes: int, is_told: bool) -> None:
    away = replace(a_record(), away_since=IN_THE_YEAR - timedelta(minutes=minutes))
    assert tell(away, IN_THE_YEAR).is_stripe_away is is_told
    assert not tell(a_record(), IN_THE_YEAR).is_stripe_away
