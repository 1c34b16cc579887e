"""Reads the line of four names that starts a game."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from shared.scoring.against_rules import AgainstTheRules
from shared.scoring.lines import short

SEATS: Final = 4
_NAME: Final = re.compile(r"[^#*0-9-][^#*]*")


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
