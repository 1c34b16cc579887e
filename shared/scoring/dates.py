"""Reads the line that says on which day the games below it were played."""

import re
from collections.abc import Sequence
from datetime import date
from typing import Final

from shared.scoring.against_rules import AgainstTheRules
from shared.scoring.lines import read_date

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def is_date(words: Sequence[str]) -> bool:
    """Return whether a line has the form of a date, YYYY-MM-DD."""
    return len(words) == 1 and _DATE.fullmatch(words[0]) is not None


def date_of(words: Sequence[str]) -> date:
    """Return the date of such a line; raise AgainstTheRules when no calendar has it."""
    day = read_date(words[0])
    if day is None:
        raise AgainstTheRules("invalid_date", f"{words[0]} is no day of the calendar.")
    return day
