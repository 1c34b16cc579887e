"""Reads the line that says on which day the games below it were played."""

from collections.abc import Sequence
from datetime import date

from shared.scoring.against_rules import AgainstTheRules
from shared.scoring.lines import DATE, read_date


def is_date(words: Sequence[str]) -> bool:
    """Return whether a line has the form of a date, YYYY-MM-DD."""
    return len(words) == 1 and DATE.fullmatch(words[0]) is not None


def date_of(words: Sequence[str]) -> date:
    """Return the date on such a line; raise AgainstTheRules if it is not in the calendar."""
    day = read_date(words[0])
    if day is None:
        raise no_such_day(words[0])
    return day


def no_such_day(text: str) -> AgainstTheRules:
    """Return the refusal of a date that is not in the calendar."""
    return AgainstTheRules("invalid_date", f"{text} is not in the calendar.")
