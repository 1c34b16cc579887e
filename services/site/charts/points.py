"""What a rating chart is drawn from: lines of points, as they stand on the log. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from services.site.kit.words import shown_rating


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """A rating after one session or one correction.

    `place` is its fact's place on the log. `is_superseded` says that the session has been voided or
    replaced since, so that a later correction took its change back.
    """

    place: int
    on: date
    rating_centi: int
    is_correction: bool = False
    is_superseded: bool = False


@dataclass(frozen=True, slots=True)
class ChartLine:
    """One rating over time: of a player, or of a pool.

    The points come in the order of the log, one for each place. `began_centi` is the rating before
    the first of them, if it is to be shown. `best` is the best rating, marked if it is given.
    """

    name: str
    points: Sequence[ChartPoint]
    began_centi: int | None = None
    best: ChartPoint | None = None

    def __post_init__(self) -> None:
        places = (point.place for point in self.points)
        assert all(one < next_one for one, next_one in pairwise(places)), "In the order of the log."


@dataclass(frozen=True, slots=True)
class Slots:
    """Where each place of the log stands from left to right, over all lines.

    The ratings before the first session stand to the left of all places.
    """

    slot_of: Mapping[int, int]
    dates: Sequence[date]
    has_beginning: bool

    @property
    def count(self) -> int:
        """How many there are, with the beginning."""
        return len(self.slot_of) + self.has_beginning


def slots_of(lines: Sequence[ChartLine]) -> Slots:
    """Return the slots that the points of all lines share."""
    dates = {point.place: point.on for line in lines for point in line.points}
    places = sorted(dates)
    has_beginning = any(line.began_centi is not None for line in lines)
    slot_of = {place: slot for slot, place in enumerate(places, has_beginning)}
    return Slots(slot_of, [dates[place] for place in places], has_beginning)


def ratings_of(lines: Sequence[ChartLine]) -> Iterator[int]:
    """Yield every rating that a chart of these lines shows, in centi."""
    for line in lines:
        yield from (point.rating_centi for point in line.points)
        if line.began_centi is not None:
            yield line.began_centi
        if line.best is not None:
            yield line.best.rating_centi


def shown_centi(rating_centi: int) -> str:
    """Return a rating as all pages show it, without decimals."""
    return shown_rating(rating_centi / 100)
