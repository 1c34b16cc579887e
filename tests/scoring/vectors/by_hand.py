"""Short cases that were calculated by hand from the rules in docs/scoring.md, and refusals."""

from collections.abc import Mapping
from typing import Any, Final

PAYMENT: Final = {"way": "payment"}
TOURNAMENT: Final = {"way": "tournament"}
NOTHING: Final = ["13579d", "24689b", "123c"]


def _american(rules: Any, expected: Any, **game: Any) -> dict[str, Any]:
    return {"rules": rules, "game": game, "expected": expected}


def _refused(code: str, message: str) -> dict[str, str]:
    return {"refused": code, "message": message}


_AMERICAN: Final = [
    _american(PAYMENT, [100, -25, -25, -50], kind="discard", winner=0, by=3, hand={"value": 25}),
    _american(
        PAYMENT,
        [-120, 360, -120, -120],
        kind="self_picked",
        winner=1,
        hand={"value": 30, "has_no_jokers": True},
    ),
    _american(
        PAYMENT,
        [-50, -50, 200, -100],
        kind="discard",
        winner=2,
        by=3,
        hand={"value": 50, "has_no_jokers": True, "is_singles_and_pairs": True},
        dead=[0],
    ),
    _american(
        PAYMENT,
        [-160, 0, 0, 160],
        kind="discard",
        winner=3,
        by=0,
        is_misnamed=True,
        hand={"value": 40},
    ),
    _american(PAYMENT, [0, 0, 0, 0], kind="wall", dead=[1]),
    _american(TOURNAMENT, [25, 0, 0, -10], kind="discard", winner=0, by=3, hand={"value": 25}),
    _american(
        TOURNAMENT,
        [0, 60, 0, 0],
        kind="self_picked",
        winner=1,
        hand={"value": 30, "has_no_jokers": True},
    ),
    _american(
        {**TOURNAMENT, "exposed_2_quint": 25},
        [0, -25, 50, 0],
        kind="discard",
        winner=2,
        by=1,
        hand={"value": 50, "exposures": 2, "has_quint": True},
        dead=[0],
    ),
    _american(TOURNAMENT, [10, 10, 0, 10], kind="wall", dead=[2]),
    _american(
        TOURNAMENT,
        _refused(
            "no_such_value",
            "No hand on the card is worth 26; the values are 20 to 100, in steps of 5.",
        ),
        kind="self_picked",
        winner=0,
        hand={"value": 26},
    ),
    _american(
        PAYMENT,
        _refused(
            "dead_hand_plays", "The winner has a dead hand; who is dead neither wins nor discards."
        ),
        kind="self_picked",
        winner=1,
        hand={"value": 25},
        dead=[1],
    ),
]
# The table of docs/scoring.md, "What is paid", and its bonuses.
_BANKER: Final[list[dict[str, Any]]] = [
    {"hand": {"banker": 0, "winner": 0}, "expected": [12, -4, -4, -4]},
    {"hand": {"banker": 1, "winner": 0}, "expected": [8, -4, -2, -2]},
    {"hand": {"banker": 0, "winner": 0, "by": 1}, "expected": [8, -8, 0, 0]},
    {"hand": {"banker": 1, "winner": 0, "by": 1}, "expected": [6, -6, 0, 0]},
    {"hand": {"banker": 1, "winner": 0, "by": 2}, "expected": [5, 0, -5, 0]},
    {
        "hand": {"banker": 2, "winner": 2, "is_standup": True, "is_in_between": True},
        "expected": [-16, -16, 48, -16],
    },
    {
        "hand": {"banker": 0, "winner": 1, "by": 1},
        "expected": _refused(
            "winner_as_discarder",
            "The winner is also the discarder; no one wins off their own discard.",
        ),
    },
]
# The worked game of docs/scoring.md, and a base with decimals.
_M8: Final = {"maximum_faan": 8, "responsibility": "half"}
_HONG_KONG: Final[list[dict[str, Any]]] = [
    {
        "rules": _M8,
        "result": {"kind": "discard", "winner": 0, "faan": 3, "by": 3},
        "expected": ["16", "-4", "-4", "-8"],
    },
    {"rules": _M8, "result": {"kind": "draw"}, "expected": ["0", "0", "0", "0"]},
    {
        "rules": _M8,
        "result": {"kind": "self_draw", "winner": 1, "faan": 5},
        "expected": ["-24", "72", "-24", "-24"],
    },
    {
        "rules": _M8,
        "result": {"kind": "false_win", "by": 2},
        "expected": ["192", "192", "-576", "192"],
    },
    {
        "rules": _M8,
        "result": {"kind": "self_draw", "winner": 2, "faan": 6, "guarantor": 0},
        "expected": ["-96", "0", "96", "0"],
    },
    {
        "rules": {"base": "0.1", "responsibility": "half"},
        "result": {"kind": "discard", "winner": 0, "faan": 0, "by": 1},
        "expected": ["0.2", "-0.1", "-0.05", "-0.05"],
    },
]
_HANDS: Final[list[dict[str, Any]]] = [
    {
        "words": ["[RRR]", "13579d", "2468b", "9c"],
        "ready": "no",
        "seat": 3,
        "prevailing": 1,
        # 4 points, 1 double: 8, rounded 10.
        "expected": {
            "score": 10,
            "points": [{"what": "open Pung of R", "number": 4}],
            "doubles": [{"what": "Triplet of R", "number": 1}],
        },
    },
    {
        "words": ["NNN", "GG", "1357d", "2468b"],
        "ready": "no",
        "seat": 4,
        "prevailing": 1,
        # 8 + 2 points, 1 double: 20.
        "expected": {
            "score": 20,
            "points": [
                {"what": "concealed Pung of N", "number": 8},
                {"what": "pair of G", "number": 2},
            ],
            "doubles": [{"what": "Triplet of N", "number": 1}],
        },
    },
    {
        "words": ["EEE", "222c", "555d", "888b", "9b"],
        "ready": "no",
        "seat": 1,
        "prevailing": 1,
        # 20 points; 2 doubles for East as seat and prevailing wind, 2 for the Pungs: 20 x 16.
        "expected": {
            "score": 320,
            "points": [
                {"what": "concealed Pung of 8b", "number": 4},
                {"what": "concealed Pung of 2c", "number": 4},
                {"what": "concealed Pung of 5d", "number": 4},
                {"what": "concealed Pung of E", "number": 8},
            ],
            "doubles": [
                {"what": "Triplet of E", "number": 2},
                {"what": "Four Concealed Pungs", "number": 2},
            ],
        },
    },
    {
        "words": ["123c"],
        "ready": "no",
        "seat": 1,
        "prevailing": 1,
        "expected": _refused(
            "wrong_count",
            "The hand has 3 tiles, counting a Kong as three; a hand that did not win has 13, plus "
            "its flowers.",
        ),
    },
]
_NO_HANDS: Final = [
    (
        [*NOTHING, "1234f"],
        "undeclared_bouquet",
        (
            "All four flowers make a bouquet, which is paid and discarded at once; write a "
            "`bouquet` line instead."
        ),
    ),
    ([*NOTHING, "1f", "1f"], "flower_twice", "1f is there 2 times; there is only one of it."),
    (
        ["EEEEE", "13579d", "246b"],
        "five_of_a_tile",
        "E is there 5 times; there are only 4 of it.",
    ),
    (
        ["x" * 50],
        "unknown_tile",
        (
            f"`x` in `{'x' * 40}...` is not the start of a tile; write digits and c, d, b, f or s, "
            "or one of E S W N R G P."
        ),
    ),
]
_IMPOSSIBLE: Final = [
    {
        "words": words,
        "ready": "no",
        "seat": 1,
        "prevailing": 1,
        "expected": _refused(code, message),
    }
    for words, code, message in _NO_HANDS
]
# The worked game of docs/scoring.md.
_ROUNDS: Final = [
    {
        "prevailing": 1,
        "are_flowers_declared": False,
        "win": {"by": 1, "worth": 300},
        "hands": [
            [0, NOTHING],
            [2, ["[RRR]", "13579d", "2468b", "9c"]],
            [3, ["NNN", "GG", "1357d", "2468b"]],
        ],
    },
    {"prevailing": 2, "win": None},
    {
        "prevailing": 2,
        "first_flower": 0,
        "win": {"by": 3, "worth": 100},
        "hands": [
            [0, ["4f", "555d", "13579c", "24689b"]],
            [1, ["[PPP]", "13579c", "24689b"]],
            [2, NOTHING],
        ],
    },
]


def _table(points: list[int], flower_pot: int, wall_pot: int, east: int) -> dict[str, Any]:
    pots = {"flower_pot": flower_pot, "wall_pot": wall_pot}
    return {"points": points, **pots, "east": east, "passes": east, "is_over": False}


_WRIGHT_PATTERSON: Final = [
    {
        "rounds": _ROUNDS,
        "expected": {
            "tables": [
                _table([9290, 11150, 9660, 9700], 200, 0, 1),
                _table([9240, 11100, 9610, 9650], 200, 200, 1),
                _table([9380, 10900, 9470, 10250], 0, 0, 2),
            ],
            "end": {**_table([9380, 10900, 9470, 10250], 0, 0, 2), "is_over": True},
        },
    }
]

BY_HAND: Final[Mapping[str, list[dict[str, Any]]]] = {
    "american": _AMERICAN,
    "banker": _BANKER,
    "hong_kong": _HONG_KONG,
    "hands": [*_HANDS, *_IMPOSSIBLE],
    "wright_patterson": _WRIGHT_PATTERSON,
}
