"""What readers can choose on a board, as links that keep what else they chose. Pure.

Pages have numbers, and a page shows who is on those places now: a link to it means the same next
month, and every page has one address. A cursor would show where a reader left off, on a board that
nobody else sees anymore.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlencode

from services.projections.leaderboards.boards import GAMES_MIN_DEFAULT
from services.site.boards.places import REGIONS
from services.site.kit.words import _

PAGE_PLAYERS: Final = 50
GAMES_CHOICES: Final = (GAMES_MIN_DEFAULT, 25, 50)
DAYS_CHOICE: Final = 90
LEADERBOARD_PATH: Final = "/leaderboard"


@dataclass(frozen=True, slots=True)
class Choice:
    """A link to the same board with something else chosen."""

    words: str
    path: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class ChoiceGroup:
    """Choices of which one is chosen, or none if an address says something that has no link."""

    title: str
    choices: Sequence[Choice]


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which page of a board is asked for, and who is on it.

    The names in an address are those of the interface, but for the number of the page.
    """

    path: str
    page: int = 1
    games_min: int = GAMES_MIN_DEFAULT
    active_within_days: int | None = None

    @property
    def offset(self) -> int:
        return (self.page - 1) * PAGE_PLAYERS

    @property
    def is_filtered(self) -> bool:
        return self.games_min != GAMES_MIN_DEFAULT or self.active_within_days is not None

    @property
    def address(self) -> str:
        """The address of this page, the same however it was asked for."""
        query: dict[str, int] = {}
        if self.active_within_days is not None:
            query["active_within_days"] = self.active_within_days
        if self.games_min != GAMES_MIN_DEFAULT:
            query["min_games"] = self.games_min
        if self.page > 1:
            query["page"] = self.page
        return f"{self.path}?{urlencode(query)}" if query else self.path

    def of_board(self, path: str) -> "Chosen":
        return replace(self, path=path)

    def on_page(self, page: int) -> "Chosen":
        return replace(self, page=page)


def path_of_place(place: int) -> str:
    """Return the page of the leaderboard that a place is on. Equals may reach into the next one."""
    return Chosen(LEADERBOARD_PATH, page=1 + (place - 1) // PAGE_PLAYERS).address


def choices_of(chosen: Chosen, *, has_regions: bool) -> Sequence[ChoiceGroup]:
    """Return the choices on a board. The boards of regions lead to one another."""
    first = chosen.on_page(1)
    groups = [
        _group(
            _("Played"),
            first,
            [
                (_("At any time"), replace(first, active_within_days=None)),
                (_("In the last 90 days"), replace(first, active_within_days=DAYS_CHOICE)),
            ],
        ),
        _group(
            _("Verified games"),
            first,
            [
                (_("{} or more").format(games), replace(first, games_min=games))
                for games in GAMES_CHOICES
            ],
        ),
    ]
    if has_regions:
        everywhere = (_("Everywhere"), first.of_board(LEADERBOARD_PATH))
        regions = [
            (words, first.of_board(f"{LEADERBOARD_PATH}/{name}")) for name, words in REGIONS.items()
        ]
        groups.insert(0, _group(_("Region"), first, [everywhere, *regions]))
    return groups


def _group(title: str, first: Chosen, choices: Iterable[tuple[str, Chosen]]) -> ChoiceGroup:
    return ChoiceGroup(
        title, [Choice(words, each.address, each == first) for words, each in choices]
    )
