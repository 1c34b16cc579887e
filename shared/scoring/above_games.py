"""Reads the lines that stand above games: the date, and the four names that sit down."""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Final

from shared.scoring.against_rules import AgainstTheRules
from shared.scoring.lines import DATE, read_date, short

SEATS: Final = 4
_NAME: Final = re.compile(r"[^#*0-9-][^#*]*")


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


def are_names(words: Sequence[str]) -> bool:
    """Return whether a line can be four names: no # or *, and no - or digit to begin with."""
    return len(words) == SEATS and all(map(_NAME.fullmatch, words))


def four_players(names: Sequence[str]) -> tuple[str, ...]:
    """Return the players in seating order; raise AgainstTheRules when one sits there twice."""
    twice = [short(name) for name, count in Counter(names).items() if count > 1]
    if twice:
        named = f"{' and '.join(twice)} {'is' if len(twice) == 1 else 'are'} named twice"
        raise AgainstTheRules("player_twice", f"{named}; four different players sit at a table.")
    return tuple(names)
