"""Draws a rating chart as SVG for a page, with a key to its marks in words. Pure.

It has no script, no style attribute and no color: the style sheet gives colors by class. What the
lines mean is also told by dashes, shapes and words.
"""

from collections.abc import Sequence
from gettext import ngettext
from typing import Final

from markupsafe import Markup

from services.site.charts.key import key_of
from services.site.charts.paths import number
from services.site.charts.points import ChartLine, Slots, ratings_of, shown_centi, slots_of
from services.site.charts.scales import (
    NARROW,
    WIDE,
    Scale,
    Size,
    date_ticks,
    rating_ticks,
    scale_of,
)
from services.site.charts.strokes import LETTERS, series
from services.site.kit.words import _, shown_day, shown_rating

_FIGURE: Final = Markup('<figure class="rating-chart" id="{id}">{wide}{narrow}{key}</figure>')
# The last three attributes tell the script of the page where a rating stands.
_SVG: Final = Markup(
    '<svg class="chart {kind}" viewBox="0 0 {width} {height}" font-size="{text}" role="img" '
    'aria-labelledby="{id}-{kind}-title {id}-{kind}-desc" xmlns="http://www.w3.org/2000/svg" '
    'data-slots="{slots}" data-box="{box}" data-ratings="{low} {high}">'
    '<title id="{id}-{kind}-title">{title}</title>'
    '<desc id="{id}-{kind}-desc">{desc}</desc>{parts}</svg>'
)
_GRID: Final = Markup(
    '<path class="grid" d="M{left} {y}H{right}"/>'
    '<text class="tick" x="{label_x}" y="{label_y}" text-anchor="end">{text}</text>'
)
_DATE: Final = Markup('<text class="tick" x="{x}" y="{y}" text-anchor="middle">{text}</text>')
_NOTHING: Final = Markup("")


def rating_figure(lines: Sequence[ChartLine], *, figure_id: str) -> Markup:
    """Return a chart of one or two lines in both sizes, with its key; nothing without points.

    `figure_id` begins every id in it, so that a page can hold several charts.
    """
    lines = [line for line in lines if line.points]
    assert len(lines) <= len(LETTERS), "There are names, dashes and colors for two lines."
    if not lines:
        return _NOTHING
    slots = slots_of(lines)
    wide, narrow = (_svg(lines, slots, size, figure_id) for size in (WIDE, NARROW))
    return _FIGURE.format(id=figure_id, wide=wide, narrow=narrow, key=key_of(lines))


def title_of(lines: Sequence[ChartLine], slots: Slots) -> str:
    """Return what a chart shows, in one sentence."""
    first, last = min(slots.dates), max(slots.dates)
    if first == last:
        words = _("{names}: rating on {last}.")
    else:
        words = _("{names}: rating from {first} to {last}.")
    return words.format(
        names=_(" and ").join(line.name for line in lines),
        first=shown_day(first),
        last=shown_day(last),
    )


def description_of(lines: Sequence[ChartLine]) -> str:
    """Return what a chart tells those who don't see it."""
    return " ".join(_line_told(line) for line in lines)


def _line_told(line: ChartLine) -> str:
    ratings = list(ratings_of([line]))
    began = line.points[0].rating_centi if line.began_centi is None else line.began_centi
    best = max(ratings) if line.best is None else line.best.rating_centi
    told = _("{name}: began at {began}, best {best}, lowest {lowest}, now {now}.").format(
        name=line.name,
        began=shown_centi(began),
        best=shown_centi(best),
        lowest=shown_centi(min(ratings)),
        now=shown_centi(line.points[-1].rating_centi),
    )
    corrections = sum(point.is_correction for point in line.points)
    if not corrections:
        return told
    counted = ngettext("{count} correction.", "{count} corrections.", corrections)
    return f"{told} {counted.format(count=corrections)}"


def _svg(lines: Sequence[ChartLine], slots: Slots, size: Size, figure_id: str) -> Markup:
    ratings = list(ratings_of(lines))
    ticks = rating_ticks(min(ratings), max(ratings), size.rating_ticks)
    scale = scale_of(size, ticks, slots.count, ratings)
    return _SVG.format(
        id=figure_id,
        kind=size.kind,
        text=size.text,
        width=size.width,
        height=size.height,
        slots=slots.count,
        box=" ".join(map(number, (scale.left, scale.top, scale.right, scale.bottom))),
        low=scale.low,
        high=scale.high,
        title=title_of(lines, slots),
        desc=description_of(lines),
        parts=_NOTHING.join(
            [*_frame(scale, size, ticks, slots), *series(lines, slots, scale, size)]
        ),
    )


def _frame(scale: Scale, size: Size, ticks: Sequence[int], slots: Slots) -> list[Markup]:
    """Return the lines of round ratings with their labels, and the dates below."""
    grid = [
        _GRID.format(
            left=number(scale.left),
            right=number(scale.right),
            y=number(scale.y(tick * 100)),
            label_x=number(scale.left - 80),
            label_y=number(scale.y(tick * 100) + 50),
            text=shown_rating(tick),
        )
        for tick in ticks
    ]
    dates = [
        _DATE.format(x=f"{tick.x:.1f}", y=size.height - 12, text=tick.text)
        for tick in date_ticks(scale, size, slots.dates, int(slots.has_beginning))
    ]
    return grid + dates
