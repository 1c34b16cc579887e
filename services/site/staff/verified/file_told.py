"""Tells in short what is on file about whether a player is Verified."""

from dataclasses import dataclass
from datetime import date
from typing import Final, Literal, TypeAlias

from services.verification.deciding import Decided
from services.verification.staff.looking_up import CheckOnFile, PersonOnFile
from services.verification.stripe.port import PaymentNow

CheckTold: TypeAlias = Literal["none", "passed", "held", "processing", "failed", "begun"]
DecisionAct: TypeAlias = Literal["verify", "block", "leave"]

DECISION_ACTS: Final[tuple[DecisionAct, ...]] = ("verify", "block", "leave")


@dataclass(frozen=True, slots=True)
class FileTold:
    """What staff decided, and what payment and identity say: what is paid until when, if anything.

    `error_code` is Stripe's own word for why the last check failed.
    """

    decided: Decided | None
    paid_until: date | None
    has_paid: bool
    renews: bool
    check: CheckTold
    error_code: str | None


def told_of(file: PersonOnFile) -> FileTold:
    """Return what is on file, in short."""
    kept = [paid.period_end for paid in file.payments if not _is_taken_back(paid)]
    check, error_code = _check_told(file)
    return FileTold(
        # The newest decides nothing more than the others, but there is one for each person.
        decided=file.decisions[-1] if file.decisions else None,
        paid_until=max(kept).date() if kept else None,
        has_paid=bool(file.payments),
        renews=any(each.renews for each in file.subscriptions),
        check=check,
        error_code=error_code,
    )


def acts_fitting(file: PersonOnFile, *, is_known: bool) -> list[DecisionAct]:
    """Return what can be decided about a person as things are."""
    decided = {each.decision for each in file.decisions}
    acts: list[DecisionAct] = []
    if is_known and decided != {"grant"}:
        acts.append("verify")
    if is_known and "block" not in decided:
        acts.append("block")
    if decided:
        acts.append("leave")
    return acts


def money_words(cents: int, currency: str) -> str:
    """Return an amount such as USD 20.00."""
    return f"{currency.upper()} {cents / 100:,.2f}"


def _is_taken_back(paid: PaymentNow) -> bool:
    return paid.dispute == "lost" or 0 < paid.amount_cents <= paid.refunded_cents


def _check_told(file: PersonOnFile) -> tuple[CheckTold, str | None]:
    if any(_counts(check, file) for check in file.checks):
        return "passed", None
    if any(check.held_for is not None for check in file.checks):
        return "held", None
    if not file.checks:
        return "none", None
    last = file.checks[-1]
    if last.state == "processing":
        return "processing", None
    return ("failed" if last.error_code else "begun"), last.error_code


def _counts(check: CheckOnFile, file: PersonOnFile) -> bool:
    # A document that another id of the same person has shown is no other person's.
    return check.passed_at is not None or check.other_player_id in file.members
