"""Reads the line of four names with which a game begins."""

import re
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
    for name in names:
        if names.count(name) > 1:
            raise AgainstTheRules(
                "player_twice",
                f"{short(name)} is named twice; four different players sit at a table.",
            )
    return tuple(names)
