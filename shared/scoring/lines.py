"""Splits a file of scores into lines of words, as people and their editors see them."""

import re
from collections.abc import Iterable, Iterator
from datetime import date
from typing import Final

from shared.characters import forbidden_in_prose
from shared.scoring.mistakes import InvalidScores, ScoreFileMistake

BYTE_ORDER_MARK: Final = "\ufeff"
QUOTED_MAX: Final = 40
# The library reads other ways to write a date too.
DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def read_text(raw: bytes) -> str:
    """Return the text of a file. Raises InvalidScores when it is not written in UTF-8."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        line = 1 + len(re.findall(rb"\r\n|\r|\n", raw[: error.start]))
        what = "This line is not in UTF-8. Save the file as UTF-8 in your editor."
        raise InvalidScores([ScoreFileMistake(line, "not_utf_8", what)]) from None


def words_by_line(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the words of each line that has any, with its number from 1; comments are left out."""
    for number, line in numbered_lines(text):
        if words := line.partition("#")[0].split():
            yield number, words


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield each line with its number from 1, whichever system the file is from.

    A byte order mark, which some editors put before everything else, is no part of the first line.
    Raises InvalidScores when a line has a character that no one sees.
    """
    plain = text.removeprefix(BYTE_ORDER_MARK).replace("\r\n", "\n").replace("\r", "\n")
    lines = plain.split("\n")
    if forbidden_in_prose(plain) is not None:
        raise InvalidScores(_unseen_in(lines))
    return enumerate(lines, start=1)


def _unseen_in(lines: Iterable[str]) -> Iterator[ScoreFileMistake]:
    for number, line in enumerate(lines, start=1):
        if (odd := forbidden_in_prose(line)) is not None:
            what = f"This line has {odd}, an invisible character. Type the line again."
            yield ScoreFileMistake(number, "forbidden_character", what)


def read_date(text: str) -> date | None:
    """Return the day that YYYY-MM-DD names, or None for another text or no day of the calendar."""
    try:
        return date.fromisoformat(text) if DATE.fullmatch(text) else None
    except ValueError:
        return None


def short(word: str) -> str:
    """Return a word as a message quotes it; only the beginning of a very long one."""
    return word if len(word) <= QUOTED_MAX else f"{word[:QUOTED_MAX]}..."


def foreign_digit(words: Iterable[str]) -> str | None:
    """Return the first digit that looks like 0 to 9 and is none of them, such as a full-width 3."""
    return next((c for c in "".join(words) if c.isdigit() and not c.isascii()), None)
