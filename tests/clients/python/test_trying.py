"""How long the client waits, when the chance is the least and the most there is."""

import pytest

from mahjic_client.trying import Answer, Patience


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [("7", 7), ("Sat, 31 Jan 2026 00:00:30 GMT", 30), ("Fri, 30 Jan 2026 00:00:00 GMT", 0)],
)
def test_a_wait_is_as_long_as_the_service_asks(asked: str, seconds: float) -> None:
    midnight = 1769817600.0  # 2026-01-31T00:00:00Z
    patience = Patience(clock=lambda: midnight, chance=lambda: 0.0)
    assert patience.before(0, Answer(503, {"retry-after": asked}, b"")).seconds == seconds


def test_waits_grow_up_to_the_longest_and_are_never_the_same_for_all() -> None:
    least = Patience(clock=lambda: 0.0, chance=lambda: 0.0)
    most = Patience(clock=lambda: 0.0, chance=lambda: 1.0)
    assert [least.before(tries, None).seconds for tries in (0, 1, 2, 20)] == [0.25, 0.5, 1, 30]
    assert [most.before(tries, None).seconds for tries in (0, 1, 2, 20)] == [0.5, 1, 2, 60]
