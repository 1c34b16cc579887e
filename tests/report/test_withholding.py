"""No count below five is told anywhere, nor one from which it could be worked out."""

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import combinations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from services.report.telling import counts_told
from services.report.withholding import told, told_list, told_part
from tests.log.adapters import new_memory_logs
from tests.rater.stories import ADOPTED, a_round, a_session
from tests.report.conftest import MadeUpYears
from tests.report.made_up import bodies_of, let_rate
from tests.report.years import NEXT_YEAR, page_text, report_of

# What is no count: what stands for a year, a month, a place on a log, a ratio, a rating or money.
NO_COUNTS = re.compile(r"year|month|fact|facts|verdicts|.*_micro|.*_centi|.*_cents")

cells = st.dictionaries(st.text("abc", min_size=1), st.integers(0, 30), min_size=1, max_size=8)


@given(cells)
def test_nothing_small_can_be_worked_out_of_a_list(counts: dict[str, int]) -> None:
    found = counts_told(counts)
    each = {one["names"][0]: one["count"] for one in found["each"]}
    assert all(counts[name] == count >= 5 for name, count in each.items())
    hidden = counts.keys() - each.keys()
    if found["total"] is None:
        assert not each
        assert found["together"] is None
    elif hidden:
        # The rest is known to all: at least five, and of two cells or more.
        assert found["total"] - sum(each.values()) >= 5
        assert len(hidden) >= 2
        assert found["together"] is not None
        assert {*found["together"]["names"]} == hidden


@given(cells)
def test_whatever_is_hidden_could_be_something_else(counts: dict[str, int]) -> None:
    """Other counts, with other small ones, would be told by the same words."""
    small = [name for name, count in counts.items() if count < 5]
    found = counts_told(counts)
    if not small or found["total"] is None:
        return
    hidden = [name for name in counts if name not in {one["names"][0] for one in found["each"]}]
    others = [
        {**counts, one: counts[one] + by, other: counts[other] - by}
        for one, other in combinations(hidden, 2)
        for by in (-1, 1)
        if min(counts[one] + by, counts[other] - by) >= 0
    ]
    assert any(counts_told(other) == found for other in others)


@given(cells)
def test_a_list_hides_no_more_than_it_must(counts: dict[str, int]) -> None:
    found = told_list([*counts], lambda names: (sum(counts[name] for name in names),))
    if all(count >= 5 for count in counts.values()):
        assert found.each == tuple(counts)
    hidden = [*found.together, *found.untold]
    large = [name for name in hidden if counts[name] >= 5]
    assert len(large) <= 1


def test_a_part_is_told_only_with_a_rest_that_may_be() -> None:
    assert [told(count) for count in (0, 4, 5)] == [None, None, 5]
    assert [told_part(*both) for both in ((5, 10), (4, 10), (6, 10), (10, 10))] == [
        *(5, None, None, None)
    ]


def counts_in(told: Any, name: str = "") -> Iterator[tuple[str, int]]:
    """Yield every whole number of a document that is a count, with its name."""
    if isinstance(told, dict):
        for key, value in told.items():
            yield from counts_in(value, key)
    elif isinstance(told, list):
        for value in told:
            yield from counts_in(value, name)
    elif type(told) is int and not NO_COUNTS.fullmatch(name):
        yield name, told


def small_cells(page: str) -> Sequence[str]:
    """Return the numbers from 0 to 4 that stand for themselves in a page's tables and text."""
    text = re.sub(r"<style>.*?</style>|<svg.*?</svg>", "", page, flags=re.DOTALL)
    return re.findall(r"(?:<td[^>]*>|: )([0-4])(?=</td>|\.\s|</p>)", text)


async def test_no_count_below_five_is_in_a_report(years: MadeUpYears) -> None:
    report = await report_of(years.logs)
    found = dict(counts_in(report))
    assert found.keys() >= {"total", "count", "sessions", "forecasts", "players", "played_in_year"}
    assert [both for both in counts_in(report) if both[1] < 5] == []
    assert small_cells(page_text(report)) == []
    assert "fewer than 5" in page_text(report)


async def test_a_year_of_few_tells_nothing_but_that_they_are_few() -> None:
    session = a_session(a_round({"MJ-A": 1, "MJ-B": 0}), name="s-1")
    logs = new_memory_logs()
    day = NEXT_YEAR - timedelta(days=200)
    bodies = bodies_of([(day, ADOPTED), (day + timedelta(days=1), session)])
    await let_rate(logs, bodies, 2)
    report = await report_of(logs)
    assert list(counts_in(report)) == []
    assert report["figures"]["forecasts"]["total"] is None
    assert small_cells(page_text(report)) == []
    assert "Fewer than 5 sessions were played." in page_text(report)
    assert "Too little was played to say anything." in page_text(report)


async def test_a_group_of_few_players_is_not_told_however_much_they_played() -> None:
    """Two people play each other all year: what a table of two says is about them."""
    played = [a_session(a_round({"MJ-A": 3, "MJ-B": 1}), name=f"s-{at}") for at in range(20)]
    logs = new_memory_logs()
    day = NEXT_YEAR - timedelta(days=200)
    dated = [(day + timedelta(hours=at), each) for at, each in enumerate([ADOPTED, *played])]
    await let_rate(logs, bodies_of(dated), len(dated))
    forecasts = (await report_of(logs))["figures"]["forecasts"]
    assert forecasts["total"] is None
    for found in (forecasts["by_band"], forecasts["by_games"], forecasts["by_expected_score"]):
        assert (found["each"], found["together"]) == ([], None)
