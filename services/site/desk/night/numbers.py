"""Reads the numbers of a night, in the ways that clubs write them, or says what is wrong. Pure."""

from typing import Final

from services.site.kit.words import _
from shared.limits import GAMES_MAX, POINTS_MAX
from shared.sheets.cells import Fault, text_cell
from shared.sheets.rows.numbers import read_points as read_points_of_cell
from shared.sheets.rows.numbers import read_whole


class NoNumber(ValueError):
    """A text is not the number that its field needs; the message says what to do."""


def read_games(text: str) -> int | None:
    """Return how many games a round had, None if nothing is typed. Raises NoNumber."""
    games = read_count(text)
    if games == 0:
        raise NoNumber(_("A round has at least one game."))
    return games


def read_count(text: str) -> int | None:
    """Return a count of games, None if nothing is typed. Raises NoNumber."""
    if not text:
        return None
    count = read_whole(text_cell(text))
    if isinstance(count, Fault):
        raise NoNumber(_("Write a whole number here, such as 2."))
    if not 0 <= count <= GAMES_MAX:
        raise NoNumber(_("Write a number from 0 to {} here.").format(GAMES_MAX))
    return count


def read_points(text: str) -> int | float | None:
    """Return points, None if nothing is typed: 12.5, -50 and −50, +80, 1,250 and (50).

    Raises NoNumber.
    """
    if not text:
        return None
    points = read_points_of_cell(text_cell(text))
    if isinstance(points, Fault):
        raise NoNumber(_WORDS.get(points.code, points.message))
    if abs(points) > POINTS_MAX:
        raise NoNumber(_("Points are at most a million."))
    return points


_WORDS: Final = {
    "invalid_number": _("Write points as a number, such as 125, 12.5 or -50."),
    "points_too_precise": _("Points have at most two decimals."),
    "out_of_range": _("Points are at most a million."),
}
