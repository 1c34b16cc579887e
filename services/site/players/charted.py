"""Turns how a rating went into the lines of a chart. Pure."""

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

from services.projections.charts.answers import RatingChart, RatingPoint
from services.site.charts.drawing import rating_figure
from services.site.charts.points import ChartLine, ChartPoint
from services.site.charts.rows import chart_table
from services.site.kit.words import _

FIGURE_ID: Final = "ratings"
# The table of more points than these would be most of a page, and has a page of its own.
POINTS_BESIDE_MAX: Final = 150


def pool_lines(chart: RatingChart) -> Sequence[ChartLine]:
    """Return both ratings of a player; only the one over all games if the other never moved."""
    lines = [rating_line(_("All games"), chart)]
    verified = [
        _point(point, point["verified_rating"])
        for point in chart["points"]
        if point["verified_moved"]
    ]
    if verified:
        began = _centi(chart["verified_rating_before"])
        lines.append(ChartLine(_("Verified games"), verified, began_centi=began))
    return lines


def rating_line(name: str, chart: RatingChart) -> ChartLine:
    """Return the rating over all games, with the best one marked."""
    best = chart["record"]["best"]
    return ChartLine(
        name,
        [_point(point, point["rating"]) for point in chart["points"]],
        began_centi=_centi(chart["rating_before"]),
        best=best and ChartPoint(best["fact_seq"], best["on_date"], _centi(best["rating"])),
    )


def figure_of(lines: Sequence[ChartLine]) -> Markup:
    """Return the chart of some lines; nothing if nobody has played yet."""
    return rating_figure(lines, figure_id=FIGURE_ID)


def table_of(lines: Sequence[ChartLine]) -> Markup:
    """Return the same as a table, which the script of the chart reads from."""
    caption = _("Ratings after each session and each correction, in the order they were rated")
    return chart_table(lines, figure_id=FIGURE_ID, caption=caption)


def fits_beside(lines: Sequence[ChartLine]) -> bool:
    """Return whether the table of some lines is short enough to stand on the page of the chart."""
    return sum(len(line.points) for line in lines) <= POINTS_BESIDE_MAX


def _point(point: RatingPoint, rating: float) -> ChartPoint:
    return ChartPoint(
        point["fact_seq"],
        point["on_date"],
        _centi(rating),
        is_correction=point["type"] == "correction",
        is_superseded=point["ended"] is not None,
    )


def _centi(rating: float) -> int:
    return round(rating * 100)
