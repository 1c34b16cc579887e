"""A night as it is typed: texts in fields, right or wrong. Pure.

A table holds what the same people play together. Tables of one sitting are played side by side;
those of the next one come after them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

SEATS: Final = 4
# A hall of twelve tables plays two rounds in a night, or one of four plays six.
TABLES_MAX: Final = 24
# New people of one night; more come by the list of the club.
GUESTS_MAX: Final = 24
# What is longer is no name, no address and no number.
TEXT_MAX: Final = 320
KINDS: Final = ("league", "social", "tournament")
# A round that clubs play has this many games.
GAMES_USUAL: Final = "4"
_IN_SEAT: Final = ("who", "won", "points", "short")
_SITTING: Final = re.compile(r"[1-9][0-9]?", re.ASCII)


@dataclass(frozen=True, slots=True)
class TypedSeat:
    """Who sat there, how many games they won, and their points.

    `short` is what was typed if the whole name was found by it.
    """

    who: str = ""
    won: str = ""
    points: str = ""
    short: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is typed."""
        return not (self.who or self.won or self.points)


@dataclass(frozen=True, slots=True)
class TypedTable:
    """What was played at one table in one sitting."""

    sitting: int = 1
    games: str = GAMES_USUAL
    wall: str = ""
    seats: tuple[TypedSeat, ...] = (TypedSeat(),) * SEATS

    @property
    def is_empty(self) -> bool:
        """Whether nobody sits there and nothing is counted."""
        return not self.wall and all(seat.is_empty for seat in self.seats)

    @property
    def is_begun(self) -> bool:
        """Whether there is any result, and so whether it is time to say what is missing."""
        return bool(self.wall) or any(seat.won or seat.points for seat in self.seats)


@dataclass(frozen=True, slots=True)
class TypedGuest:
    """Somebody who is not on the list: how they are known is `address`, `private` or `anonymous`.

    It is empty as long as nobody said so.
    """

    name: str
    how: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class TypedNight:
    """A night with its tables, and the people who are new in it."""

    day: str
    kind: str
    tables: tuple[TypedTable, ...] = (TypedTable(),)
    guests: tuple[TypedGuest, ...] = field(default=())

    @property
    def has_points(self) -> bool:
        """Whether points count."""
        return self.kind != "social"


def read_night_form(sent: Mapping[str, str]) -> TypedNight:
    """Return what a form holds. What is too long for its field is cut; it is wrong anyway."""
    tables = [_table(sent, number) for number in _counted(sent, "games-{}", TABLES_MAX)]
    guests = [_guest(sent, number) for number in _counted(sent, "guest-{}-name", GUESTS_MAX)]
    kind = sent.get("kind", "")
    return TypedNight(
        _text(sent, "date"),
        kind if kind in KINDS else "",
        tuple(tables) or (TypedTable(),),
        tuple(each for each in guests if each.name),
    )


def as_document(night: TypedNight) -> dict[str, Any]:
    """Return a night as a document of plain values."""
    return asdict(night)


def from_document(kept: Mapping[str, Any]) -> TypedNight:
    """Return the night of such a document."""
    return TypedNight(
        kept["day"],
        kept["kind"],
        tuple(
            TypedTable(
                each["sitting"],
                each["games"],
                each["wall"],
                tuple(TypedSeat(**seat) for seat in each["seats"]),
            )
            for each in kept["tables"]
        ),
        tuple(TypedGuest(**each) for each in kept["guests"]),
    )


def _counted(sent: Mapping[str, str], name: str, most: int) -> Iterator[int]:
    for number in range(most):
        if name.format(number) not in sent:
            return
        yield number


def _table(sent: Mapping[str, str], number: int) -> TypedTable:
    sitting = sent.get(f"sitting-{number}", "")
    return TypedTable(
        int(sitting) if _SITTING.fullmatch(sitting) else 1,
        _text(sent, f"games-{number}"),
        _text(sent, f"wall-{number}"),
        tuple(
            TypedSeat(*(_text(sent, f"{what}-{number}-{seat}") for what in _IN_SEAT))
            for seat in range(SEATS)
        ),
    )


def _guest(sent: Mapping[str, str], number: int) -> TypedGuest:
    how = sent.get(f"guest-{number}-how", "")
    return TypedGuest(
        _text(sent, f"guest-{number}-name"),
        how if how in {"address", "private", "anonymous"} else "",
        _text(sent, f"guest-{number}-address"),
    )


def _text(sent: Mapping[str, str], name: str) -> str:
    return " ".join(sent.get(name, "")[:TEXT_MAX].split())
