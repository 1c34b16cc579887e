"""Makes the text of the file: lists, each with what stands after it, one to a line."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from shared.tables.books import read_book
from shared.tables.entries import read_entry
from shared.tables.replay import TableReplay, TableSetup
from shared.tables.rounds import RoundState, SubjectState
from tests.tables.vectors.by_hand import BY_HAND
from tests.tables.vectors.by_lot import by_lot
from tests.tables.vectors.too_much import too_much

FILE: Final = Path(__file__).parents[2] / "vectors" / "tables.json"
SOURCE: Final = "replayed by shared/tables; `python -m tests.tables.vectors` makes it again"
SEED: Final = 20261201

Case = dict[str, Any]


def all_cases() -> list[Case]:
    """Return the cases that were worked out by hand, those with too much, and those drawn."""
    return [*BY_HAND, *too_much(), *by_lot(SEED)]


def cases_in_file() -> list[Case]:
    """Return the cases that the file has."""
    cases: list[Case] = json.loads(FILE.read_text())["cases"]
    return cases


def text_of(cases: Sequence[Case]) -> str:
    """Return the text of a file of these cases; what they expect is replayed anew."""
    lines = ",\n".join(json.dumps({**each, "expected": expected_of(each)}) for each in cases)
    return f'{{\n"source": {json.dumps(SOURCE)},\n"cases": [\n{lines}\n]\n}}\n'


def expected_of(case: Case) -> list[Case]:
    """Return what stands after the list of a case."""
    setup = TableSetup(
        read_book(case["book"]),
        case["games"],
        {int(number): tuple(people) for number, people in case["seats"].items()},
        {int(device): count for device, count in case["counts_to"].items()},
    )
    table = TableReplay(setup, map(read_entry, case["entries"]))
    return [_round(state) for state in table.rounds()]


def _round(state: RoundState) -> Case:
    return {
        "round": state.round,
        "games": [_subject(each) for each in state.games],
        "penalties": [_subject(each) for each in state.penalties],
        "totals": [
            [each.person, each.games, each.mahjongs, each.points_centi] for each in state.totals
        ],
        "played": state.played,
        "wall_games": state.wall_games,
        "questions": [each.about.which for each in state.questions],
        "is_whole": state.is_whole,
        "stands": list(state.stands),
        "confirmed": list(state.confirmed),
        "penalties_left_out": state.penalties_left_out,
    }


def _subject(state: SubjectState) -> Case:
    return {
        "which": state.about.which,
        "status": state.status,
        "outcome": None if state.outcome is None else asdict(state.outcome),
        "answer_count": state.answer_count,
        "answers": [
            [[entry.entry_id for entry in each.entries], each.count, each.phones, each.why_not]
            for each in state.answers
        ],
    }
