"""Between which days standings are: read from an address, and as links. Pure.

A season may begin in one year and end in the next. Days that come in the wrong order are put right.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final
from urllib.parse import urlencode

from services.site.desk.players.club import WrongField
from services.site.desk.players.standings import MEASURES, Measure
from services.site.kit.words import _

_DAY_CHARACTERS: Final = len("2026-01-31")
_MARCH: Final = 3


@dataclass(frozen=True, slots=True)
class Span:
    """What standings are asked for. `first` and `last` are as typed; empty means no limit."""

    first: str
    last: str
    by: Measure | None = None
    with_private: bool = False

    @property
    def wrong(self) -> Sequence[WrongField]:
        """What cannot be read in it."""
        words = _("This is no day of the calendar. Choose one, or leave it empty.")
        typed = {"from": self.first, "to": self.last}
        return [WrongField(name, words) for name, day in typed.items() if day and not _day(day)]

    @property
    def is_reversed(self) -> bool:
        """Whether the first day came after the last one."""
        first, last = _day(self.first), _day(self.last)
        return first is not None and last is not None and first > last

    @property
    def days(self) -> tuple[date, date]:
        """The first and the last day, in their order."""
        first, last = _day(self.first) or date.min, _day(self.last) or date.max
        return min(first, last), max(first, last)

    def query(self, *, by: Measure | None = None) -> str:
        """Return this as the end of an address, ranked by what is given."""
        asked = {"from": self.first, "to": self.last}
        measure = by or self.by
        if measure is not None:
            asked["by"] = measure
        if self.with_private:
            asked["private"] = "yes"
        return urlencode(asked)


def read_span(query: Mapping[str, str], today: date) -> Span:
    """Read what is asked for. Who asks for nothing gets the past twelve months."""
    usual = past_year(today)
    by = query.get("by", "")
    return Span(
        query.get("from", usual.first).strip(),
        query.get("to", usual.last).strip(),
        next((each for each in MEASURES if each == by), None),
        query.get("private") == "yes",
    )


def past_year(today: date) -> Span:
    """Return the twelve months that end today."""
    is_leap_day = (today.month, today.day) == (2, 29)
    before = date(today.year - 1, _MARCH, 1) if is_leap_day else today.replace(year=today.year - 1)
    first = before if is_leap_day else before + timedelta(days=1)
    return Span(first.isoformat(), today.isoformat())


def usual_spans(today: date) -> Sequence[tuple[str, Span]]:
    """Return what is asked for most, each with its name."""
    year = today.year
    return (
        (_("Past 12 months"), past_year(today)),
        (_("This year"), Span(f"{year}-01-01", f"{year}-12-31")),
        (_("Last year"), Span(f"{year - 1}-01-01", f"{year - 1}-12-31")),
        (_("From the beginning"), Span("", "")),
    )


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if len(text) == _DAY_CHARACTERS else None
    except ValueError:
        return None
