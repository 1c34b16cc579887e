"""Lays out the rounds that a correction gave other numbers, so that they add up. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from services.projections.history.answers import PoolChange, RoundNumbers, WhyCorrected
from services.site.players.told import game_type_words

PoolName: TypeAlias = Literal["mahjic", "verified"]

CHANGED_ROUNDS_PAGE: Final = 50


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """What a round did to the rating before and after a correction; None if it did not count."""

    day: object
    source: str
    what: str
    round_number: int
    before: float | None
    after: float | None
    difference: float


@dataclass(frozen=True, slots=True)
class ChangedTable:
    """A page of the rounds whose numbers changed in one pool, with the sum of the page."""

    rows: Sequence[ChangedRow]
    difference: float


def changed_rows(reason: WhyCorrected, pool: PoolName) -> ChangedTable:
    """Return the rounds of a page whose numbers changed in a pool."""
    rows = []
    for each in reason["rounds"] or ():
        before, after = _counted(each["before"], pool), _counted(each["after"], pool)
        if before != after:
            rows.append(
                ChangedRow(
                    day=each["session_date"],
                    source=each["source"]["name"],
                    what=game_type_words(each["game_type"]),
                    round_number=each["round_number"],
                    before=None if before is None else before / 100,
                    after=None if after is None else after / 100,
                    difference=((after or 0) - (before or 0)) / 100,
                )
            )
    return ChangedTable(rows, sum(round(row.difference * 100) for row in rows) / 100)


def _counted(numbers: RoundNumbers | None, pool: PoolName) -> int | None:
    """Return what a round gave in a pool, in hundredths, if it counted there."""
    if numbers is None:
        return None
    told: PoolChange = numbers[pool]
    if told["games_after"] == told["games_before"]:
        return None
    return round(told["rating_change"] * 100)
