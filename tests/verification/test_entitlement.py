"""Who is Verified, and until when: the rules one by one, and against a plain second telling."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.verification.entitlement import Entitlement, OnFile, Year, entitlement

DAY = timedelta(days=1)
START = datetime(2027, 1, 1, tzinfo=UTC)
YEAR = 365 * DAY
GRACE = 14 * DAY
INSTANT = timedelta(microseconds=1)


def years(*ends: timedelta, back: Sequence[int] = (), sub: str = "sub_1") -> list[Year]:
    return [Year(sub, START + end, place in back) for place, end in enumerate(ends)]


def on_file(paid: Sequence[Year], *, renews: bool = True) -> OnFile:
    renewing = frozenset(year.subscription_id for year in paid) if renews else frozenset()
    return OnFile(is_checked=True, years=paid, renewing=renewing)


def at(file: OnFile, since: timedelta) -> Entitlement:
    return entitlement(file, START + since)


@pytest.mark.parametrize(
    ("file", "since", "is_verified"),
    [
        pytest.param(on_file([]), DAY, False, id="the first payment failed"),
        pytest.param(on_file(years(YEAR)), DAY, True, id="paid"),
        pytest.param(
            on_file(years(YEAR), renews=False), 300 * DAY, True, id="canceled, the year runs"
        ),
        pytest.param(
            on_file(years(YEAR), renews=False), YEAR - INSTANT, True, id="canceled, the last moment"
        ),
        pytest.param(on_file(years(YEAR), renews=False), YEAR, False, id="canceled, the year over"),
        pytest.param(on_file(years(YEAR)), YEAR + DAY / 48, True, id="the invoice still a draft"),
        pytest.param(on_file(years(YEAR)), YEAR + 13 * DAY, True, id="renewal failed, day 13"),
        pytest.param(on_file(years(YEAR)), YEAR + GRACE, True, id="renewal failed, 14 days ago"),
        pytest.param(
            on_file(years(YEAR)), YEAR + GRACE + INSTANT, False, id="renewal failed, just over"
        ),
        pytest.param(on_file(years(YEAR, 2 * YEAR)), YEAR + 20 * DAY, True, id="paid late"),
        pytest.param(
            on_file(years(YEAR, back=[0]), renews=False), 10 * DAY, False, id="refunded in full"
        ),
        pytest.param(
            on_file(years(YEAR, back=[0])), 10 * DAY, False, id="refunded, but it still renews"
        ),
        pytest.param(
            on_file(years(YEAR, 2 * YEAR, back=[1])),
            YEAR + DAY,
            False,
            id="the second year lost in a dispute: no grace is waited for",
        ),
        pytest.param(
            on_file(years(YEAR, 2 * YEAR, back=[1])),
            YEAR - DAY,
            True,
            id="the second year refunded ahead of time: the first is still paid",
        ),
        pytest.param(
            on_file([*years(YEAR), *years(3 * YEAR, sub="sub_2")], renews=False),
            2 * YEAR,
            True,
            id="an old subscription ended, and a new one is paid",
        ),
    ],
)
def test_payment_counts_as_long_as_its_money_came_and_stayed(
    file: OnFile, since: timedelta, is_verified: bool
) -> None:
    assert at(file, since).is_verified is is_verified
    # A check is needed all the same, and staff have the last word.
    assert not at(replace(file, is_checked=False), since).is_verified
    assert not at(replace(file, decisions=["block"]), since).is_verified
    assert at(replace(file, decisions=["grant"]), since).is_verified
    assert not at(replace(file, decisions=["grant", "block"]), since).is_verified
    assert not at(replace(file, decisions=["grant"], is_known=False), since).is_verified


def test_what_is_told_of_time_is_when_it_changes_something() -> None:
    file = on_file(years(YEAR))
    paid = at(file, DAY)
    # Stripe asks for the money of the next year hours after the last one is over.
    assert (paid.until, paid.next_at) == (START + YEAR + GRACE, START + YEAR + DAY)
    assert not paid.is_in_grace
    assert not at(file, YEAR + DAY - INSTANT).is_in_grace
    waiting = at(file, YEAR + DAY)
    assert (waiting.until, waiting.next_at) == (START + YEAR + GRACE, START + YEAR + GRACE)
    assert waiting.is_in_grace
    # A clock that is put back does not begin the same days of grace twice.
    begun = replace(file, grace_until=START + YEAR + GRACE)
    assert at(begun, YEAR - DAY).is_in_grace
    assert not at(replace(begun, years=years(YEAR, 2 * YEAR)), YEAR - DAY).is_in_grace
    canceled = at(replace(file, renewing=frozenset()), DAY)
    assert (canceled.until, canceled.next_at) == (START + YEAR, START + YEAR)
    granted = at(replace(file, decisions=["grant"]), 9 * YEAR)
    assert (granted.until, granted.next_at) == (None, None)


def test_a_clock_that_is_put_back_brings_nothing_back() -> None:
    file = on_file(years(YEAR))
    over = at(file, YEAR + GRACE + DAY)
    assert not over.is_verified
    assert over.ended_until == START + YEAR + GRACE
    kept = replace(file, ended_until=over.ended_until)
    put_back = at(kept, YEAR)
    assert not put_back.is_verified
    assert put_back.ended_until == over.ended_until
    # Money that comes later does.
    paid = replace(kept, years=years(YEAR, 2 * YEAR))
    assert at(paid, YEAR + GRACE + 2 * DAY).is_verified


def plainly(file: OnFile, now: datetime) -> bool:
    """Tell it a second time, as the rules are written, for one subscription."""
    if "block" in file.decisions:
        return False
    if "grant" in file.decisions:
        return True
    if not file.is_checked:
        return False
    kept = [year.ends_at for year in file.years if not year.is_given_back]
    if not kept:
        return False
    end = max(kept)
    newest_is_kept = end == max(year.ends_at for year in file.years)
    renews = "sub_1" in file.renewing and newest_is_kept
    return now < end or (renews and now - end <= GRACE)


@given(
    lengths=st.lists(st.integers(1, 40), max_size=4),
    back=st.sets(st.integers(0, 3)),
    renews=st.booleans(),
    is_checked=st.booleans(),
    decisions=st.lists(st.sampled_from(["grant", "block"]), max_size=2),
    days=st.integers(0, 200),
)
def test_the_rules_told_twice_say_the_same(
    *,
    lengths: list[int],
    back: set[int],
    renews: bool,
    is_checked: bool,
    decisions: list[str],
    days: int,
) -> None:
    ends = [sum(lengths[: place + 1]) * DAY for place in range(len(lengths))]
    paid = years(*ends, back=sorted(back))
    file = replace(
        on_file(paid, renews=renews),
        is_checked=is_checked,
        decisions=decisions,  # type: ignore[arg-type]
        renewing=frozenset({"sub_1"}) if renews else frozenset(),
    )
    found = at(file, days * DAY)
    assert found.is_verified == plainly(file, START + days * DAY)
    if found.until is not None:
        assert plainly(file, found.until - INSTANT)
        assert not plainly(file, found.until + INSTANT)


@given(
    lengths=st.lists(st.integers(1, 40), min_size=1, max_size=3),
    other=st.integers(1, 120),
    days=st.integers(0, 200),
)
def test_of_several_subscriptions_the_one_that_lasts_longest_counts(
    lengths: list[int], other: int, days: int
) -> None:
    paid = years(*[length * DAY for length in lengths])
    second = years(other * DAY, sub="sub_2")
    both = replace(on_file([*paid, *second]), renewing=frozenset({"sub_1"}))
    alone = [
        replace(on_file(paid), renewing=frozenset({"sub_1"})),
        replace(on_file(second), renewing=frozenset()),
    ]
    assert at(both, days * DAY).is_verified == any(
        at(each, days * DAY).is_verified for each in alone
    )
