"""Short cases with what stands after them, worked out by hand from the rules in docs/scoring.md."""

from collections.abc import Sequence
from typing import Any, Final

A, B, C, D = (letter * 22 for letter in "ABCD")
SEATS: Final = {"1": [1, 2, 3, 4]}


def _entry(
    entry_id: str, game: int, content: object, *, device: int = 1, replaces: Sequence[str] = ()
) -> dict[str, Any]:
    return {
        "id": entry_id,
        "device": device,
        "count": "ABCD".index(entry_id[0]) + 1,
        "about": {"game": [1, game]},
        "replaces": list(replaces),
        "content": content,
    }


def _round(**told: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {
        "round": 1,
        "games": [],
        "penalties": [],
        "totals": [[person, 0, 0, None] for person in (1, 2, 3, 4)],
        "played": 0,
        "wall_games": 0,
        "questions": [],
        "is_whole": False,
        "stands": [],
        "confirmed": [],
        "penalties_left_out": 0,
    }
    return empty | told


BY_HAND: Final[Sequence[dict[str, Any]]] = (
    # Two phones say different things, a third decides, and everybody says that it is right.
    {
        "book": {"name": "who"},
        "games": 1,
        "seats": SEATS,
        "counts_to": {},
        "entries": [
            _entry(A, 1, {"winner": 2}),
            _entry(B, 1, {"winner": 3}, device=2),
            _entry(C, 1, {"winner": 3}, device=3, replaces=[A, B]),
            {
                **_entry(D, 1, {"stands": [C], "for": [1, 2, 3, 4]}, device=3),
                "about": {"right": 1},
            },
        ],
        "expected": [
            _round(
                games=[
                    {
                        "which": 1,
                        "status": "counts",
                        "outcome": {"winner": 3, "points_centi": None},
                        "answer_count": 1,
                        "answers": [[[C], 1, 1, ""]],
                    }
                ],
                totals=[[1, 1, 0, None], [2, 1, 0, None], [3, 1, 1, None], [4, 1, 0, None]],
                played=1,
                is_whole=True,
                stands=[C],
                confirmed=[1, 2, 3, 4],
            )
        ],
    },
    # An undo that meets a change: two answers, and nothing counts until somebody decides.
    {
        "book": {"name": "who"},
        "games": 1,
        "seats": SEATS,
        "counts_to": {},
        "entries": [
            _entry(B, 1, None, device=2, replaces=[A]),
            _entry(C, 1, {"winner": None}, replaces=[A]),
            _entry(A, 1, {"winner": 2}),
        ],
        "expected": [
            _round(
                games=[
                    {
                        "which": 1,
                        "status": "two_answers",
                        "outcome": None,
                        "answer_count": 2,
                        "answers": [[[B], 1, 1, ""], [[C], 1, 1, ""]],
                    }
                ],
                questions=[1],
            )
        ],
    },
    # An answer that was taken back and comes again comes behind those that stood meanwhile.
    {
        "book": {"name": "who"},
        "games": 2,
        "seats": SEATS,
        "counts_to": {},
        "entries": [
            _entry(A, 1, {"winner": 2}),
            _entry(B, 1, {"winner": 3}, device=2),
            _entry(C, 1, {"winner": 9}, device=3),
            _entry(D, 1, {"winner": 2}, device=2, replaces=[A]),
        ],
        "expected": [
            _round(
                games=[
                    {
                        "which": 1,
                        "status": "two_answers",
                        "outcome": None,
                        "answer_count": 3,
                        "answers": [
                            [[B], 1, 1, ""],
                            [[D], 1, 1, ""],
                            [[C], 1, 1, "Somebody is named who doesn't sit here in this round."],
                        ],
                    }
                ],
                questions=[1],
            )
        ],
    },
    # 25 off a discard of person 4, and a wall game: 50 and twice 25 are paid.
    {
        "book": {"name": "american", "way": "payment"},
        "games": 2,
        "seats": SEATS,
        "counts_to": {},
        "entries": [
            _entry(A, 1, {"winner": 1, "value": 25, "by": 4}),
            _entry(B, 2, {"winner": None}),
        ],
        "expected": [
            _round(
                games=[
                    {
                        "which": 1,
                        "status": "counts",
                        "outcome": {"winner": 1, "points_centi": [10000, -2500, -2500, -5000]},
                        "answer_count": 1,
                        "answers": [[[A], 1, 1, ""]],
                    },
                    {
                        "which": 2,
                        "status": "counts",
                        "outcome": {"winner": None, "points_centi": [0, 0, 0, 0]},
                        "answer_count": 1,
                        "answers": [[[B], 1, 1, ""]],
                    },
                ],
                totals=[[1, 2, 1, 10000], [2, 2, 0, -2500], [3, 2, 0, -2500], [4, 2, 0, -5000]],
                played=2,
                wall_games=1,
                is_whole=True,
                stands=[A, B],
            )
        ],
    },
)
