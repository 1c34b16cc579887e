"""The people of a club as its own desk sees them, and what they did in its sessions. Pure.

All of it is for the desk of the club alone. Of a player who is private it holds what the club's own
sessions say, and never a present rating.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, NamedTuple, TypeAlias

from services.projections.answering.correcting import Correcting
from services.projections.seasons.answers import PresentRating

# `new` has not played at the club yet.
KnownAs: TypeAlias = Literal["public", "private", "anonymous", "new"]


class WrongField(NamedTuple):
    """What is wrong with what was typed: the field, and what to do."""

    name: str
    words: str


@dataclass(frozen=True, slots=True)
class OwnNumbers:
    """What somebody did in a club's own sessions. Points and rating changes are in hundredths.

    `change_centi` is without the rounds of `reassigned` seats: they were rated for another player.
    """

    nights: int
    last_night: date
    games: int
    won: int
    points_centi: int | None
    change_centi: int
    reassigned: int = 0


@dataclass(frozen=True, slots=True)
class ClubPerson:
    """Somebody on the list of a club. `name` is None if nobody gave one; `sent` is the address.

    Without an address `sent` is empty. `same_as` is what the club calls the same person by another
    address, if that stands before this one.
    """

    entry: str
    name: str | None = field(repr=False)
    sent: str = field(repr=False)
    known_as: KnownAs
    is_private: bool
    player_id: str | None
    own: OwnNumbers | None = None
    present: PresentRating | None = None
    same_as: str | None = field(default=None, repr=False)

    @property
    def shown(self) -> str:
        """What to call them at the desk."""
        return self.name or self.sent


@dataclass(frozen=True, slots=True)
class ClubList:
    """The people of a club, by name.

    Without `is_counted` the club has too many sessions to add up. With `has_more` not everybody is
    on the list.
    """

    people: Sequence[ClubPerson]
    is_counted: bool
    has_more: bool


@dataclass(frozen=True, slots=True)
class SeasonLine:
    """Somebody who played between two days. `sent` is the address, empty if there is none."""

    player_id: str
    name: str | None = field(repr=False)
    sent: str = field(repr=False)
    known_as: KnownAs
    own: OwnNumbers
    present: PresentRating | None = None

    @property
    def shown(self) -> str:
        """What to call them at the desk."""
        return self.name or self.sent or self.player_id

    @property
    def on_paper(self) -> str:
        """What to call them where others read it: no address stands there."""
        return self.name or self.player_id


@dataclass(frozen=True, slots=True)
class ClubSeason:
    """Who played between two days, in no order. None for `lines`: too many sessions to add up."""

    sessions: int
    lines: Sequence[SeasonLine] | None
    correcting: Correcting | None
