"""Lists in which somebody enters too much: answers and penalties beyond the limits."""

from collections.abc import Iterator
from typing import Any


def too_much() -> Iterator[dict[str, Any]]:
    """Yield a game with a dozen answers, and a round with more penalties than are looked at."""
    answers = [
        _entry(at, {"game": [1, 1]}, {"winner": 1, "points": [[1, at], [2, -at]]})
        for at in range(1, 13)
    ]
    yield _case([*answers, *(_same(at) for at in range(13, 25))])
    penalties = [
        _entry(at, {"penalty": [1, f"{at // 2:022}"]}, {"person": 1 + at % 2, "points": -at})
        for at in range(1, 211)
    ]
    # The second one is taken back, so there is room for one more.
    undone = _entry(211, {"penalty": [1, f"{1:022}"]}, None, replaces=(2, 3))
    yield _case([*penalties, undone])


def _same(at: int) -> dict[str, Any]:
    return _entry(at, {"game": [1, 2]}, {"winner": 2, "points": [[1, -5], [2, 5]]})


def _entry(
    at: int, about: dict[str, Any], content: object, *, replaces: tuple[int, ...] = ()
) -> dict[str, Any]:
    return {
        "id": f"{at:022}",
        "device": 1 + at % 3,
        "count": at,
        "about": about,
        "replaces": [f"{each:022}" for each in replaces],
        "content": content,
    }


def _case(entries: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "book": {"name": "points"},
        "games": 2,
        "seats": {"1": [1, 2]},
        "counts_to": {},
        "entries": entries,
    }
