"""Pages are late if they don't show what was on record a minute ago, and only then."""

from hypothesis import given
from hypothesis import strategies as st

from services.site.kit.lateness import LATE_S, Lateness

LOOKS = st.lists(
    # Seconds since the look before, new facts since then, and how many facts are not shown.
    st.tuples(st.sampled_from((1, 5, 30, 61)), st.integers(0, 2), st.integers(0, 4)),
    min_size=1,
    max_size=40,
)


@given(LOOKS)
def test_it_is_late_if_a_fact_of_a_minute_ago_is_not_shown(
    looks: list[tuple[int, int, int]],
) -> None:
    lateness = Lateness()
    assert not lateness.is_late
    seen: list[tuple[float, int]] = []
    now_s, end_seq = 1000.0, 10
    for passed_s, new, unshown in looks:
        now_s, end_seq = now_s + passed_s, end_seq + new
        shown_seq = end_seq - unshown
        seen.append((now_s, end_seq))
        lateness.look(shown_seq, end_seq, now_s)
        due = [end for looked_s, end in seen if now_s - looked_s >= LATE_S]
        assert lateness.is_late is any(end > shown_seq for end in due)


def test_what_never_stops_coming_makes_nothing_late() -> None:
    lateness = Lateness()
    for second in range(600):
        lateness.look(10 * second - 50, 10 * second, float(second))
        assert not lateness.is_late


def test_it_keeps_no_more_looks_than_a_minute_has() -> None:
    lateness = Lateness()
    for second in range(10_000):
        lateness.look(0, second, float(second))
    assert lateness.is_late
    assert len(lateness._ends) <= LATE_S + 1
