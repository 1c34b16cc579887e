"""Splits a file of scores into lines of words, as people and their editors see them."""

from collections.abc import Iterable, Iterator
from datetime import date

BYTE_ORDER_MARK = "\ufeff"


def words_by_line(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the words of each line that has any, with its number from 1; comments are left out.

    A byte order mark, which some editors put before everything else, is no part of the first word.
    """
    plain = text.removeprefix(BYTE_ORDER_MARK).replace("\r\n", "\n").replace("\r", "\n")
    for number, line in enumerate(plain.split("\n"), start=1):
        if words := line.partition("#")[0].split():
            yield number, words


def read_date(text: str) -> date | None:
    """Return the day that YYYY-MM-DD names, or None when no calendar has it."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def foreign_digit(words: Iterable[str]) -> str | None:
    """Return the first digit that looks like 0 to 9 and is none of them, such as a full-width 3."""
    return next((c for c in "".join(words) if c.isdigit() and not c.isascii()), None)
