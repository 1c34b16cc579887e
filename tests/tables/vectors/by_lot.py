"""Draws lists as bad luck and bad people make them, under every rule book."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final

BOOKS: Final = (
    {"name": "who"},
    {"name": "american", "way": "payment"},
    {"name": "american", "way": "tournament", "exposed_2_quint": 25},
    {"name": "hong-kong", "base_centi": 50, "responsibility": "half"},
    {"name": "hong-kong", "maximum_faan": 10, "spiciness": "spicy"},
    {"name": "banker"},
    {"name": "points"},
)
_LISTS: Final = 8
_ENTRIES_MAX: Final = 24


def by_lot(seed: int) -> Iterator[dict[str, Any]]:
    """Yield the cases of a seed."""
    lots = Random(seed)
    for book in BOOKS:
        for _ in range(_LISTS):
            yield _case(lots, book)


def _case(lots: Random, book: dict[str, Any]) -> dict[str, Any]:
    seats = {"1": [1, 2, 3, 4], "2": lots.sample(range(1, 6), lots.choice((4, 4, 3, 2)))}
    ids = [f"{lots.getrandbits(60):022x}"[-22:] for _ in range(_ENTRIES_MAX)]
    entries = [_entry(lots, book, at, ids) for at in range(lots.randint(3, _ENTRIES_MAX))]
    lots.shuffle(entries)
    return {
        "book": book,
        "games": lots.randint(1, 4),
        "seats": seats,
        "counts_to": {"3": lots.randint(0, 20)} if lots.random() < 0.3 else {},
        "entries": entries,
    }


def _entry(lots: Random, book: dict[str, Any], at: int, ids: list[str]) -> dict[str, Any]:
    # A round without seats comes now and then.
    round_number = lots.choice((1, 1, 1, 2, 2, 9))
    kind = lots.choice(("game",) * 7 + ("penalty", "right"))
    about: dict[str, Any] = {"game": [round_number, lots.randint(1, 4)]}
    content: dict[str, Any] | None = _game(lots, book)
    if kind == "penalty":
        about = {"penalty": [round_number, ids[lots.randint(0, 2)]]}
        content = {"person": lots.randint(1, 5), "points": lots.choice((-1000, -2500, 500))}
    elif kind == "right":
        about = {"right": round_number}
        content = {"stands": lots.sample(ids, lots.randint(0, 3)), "for": [lots.randint(1, 5)]}
    if lots.random() < 0.12:
        content = None
    return {
        "id": ids[at],
        "device": lots.randint(1, 4),
        "count": at + 1,
        "about": about,
        # Also what comes later, what is about something else, and itself.
        "replaces": lots.sample(ids, lots.choice((0, 0, 1, 1, 2, 5))),
        "content": content,
    }


def _game(lots: Random, book: dict[str, Any]) -> dict[str, Any]:
    winner = lots.choice((None, 1, 1, 2, 2, 3, 4, 5))
    content: dict[str, Any] = {"winner": winner}
    if book["name"] == "points":
        people = sorted(lots.sample(range(1, 6), lots.choice((2, 4, 4))))
        return {**content, "points": [[each, lots.randint(-3000, 3000)] for each in people]}
    chances: dict[str, Callable[[], object]] = {
        "by": lambda: lots.randint(1, 5),
        "dead": lambda: [lots.randint(1, 5)],
        "no_jokers": lambda: True,
        "singles": lambda: lots.random() < 0.5,
        "exposures": lambda: lots.randint(0, 5),
        "quint": lambda: True,
        "misnamed": lambda: lots.random() < 0.3,
        "guarantor": lambda: lots.randint(1, 5),
        "guaranteed": lambda: True,
        "false_win": lambda: lots.randint(1, 4),
        "standup": lambda: True,
        "in_between": lambda: True,
    }
    always = {
        "american": {"value": lots.choice((25, 30, 50, 75, 23))},
        "hong-kong": {"faan": lots.randint(0, 14)},
        "banker": {"banker": lots.randint(1, 5)},
    }
    content |= always.get(book["name"], {})
    return content | {name: draw() for name, draw in chances.items() if lots.random() < 0.25}
