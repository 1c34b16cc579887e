"""Counts what some work does, which no busy machine changes."""

import sys
from collections.abc import Callable


def calls_of(work: Callable[[], object]) -> int:
    """Return how many functions some work calls."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls
