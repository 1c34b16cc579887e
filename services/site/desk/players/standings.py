"""Who stands where in the standings of a season: on the page, on paper and in a file. Pure.

Equal numbers share a place. On paper and in a file, which others read, private players are left
out unless they are asked for, and places are counted without them. Over all nights a rating
change tells how somebody is rated, and that of one at a table can be told from those of the others:
so beside private players nobody's leaves the desk (docs/decisions/0039).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final, Literal, TypeAlias

from services.site.desk.players.club import SeasonLine
from services.site.kit.figures import centi
from services.site.kit.words import PLUS_MINUS_NOTHING, _, games_words, shown_number

Measure: TypeAlias = Literal["points", "won", "win_rate", "games", "rating_change"]
MEASURES: Final[Sequence[Measure]] = ("points", "won", "win_rate", "games", "rating_change")
MEASURE_WORDS: Final[Mapping[Measure, str]] = {
    "points": _("Points"),
    "won": _("Won"),
    "win_rate": _("Win rate"),
    "games": _("Games"),
    "rating_change": _("Rating change"),
}
# The first line of the file. Whoever reads it by a program relies on these.
FILE_HEADINGS: Final = (
    "place",
    "name",
    "player_id",
    "private",
    "nights",
    "games",
    "won",
    "win_rate",
    "points",
    "rating_change",
)


@dataclass(frozen=True, slots=True)
class StandingsRow:
    """A line of the standings: what is not on paper is in no file either.

    Who has nothing to be ranked by has no place.
    """

    line: SeasonLine
    place: int | None
    is_on_paper: bool
    paper_place: int | None

    @property
    def is_private(self) -> bool:
        return self.line.known_as == "private"


def measure_of(line: SeasonLine, by: Measure) -> Fraction | None:
    """Return the exact number by which a line is ranked."""
    own = line.own
    match by:
        case "points":
            return None if own.points_centi is None else Fraction(own.points_centi, 100)
        case "won":
            return Fraction(own.won)
        case "win_rate":
            return Fraction(own.won, own.games)
        case "games":
            return Fraction(own.games)
        case "rating_change":
            return Fraction(own.change_centi, 100)


def standings_of(
    lines: Sequence[SeasonLine], by: Measure, *, with_private: bool
) -> Sequence[StandingsRow]:
    """Return the standings: the highest first, equals by name."""
    numbers = {each.player_id: measure_of(each, by) for each in lines}
    ordered = sorted(lines, key=lambda each: _place_in_order(each, numbers[each.player_id]))
    # In the order of a number that is not shown, the number could be read.
    takes_private = with_private and by != "rating_change"
    paper = [each for each in ordered if takes_private or each.known_as != "private"]
    places, paper_places = _places(ordered, numbers), _places(paper, numbers)
    on_paper = {each.player_id for each in paper}
    return [
        StandingsRow(
            each,
            places[each.player_id],
            each.player_id in on_paper,
            paper_places.get(each.player_id),
        )
        for each in ordered
    ]


def shows_changes(rows: Sequence[StandingsRow]) -> bool:
    """Return whether rating changes stand on paper and in the file."""
    return not any(row.is_on_paper and row.is_private for row in rows)


def file_rows(rows: Sequence[StandingsRow]) -> Sequence[Sequence[str | Decimal | None]]:
    """Return the lines of the file, under their headings: texts, and exact numbers."""
    has_changes = shows_changes(rows)
    lines: list[Sequence[str | Decimal | None]] = [FILE_HEADINGS]
    for row in rows:
        own = row.line.own
        if not row.is_on_paper:
            continue
        lines.append(
            (
                None if row.paper_place is None else Decimal(row.paper_place),
                row.line.on_paper,
                row.line.player_id,
                "yes" if row.is_private else "no",
                Decimal(own.nights),
                Decimal(own.games),
                Decimal(own.won),
                _share(own.won, own.games, 4),
                None if own.points_centi is None else Decimal(own.points_centi).scaleb(-2),
                Decimal(own.change_centi).scaleb(-2) if has_changes else None,
            )
        )
    return lines


def shown_measure(line: SeasonLine, by: Measure) -> str:
    """Return a number of the standings as a page shows it, with no digit lost but in the rate."""
    own = line.own
    match by:
        case "points":
            return "" if own.points_centi is None else shown_centi(own.points_centi)
        case "won":
            return shown_number(own.won)
        case "win_rate":
            return shown_rate(own.won, own.games)
        case "games":
            return shown_number(own.games)
        case "rating_change":
            return shown_moved(own.change_centi)


def shown_beside(line: SeasonLine, by: Measure, *, with_change: bool) -> str:
    """Return the other numbers in a few words, where there is no room for columns."""
    told: dict[Measure, str] = {
        "points": _("{} points"),
        "won": _("{} won"),
        "win_rate": "{}",
        "games": "",
        "rating_change": "{}" if with_change else "",
    }
    words = [] if by == "games" else [games_words(line.own.games)]
    for each in MEASURES:
        number = shown_measure(line, each)
        if each != by and told[each] and number:
            words.append(told[each].format(number))
    return " · ".join(words)


def shown_centi(value: int) -> str:
    """Return hundredths as clubs write points: 125, 12.5, −50, 1,250."""
    units, rest = divmod(abs(value), 100)
    decimals = f".{rest:02}".rstrip("0").rstrip(".")
    return f"{'−' if value < 0 else ''}{units:,}{decimals}"


def shown_moved(change_centi: int) -> str:
    """Return a sum of rating changes with its sign, exactly."""
    return centi(change_centi, signed=True) if change_centi else PLUS_MINUS_NOTHING


def shown_rate(won: int, games: int) -> str:
    """Return a share of games as a percentage with one decimal; halves go up."""
    tenths = (2000 * won + games) // (2 * games)
    return f"{tenths // 10}.{tenths % 10}%"


def _share(won: int, games: int, places: int) -> Decimal:
    scale = 10**places
    return Decimal((2 * scale * won + games) // (2 * games)).scaleb(-places)


def _place_in_order(line: SeasonLine, number: Fraction | None) -> tuple[bool, Fraction, str, str]:
    return number is None, -(number or Fraction()), line.shown.casefold(), line.player_id


def _places(
    ordered: Sequence[SeasonLine], numbers: Mapping[str, Fraction | None]
) -> Mapping[str, int | None]:
    """Return the place of each: one more than how many are before those with the same number."""
    return places_by(ordered, lambda each: numbers[each.player_id])


def places_by(
    ordered: Sequence[SeasonLine], number_of: Callable[[SeasonLine], Fraction | int | None]
) -> Mapping[str, int | None]:
    """Return the place of each line of an order, where equals share one."""
    places: dict[str, int | None] = {}
    last: tuple[Fraction | int | None, int] | None = None
    for count, each in enumerate(ordered, start=1):
        number = number_of(each)
        if last is None or number != last[0]:
            last = (number, count)
        places[each.player_id] = None if number is None else last[1]
    return places
