"""Says in words what a corrected session has that the one on record has not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from services.site.desk.night.nights import SeatResult, TableResult
from services.site.desk.sessions.session_words import KIND_WORDS
from services.site.kit.words import _, shown_day, shown_points

_NO_DATE: Final = _("no date")


@dataclass(frozen=True, slots=True)
class ComparedSession:
    """A session as it was played: its day, its kind of game, and its rounds."""

    day: date | None
    kind: str | None
    tables: Sequence[TableResult]


def differences(old: ComparedSession, new: ComparedSession) -> Sequence[str]:
    """Return what is different, in the order of the page; nothing if both are the same."""
    found = []
    if old.day != new.day:
        days = [_NO_DATE if each is None else shown_day(each) for each in (old.day, new.day)]
        found.append(_("The date: {1} instead of {0}.").format(*days))
    if old.kind != new.kind:
        kinds = [KIND_WORDS.get(each or "", "") for each in (old.kind, new.kind)]
        found.append(_("The kind of game: {1} instead of {0}.").format(*kinds))
    common = min(len(old.tables), len(new.tables))
    for number in range(common):
        head = _("Round {}:").format(number + 1)
        parts = list(_of_table(old.tables[number], new.tables[number]))
        found += [f"{head} {each}" for each in parts]
    for number in range(common, len(new.tables)):
        found.append(_("Round {} is new.").format(number + 1))
    for number in range(common, len(old.tables)):
        found.append(_("Round {} is gone.").format(number + 1))
    return found


def _of_table(old: TableResult, new: TableResult) -> Iterator[str]:
    if old.games != new.games:
        yield _("{1} games instead of {0}.").format(old.games, new.games)
    if old.wall != new.wall:
        yield _("{1} wall games instead of {0}.").format(old.wall, new.wall)
    was = {each.label: each for each in old.seats}
    now = {each.label: each for each in new.seats}
    for label in (each for each in was if each not in now):
        yield _("{} did not play.").format(label)
    for label, seat in now.items():
        if label not in was:
            yield _("{} played, and won {}.").format(label, seat.won)
        else:
            yield from _of_seat(was[label], seat)


def _of_seat(old: SeatResult, new: SeatResult) -> Iterator[str]:
    if old.won != new.won:
        yield _("{} won {} instead of {}.").format(new.label, new.won, old.won)
    if old.points != new.points and new.points is not None:
        was = _("none") if old.points is None else shown_points(old.points)
        now = shown_points(new.points)
        yield _("{} has {} points instead of {}.").format(new.label, now, was)
