"""How numbers, dates and changes are written on pages, as people in America write them. Pure."""

from collections.abc import Mapping
from datetime import date
from gettext import NullTranslations
from typing import Final

# Marks what a page says for whoever will translate it. There is no other language yet; looking for
# one would ask the disk each time.
_TRANSLATIONS: Final = NullTranslations()
_ = _TRANSLATIONS.gettext
_n = _TRANSLATIONS.ngettext

MINUS: Final = "\N{MINUS SIGN}"
PLUS_MINUS_NOTHING: Final = "\N{PLUS-MINUS SIGN}0"
BANDS: Final[Mapping[str, str]] = {
    "Expert": _("Expert"),
    "Advanced": _("Advanced"),
    "Intermediate": _("Intermediate"),
    "Beginner": _("Beginner"),
    "Newcomer": _("Newcomer"),
}


def shown_day(day: date) -> str:
    """Return a date such as Jan 31, 2026."""
    return f"{day:%b} {day.day}, {day.year}"


def shown_number(number: int) -> str:
    """Return a whole number such as 1,234."""
    return f"{number:,}".replace("-", MINUS)


def games_words(games: int) -> str:
    """Return how many games, such as 1 game or 1,234 games."""
    return _n("{} game", "{} games", games).format(shown_number(games))


def days_words(days: int) -> str:
    """Return a number of days, such as 1 day or 90 days."""
    return _n("{} day", "{} days", days).format(shown_number(days))


def minutes_words(minutes: int) -> str:
    """Return a number of minutes, such as 1 minute or 15 minutes."""
    return _n("{} minute", "{} minutes", minutes).format(shown_number(minutes))


def seconds_words(seconds: int) -> str:
    """Return a number of seconds, such as 1 second or 10 seconds."""
    return _n("{} second", "{} seconds", seconds).format(shown_number(seconds))


def shown_rating(rating: float) -> str:
    """Return a rating without decimals; halves go to the even number, as in the ratings."""
    return str(round(rating))


def shown_points(points: float) -> str:
    """Return points as clubs write them: 125, 12.5, −50."""
    return f"{points:,.2f}".rstrip("0").rstrip(".").replace("-", MINUS)


def shown_exactly(number: float) -> str:
    """Return a number with both decimals."""
    return f"{number:.2f}".replace("-", MINUS)


def shown_change(change: float, decimals: int = 0) -> str:
    """Return a change with its sign: +12, −3, ±0."""
    rounded = round(change, decimals) if decimals else round(change)
    if rounded == 0:
        return PLUS_MINUS_NOTHING if decimals == 0 else f"{0:.{decimals}f}"
    return f"{rounded:+.{decimals}f}".replace("-", MINUS)


def direction(change: float) -> str:
    """Return the class of a change for the style sheet: up, down or level."""
    if round(change, 2) == 0:
        return "level"
    return "up" if change > 0 else "down"


def band_class(band: str) -> str:
    """Return the class of a rating band for the style sheet."""
    assert band in BANDS, f"There is no band {band}."
    return f"b-{band.lower()}"
