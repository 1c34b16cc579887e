"""What a preview shows: public data only, as it is handed in. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

# More would be too small to read beside a link.
BOARD_ROWS_MAX: Final = 5


@dataclass(frozen=True, slots=True)
class PlayerCard:
    """A player as everyone sees them, on a card for a page of their own. Ratings are in points."""

    player_id: str
    name: str
    rating: float
    band: str
    place: int | None
    games: int


@dataclass(frozen=True, slots=True)
class PlayerPreview:
    """A player, and the ratings so far, oldest first, in centi."""

    player: PlayerCard
    ratings_centi: Sequence[int]


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """A row of a board."""

    place: int
    player_id: str
    name: str
    rating: float


@dataclass(frozen=True, slots=True)
class BoardPreview:
    """A leaderboard; only its first rows are shown."""

    title: str
    rows: Sequence[PreviewRow]


@dataclass(frozen=True, slots=True)
class SourcePreview:
    """A club, league or platform, and what it has brought in."""

    slug: str
    name: str
    sessions: int
    games: int
    players: int


@dataclass(frozen=True, slots=True)
class SitePreview:
    """Mahjic itself."""


Preview: TypeAlias = PlayerPreview | BoardPreview | SourcePreview | SitePreview
# Everything that is painted.
Picture: TypeAlias = Preview | PlayerCard
