"""What can be chosen, by name.

Written by `make docs` from docs/openapi.json.
"""

from typing import Literal

GameType = Literal["social", "league", "tournament"]


IfSimilar = Literal["warn", "refuse"]


Reason = Literal[
    "entered_twice",
    "wrong_players",
    "wrong_result",
    "not_played",
    "rules_broken",
    "test_entry",
    "other",
]


Region = Literal["northeast", "southeast", "midwest", "southwest", "west", "international"]


Rulebook = Literal["hong-kong", "hk", "banker", "wright-patterson", "wp", "american"]


Since = Literal["now", "beginning"]


State = Literal["open", "with_staff", "answered", "resolved"]


Status = Literal["accepted", "rated", "voided", "corrected", "refused"]
