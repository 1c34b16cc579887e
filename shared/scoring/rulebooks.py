"""The rule books by their names, each with what reads its files."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from shared.scoring.american_file import read_american
from shared.scoring.banker_file import read_banker
from shared.scoring.games import ScoredGames
from shared.scoring.hong_kong_file import read_hong_kong
from shared.scoring.wright_patterson.file import read_wright_patterson

# Takes the text of a file, and raises InvalidScores with all the mistakes in it.
ReadScores: TypeAlias = Callable[[str], ScoredGames]

RULE_BOOKS: Final[Mapping[str, ReadScores]] = MappingProxyType(
    {
        "hong-kong": read_hong_kong,
        "banker": read_banker,
        "wright-patterson": read_wright_patterson,
        "american": read_american,
    }
)
SHORT_NAMES: Final = MappingProxyType(
    {"hk": "hong-kong", "banker": "banker", "wp": "wright-patterson", "american": "american"}
)
