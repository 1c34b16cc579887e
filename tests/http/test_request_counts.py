"""No client has more than its limit in any minute, and a refusal says rightly when to return."""

from hypothesis import given
from hypothesis import strategies as st

from shared.request_counts import RequestCounts


def test_the_limit_is_granted_and_the_next_request_is_not() -> None:
    counts = RequestCounts()
    left = [counts.take("a", 3, now_s=100.0 + second).left for second in range(3)]
    assert left == [2, 1, 0]
    refused = counts.take("a", 3, now_s=110.0)
    assert (refused.is_granted, refused.left, refused.window_s) == (False, 0, 50)


def test_a_request_counts_for_a_minute_and_no_longer() -> None:
    counts = RequestCounts()
    counts.take("a", 1, now_s=100.0)
    assert not counts.take("a", 1, now_s=159.9).is_granted
    assert counts.take("a", 1, now_s=160.0).is_granted


def test_clients_do_not_touch_each_other() -> None:
    counts = RequestCounts()
    assert counts.take("a", 1, now_s=0.0).is_granted
    assert counts.take("b", 1, now_s=0.0).is_granted


def test_a_refund_gives_back_the_very_request() -> None:
    counts = RequestCounts()
    first = counts.take("a", 2, now_s=100.0)
    counts.take("a", 2, now_s=130.0)
    assert counts.give_back(first, now_s=140.0).left == 1
    assert counts.take("a", 2, now_s=150.0).is_granted
    assert counts.take("a", 2, now_s=150.0).window_s == 40  # Of the request at 130, not at 100.


def test_a_refund_that_comes_after_the_minute_gives_nothing() -> None:
    counts = RequestCounts()
    first = counts.take("a", 2, now_s=100.0)
    counts.take("a", 2, now_s=130.0)
    assert counts.give_back(first, now_s=170.0).left == 1


def test_a_limit_may_change_between_two_requests() -> None:
    counts = RequestCounts()
    for second in range(4):
        counts.take("a", 4, now_s=100.0 + second)
    assert counts.take("a", 5, now_s=110.0).is_granted
    cut = counts.take("a", 2, now_s=120.0)
    assert not cut.is_granted
    # Requests count at 100, 101, 102, 103 and 110; the fourth of them must end first.
    assert cut.window_s == 43
    assert not counts.take("a", 2, now_s=162.9).is_granted
    assert counts.take("a", 2, now_s=163.0).is_granted


def test_those_who_went_away_are_forgotten() -> None:
    counts = RequestCounts()
    for number in range(1000):
        counts.take(f"old {number}", 60, now_s=0.0)
    for number in range(1000):
        counts.take(f"new {number}", 60, now_s=61.0)
    assert len(counts) == 1000


def test_a_client_who_began_long_ago_and_came_since_is_not_forgotten() -> None:
    counts = RequestCounts()
    for at_s in (0.0, 50.0, 55.0):
        counts.take("a", 4, now_s=at_s)
    for number in range(10):
        counts.take(f"new {number}", 4, now_s=61.0)
    # Those at 50 and 55 count still, and this one.
    assert counts.take("a", 4, now_s=61.0).left == 1


def test_there_are_never_more_clients_than_the_limit() -> None:
    counts = RequestCounts(clients_max=10)
    for number in range(100):
        counts.take("loud", 200, now_s=number / 100)
        counts.take(f"client {number}", 2, now_s=number / 100)
        assert len(counts) <= 10
    assert counts.take("loud", 200, now_s=1.0).left == 99  # The loud one was never forgotten.
    assert not counts.take("client 99", 1, now_s=1.0).is_granted
    assert counts.take("client 1", 1, now_s=1.0).is_granted  # The quiet ones were.


@given(
    st.lists(st.tuples(st.floats(0, 40), st.booleans()), max_size=60),
    st.integers(1, 5),
)
def test_no_minute_ever_holds_more_than_the_limit(
    steps: list[tuple[float, bool]], limit: int
) -> None:
    """Checked against the plain list of all that was granted and not given back."""
    counts = RequestCounts()
    kept: list[float] = []
    now_s = 0.0
    for pause_s, is_free in steps:
        now_s += pause_s
        in_last_minute = [at for at in kept if now_s - at < 60]
        allowance = counts.take("a", limit, now_s)
        assert allowance.is_granted == (len(in_last_minute) < limit)
        if allowance.is_granted and is_free:
            assert counts.give_back(allowance, now_s).left == limit - len(in_last_minute)
        elif allowance.is_granted:
            kept.append(now_s)
        else:
            assert not _would_be_granted(kept, limit, now_s + allowance.window_s - 1.001)
            assert _would_be_granted(kept, limit, now_s + allowance.window_s + 0.001)


def _would_be_granted(kept: list[float], limit: int, at_s: float) -> bool:
    return len([at for at in kept if at_s - at < 60]) < limit
