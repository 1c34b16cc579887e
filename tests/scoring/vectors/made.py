"""Makes the text of the file: cases, each with what its rule book makes of it, one to a line."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from tests.scoring.vectors.answers import ANSWERS
from tests.scoring.vectors.by_hand import BY_HAND
from tests.scoring.vectors.by_lot import by_lot

FILE: Final = Path(__file__).parents[2] / "vectors" / "scoring.json"
SOURCE: Final = "calculated by shared/scoring; `python -m tests.scoring.vectors` makes it again"
SEED: Final = 20261130

Cases = Mapping[str, Iterable[dict[str, Any]]]


def all_cases() -> Cases:
    """Return the cases that were calculated by hand, and behind them those that were drawn."""
    lots = by_lot(SEED)
    return {book: [*BY_HAND[book], *lots[book]] for book in ANSWERS}


def cases_in_file() -> Cases:
    """Return the cases that the file has."""
    books: Cases = json.loads(FILE.read_text())
    return {book: books[book] for book in ANSWERS}


def text_of(cases: Cases) -> str:
    """Return the text of a file of these cases; what they expect is calculated anew."""
    books = (
        f"{json.dumps(book)}: [\n" + ",\n".join(_line(book, each) for each in cases[book]) + "\n]"
        for book in ANSWERS
    )
    return f'{{\n"source": {json.dumps(SOURCE)},\n' + ",\n".join(books) + "\n}\n"


def _line(book: str, case: dict[str, Any]) -> str:
    asked = {name: value for name, value in case.items() if name != "expected"}
    return json.dumps({**asked, "expected": ANSWERS[book](asked)})
