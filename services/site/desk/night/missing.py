"""What is missing in a typed night, or wrong: each in words, at its place. Pure."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final, NamedTuple

from services.site.desk.night.numbers import NoNumber, read_count, read_games, read_points
from services.site.desk.night.seated import AtTable, WhoSits
from services.site.desk.night.typed import TypedNight, TypedTable
from services.site.kit.words import _, _n
from shared.limits import FIRST_YEAR, SEATS_MIN


class Missing(NamedTuple):
    """Something that is missing: the id of its place on the page, and what to do about it."""

    place: str
    words: str


def read_day(text: str) -> date | None:
    """Return the day of a night, None if it is none."""
    try:
        day = date.fromisoformat(text) if len(text) == _DAY_CHARACTERS else None
    except ValueError:
        return None
    return day


_DAY_CHARACTERS: Final = len("2026-01-31")


def what_is_missing(
    night: TypedNight, seated: WhoSits, *, today_latest: date, is_asked: bool
) -> Sequence[Missing]:
    """Return everything that is missing, in the order of the page.

    Unless it `is_asked` for, tables without any result yet are left in peace.
    """
    found = [*_about_day(night, today_latest)]
    filled = [number for number, each in enumerate(night.tables) if not each.is_empty]
    for number, table in enumerate(night.tables):
        is_due = table.is_begun or (is_asked and (number in filled or (not filled and not number)))
        if is_due:
            found += _at_table(number, table, night, seated)
        else:
            found += _about_names(number, table, seated)
    return found


def _about_day(night: TypedNight, today_latest: date) -> Iterator[Missing]:
    day = read_day(night.day)
    if day is None or day.year < FIRST_YEAR:
        yield Missing("date", _("On what day was it? Choose the date."))
    elif day > today_latest:
        yield Missing("date", _("This day has not come yet. Check the date."))
    if not night.kind:
        yield Missing("kind", _("What kind of game was it? Choose one."))


def _at_table(
    number: int, table: TypedTable, night: TypedNight, seated: WhoSits
) -> Iterator[Missing]:
    yield from _about_people(number, table, seated)
    yield from _about_games(number, table)
    if night.has_points:
        yield from _about_points(number, table)


def _about_names(number: int, table: TypedTable, seated: WhoSits) -> Iterator[Missing]:
    """Say which texts are nobody yet, and who is there twice."""
    places: dict[str, int] = {}
    for place, seat in enumerate(table.seats):
        if not seat.who:
            continue
        who = seated.who(seat.who)
        if not isinstance(who, AtTable):
            yield Missing(f"who-{number}-{place}", who.words)
        elif who.key in places:
            words = _("{} sits at this table twice.").format(who.label)
            yield Missing(f"who-{number}-{place}", words)
        else:
            places[who.key] = place


def _about_people(number: int, table: TypedTable, seated: WhoSits) -> Iterator[Missing]:
    for place, seat in enumerate(table.seats):
        if not seat.who and (seat.won or seat.points):
            words = _("Who is this? Type the name, or clear the line.")
            yield Missing(f"who-{number}-{place}", words)
    yield from _about_names(number, table, seated)
    named = [place for place, seat in enumerate(table.seats) if seat.who]
    if len(named) < SEATS_MIN:
        empty = next(place for place, seat in enumerate(table.seats) if not seat.who)
        words = _("Who played here? A table has two to four people.")
        if all(seat.who or not (seat.won or seat.points) for seat in table.seats):
            yield Missing(f"who-{number}-{empty}", words)


def _about_games(number: int, table: TypedTable) -> Iterator[Missing]:
    faults: list[Missing] = []

    def read(place: str, text: str, *, is_games: bool = False) -> int | None:
        try:
            return read_games(text) if is_games else read_count(text)
        except NoNumber as wrong:
            faults.append(Missing(place, str(wrong)))
            return None

    games = read(f"games-{number}", table.games, is_games=True)
    won = [read(f"won-{number}-{place}", seat.won) for place, seat in enumerate(table.seats)]
    wall = read(f"wall-{number}", table.wall)
    yield from faults
    if faults:
        return
    if games is None:
        yield Missing(f"games-{number}", _("How many games were played?"))
        return
    words = accounted_words(games, sum(each or 0 for each in [*won, wall]))
    if words:
        yield Missing(f"sum-{number}", words)


def accounted_words(games: int, accounted: int) -> str:
    """Return what to say if the games that somebody or nobody won are not those played."""
    left = games - accounted
    if left == 0:
        return ""
    if left < 0:
        return _n(
            "{0} games are accounted for, but only {1} was played. Check who won, and the wall "
            "games.",
            "{0} games are accounted for, but only {1} were played. Check who won, and the wall "
            "games.",
            games,
        ).format(accounted, games)
    if not accounted:
        return _n(
            "Who won the game? If nobody did, it is a wall game.",
            "Who won the {0} games? Those that nobody won are wall games.",
            games,
        ).format(games)
    return _n(
        "{0} of {1} games are accounted for: who won the last one? If nobody did, it is a wall "
        "game.",
        "{0} of {1} games are accounted for: who won the other {2}? Those that nobody won are "
        "wall games.",
        left,
    ).format(accounted, games, left)


def _about_points(number: int, table: TypedTable) -> Iterator[Missing]:
    for place, seat in enumerate(table.seats):
        try:
            points = read_points(seat.points)
        except NoNumber as wrong:
            yield Missing(f"points-{number}-{place}", str(wrong))
            continue
        if seat.who and points is None:
            yield Missing(f"points-{number}-{place}", _("Type the points, or 0."))
