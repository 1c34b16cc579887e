"""Writes the tables of counts of a report, and the numbers in all its tables. Pure."""

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

from services.report.shapes import CountsTold, CountTold
from services.site.kit.words import shown_number
from shared.papers.page import Row, table

NOT_TOLD: Final = "not told"
FEWER: Final = "fewer than 5"


def counts_table(caption: str, columns: Sequence[str], told: CountsTold) -> Markup:
    """Return a table of counts, with their total above them."""
    rows: list[Row] = [("All", count(told["total"], FEWER))]
    rows += [_counts_row(each) for each in told["each"]]
    if told["each"] and told["together"] is not None:
        rows.append(_counts_row(told["together"]))
    if not told["each"]:
        rows.append(undivided(1))
    return table(caption, columns, rows)


def undivided(cells: int) -> Row:
    """Return the row that stands for a list of which no cell is told."""
    return ("The breakdown", *[NOT_TOLD] * cells)


def _counts_row(told: CountTold) -> Row:
    return joined(told["names"]), shown_number(told["count"])


def joined(names: Sequence[str]) -> str:
    """Return names in one phrase: A, b and c, together."""
    phrase = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}, together"
    return phrase[:1].upper() + phrase[1:]


def joined_ranges(names: Sequence[str]) -> str:
    """Return ranges such as 5% to 10% in one phrase, those that meet as one."""
    ranges: list[tuple[str, str]] = []
    for name in names:
        low, _, high = name.partition(" to ")
        if ranges and ranges[-1][1] == low:
            low, _ = ranges.pop()
        ranges.append((low, high))
    return joined([f"{low} to {high}" for low, high in ranges])


def count(number: int | None, otherwise: str = NOT_TOLD) -> str:
    """Return a count, or the words for one that is not told."""
    return otherwise if number is None else shown_number(number)


def share(micro: int) -> str:
    """Return a share in percent, with one decimal."""
    return f"{micro / 10_000:.1f}%"


def measure(micro: int | None) -> str:
    """Return a measure such as a log loss, with four decimals."""
    return NOT_TOLD if micro is None else f"{micro / 1_000_000:.4f}"
