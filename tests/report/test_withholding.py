"""No count below five is told anywhere, nor one from which it could be worked out."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.report.telling import counts_told
from services.report.withholding import told, told_list, told_part
from shared.events.facts import FactEvent
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


@pytest.mark.parametrize(("cells_of", "total_max"), [(2, 40), (3, 24), (4, 16)])
def test_whoever_knows_the_rules_cannot_tell_a_small_count(cells_of: int, total_max: int) -> None:
    """All lists there are, up to a total: those told alike differ in each small count of theirs."""
    alike = defaultdict(list)
    for counts in product(range(total_max + 1), repeat=cells_of):
        if sum(counts) <= total_max:
            found = counts_told(dict(zip("abcd"[:cells_of], counts, strict=True)))
            alike[repr(found)].append(counts)
    assert len(alike) > 50
    for told_as, lists in alike.items():
        for values in map(set, zip(*lists, strict=True)):
            assert min(values) >= 5 or len(values) > 1, (told_as, lists)


@given(cells)
def test_a_list_hides_no_more_than_it_must(counts: dict[str, int]) -> None:
    found = told_list([*counts], lambda names: (sum(counts[name] for name in names),))
    if all(count >= 5 for count in counts.values()):
        assert found.each == tuple(counts)
    hidden = [*found.together, *found.untold]
    large = [name for name in hidden if counts[name] >= 5]
    assert len(large) <= 2


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
    facts: list[FactEvent] = [ADOPTED, *played]
    dated = [(day + timedelta(hours=at), each) for at, each in enumerate(facts)]
    await let_rate(logs, bodies_of(dated), len(dated))
    forecasts = (await report_of(logs))["figures"]["forecasts"]
    assert forecasts["total"] is None
    for found in (forecasts["by_band"], forecasts["by_games"], forecasts["by_expected_score"]):
        assert (found["each"], found["together"]) == ([], None)
