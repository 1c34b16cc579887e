"""What a summary tells of a night, in numbers as people read them. Pure."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class MovedRating:
    """What a rating is after a night, and by how much the night moved it, as people read it."""

    now: str
    change: str
    went: Literal["up", "down", "nowhere"]


@dataclass(frozen=True, slots=True)
class NightInShort:
    """What somebody played in a night. There is no `rating` unless everybody may see it."""

    rounds: int
    games: int
    won: int
    rating: MovedRating | None
