"""A round that somebody makes up in the calculator: what was typed, and what it moves. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from services.site.kit.figures import centi
from services.site.kit.words import MINUS, _
from services.site.words.example import TABLE
from shared.rating.formula import Seat
from shared.rating.registry import Formula

NAMES: Final = tuple(each.name for each in TABLE)
KINDS_OF_GAME: Final[Mapping[str, str]] = {
    "league": _("League: points count"),
    "social": _("Social: open play, lessons"),
    "tournament": _("Tournament: points count"),
}


@dataclass(frozen=True, slots=True)
class FieldKind:
    """A kind of field: how it is named, what may stand in it, and what to say of anything else."""

    name: str
    label: str
    wrong: str
    places: int
    shape: re.Pattern[str]


# The shapes are those of the calculator on the page of the formula (static/made-up.js).
FIELD_KINDS: Final = (
    FieldKind(
        "rating",
        _("Rating"),
        _("Write a number like 1500 or 1487.25."),
        2,
        re.compile(r"-?[0-9]{1,5}(?:\.[0-9]{1,2})?"),
    ),
    FieldKind(
        "games",
        _("Games before"),
        _("Write a whole number, 0 or more."),
        0,
        re.compile(r"[0-9]{1,7}"),
    ),
    FieldKind("won", _("Won"), _("Write a whole number, 0 or more."), 0, re.compile(r"[0-9]{1,3}")),
    FieldKind(
        "points",
        _("Points"),
        _("Write a number like 125 or -50."),
        2,
        re.compile(r"-?[0-9]{1,7}(?:\.[0-9]{1,2})?"),
    ),
)
# Longer than anything that fits.
_TYPED_CHARACTERS_MAX: Final = 20


@dataclass(frozen=True, slots=True)
class Field:
    """What was typed in a field, and the number that it stands for; None if it stands for none."""

    kind: FieldKind
    typed: str
    value: int | None

    @property
    def is_wrong(self) -> bool:
        return self.value is None


@dataclass(frozen=True, slots=True)
class Typed:
    """What was typed about a player; who has no rating is left out."""

    name: str
    fields: Sequence[Field]

    @property
    def is_left_out(self) -> bool:
        return not self.fields[0].typed

    @property
    def is_wrong(self) -> bool:
        return any(each.is_wrong for each in self.fields)


@dataclass(frozen=True, slots=True)
class Move:
    """How far a player moves, and where to; in hundredths."""

    name: str
    change_centi: int
    after_centi: int


@dataclass(frozen=True, slots=True)
class MadeUpRound:
    """A round as it was typed."""

    kind: str
    players: Sequence[Typed]

    @property
    def is_wrong(self) -> bool:
        return any(each.is_wrong for each in self.players)

    @property
    def has_too_few(self) -> bool:
        """Whether fewer than two players are there."""
        return sum(not each.is_left_out for each in self.players) < 2

    def moves(self, formula: Formula) -> Sequence[Move]:
        """Return how the players move under a formula; nobody if something is wrong."""
        if self.is_wrong or self.has_too_few:
            return ()
        present = [each for each in self.players if not each.is_left_out]
        seats = [Seat(*(field.value or 0 for field in each.fields)) for each in present]
        changes = formula.rate_round(seats, points_count=self.kind != "social")
        return [
            Move(each.name, change, seat.rating_centi + change)
            for each, seat, change in zip(present, seats, changes, strict=True)
        ]


def read_round(typed: Mapping[str, str]) -> MadeUpRound:
    """Return the round that was typed, or the one of the page of the formula if none was."""
    if "kind" not in typed:
        typed = _example()
    kind = typed["kind"] if typed["kind"] in KINDS_OF_GAME else "league"
    players = [_read_player(typed, place, kind) for place in range(len(NAMES))]
    return MadeUpRound(kind, players)


def _read_player(typed: Mapping[str, str], place: int, kind: str) -> Typed:
    texts = [
        typed.get(f"{each.name}-{place}", "").strip()[:_TYPED_CHARACTERS_MAX]
        for each in FIELD_KINDS
    ]
    is_left_out = not texts[0]
    fields = []
    for each, text in zip(FIELD_KINDS, texts, strict=True):
        is_ignored = is_left_out or not text or (each.name == "points" and kind == "social")
        fields.append(Field(each, text, 0 if is_ignored else _whole(text, each)))
    return Typed(NAMES[place], fields)


def _whole(text: str, kind: FieldKind) -> int | None:
    """Return a decimal number in units of its last place, or None if it is none."""
    plain = text.replace(MINUS, "-").removeprefix("+")
    if not kind.shape.fullmatch(plain):
        return None
    units, _point, decimals = plain.partition(".")
    return int(units + decimals.ljust(kind.places, "0"))


def _example() -> Mapping[str, str]:
    example = {"kind": "league"}
    for place, sitter in enumerate(TABLE):
        example |= {
            f"rating-{place}": centi(sitter.rating_centi, shortest=True),
            f"games-{place}": str(sitter.games_before),
            f"won-{place}": str(sitter.won),
            f"points-{place}": centi(sitter.points_centi, shortest=True),
        }
    return example
