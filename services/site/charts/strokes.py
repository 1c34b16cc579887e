"""The lines of a rating chart, with the marks on them and the labels beside those. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from markupsafe import Markup

from services.site.charts.paths import Dot, apart, area, diamonds, number, path, thinned
from services.site.charts.points import ChartLine, ChartPoint, Slots, shown_centi
from services.site.charts.scales import BOLD, Scale, Size, width_of, within
from services.site.kit.words import _

# Two lines have names of their own in the style sheet, and dashes to be told apart without color.
LETTERS: Final = ("a", "b")
DASHES: Final = (Markup(""), Markup(' stroke-dasharray="11 7"'))
TAKEN_BACK: Final = Markup(' stroke-dasharray="1 7"')

BEST_ABOVE: Final = 12
BEST_BELOW: Final = 26
# How far apart two labels stand at least, from line of text to line of text.
LABELS_APART: Final = 22
# How far apart two best ratings stand at least, for the label of the lower one to fit in between.
BESTS_APART: Final = 34

_SERIES: Final = Markup('<g class="series {letter}">{parts}</g>')
_AREA: Final = Markup('<path class="area" d="{d}"/>')
_LINE: Final = Markup('<path class="line" fill="none" d="{d}"{dash}/>')
_SUPERSEDED: Final = Markup('<path class="line superseded" fill="none" d="{d}"{dash}/>')
_CORRECTED: Final = Markup('<path class="corrected" d="{d}"/>')
_BEST: Final = Markup(
    '<circle class="peak" cx="{x}" cy="{y}" r="{r}"/>'
    '<text class="mark" x="{label_x:.1f}" y="{label_y:.1f}" text-anchor="middle">{text}</text>'
)
_NOW: Final = Markup(
    '<circle class="now" cx="{x}" cy="{y}" r="{r}"/>'
    '<text class="mark now" x="{label_x:.1f}" y="{label_y:.1f}" font-size="{size}">{text}</text>'
)


@dataclass(frozen=True, slots=True)
class Best:
    """The best rating of a line: where its mark stands, and its label, half as wide each side."""

    dot: Dot
    label_x: float
    label_half: float
    label_y: float
    text: str


def series(lines: Sequence[ChartLine], slots: Slots, scale: Scale, size: Size) -> list[Markup]:
    """Return each line with its marks and labels, one group for each."""
    drawn = [dots_of(line, slots, scale) for line in lines]
    labels = _kept_apart([dots[-1].y / 10 for dots in drawn], scale)
    groups = []
    for at, (line, dots, best) in enumerate(
        zip(lines, drawn, _bests(lines, slots, scale, size), strict=True)
    ):
        parts = [
            *([_AREA.format(d=d)] if len(lines) == 1 and (d := area(dots, scale.bottom)) else []),
            *_line(dots, DASHES[at]),
            *([_best(best, size)] if best else []),
            _now(dots[-1], labels[at], line, size),
        ]
        groups.append(_SERIES.format(letter=LETTERS[at], parts=Markup("").join(parts)))
    return groups


def dots_of(line: ChartLine, slots: Slots, scale: Scale) -> list[Dot]:
    """Return where a line's points stand. A rating stays as it is until it moves again."""
    slot_of = slots.slot_of
    dots = [_dot(point, slot_of, scale) for point in line.points]
    if line.began_centi is not None:
        dots.insert(0, Dot(scale.x(slot_of[line.points[0].place] - 1), scale.y(line.began_centi)))
    if dots[-1].x < scale.right:
        dots.append(Dot(scale.right, dots[-1].y))
    return dots


def _dot(point: ChartPoint, slot_of: Mapping[int, int], scale: Scale) -> Dot:
    x, y = scale.x(slot_of[point.place]), scale.y(point.rating_centi)
    return Dot(x, y, point.is_superseded, point.is_correction)


def _line(dots: Sequence[Dot], dash: Markup) -> list[Markup]:
    """Return a line, the stretches of it that were taken back, and the marks of corrections."""
    kept = thinned(dots)
    strokes = []
    if lasting := path(kept, superseded=False):
        strokes.append(_LINE.format(d=lasting, dash=dash))
    if superseded := path(kept, superseded=True):
        strokes.append(_SUPERSEDED.format(d=superseded, dash=TAKEN_BACK))
    if corrected := diamonds(apart(dot for dot in dots if dot.is_correction)):
        strokes.append(_CORRECTED.format(d=corrected))
    return strokes


def _bests(lines: Sequence[ChartLine], slots: Slots, scale: Scale, size: Size) -> list[Best | None]:
    """Return the best rating of each line, labeled above; the lower one below if they meet."""
    bests = [_best_of(line, slots, scale, size) for line in lines]
    shown = sorted((best for best in bests if best), key=lambda best: best.dot.y)
    if any(map(_meet, shown, shown[1:])):
        lower = shown[-1]
        below = replace(lower, label_y=lower.dot.y / 10 + BEST_BELOW)
        return [below if best is lower else best for best in bests]
    return bests


def _best_of(line: ChartLine, slots: Slots, scale: Scale, size: Size) -> Best | None:
    if line.best is None or line.best.place not in slots.slot_of:
        return None
    dot = _dot(line.best, slots.slot_of, scale)
    text = _("best {rating}").format(rating=shown_centi(line.best.rating_centi))
    half = width_of(text, size.text, BOLD) / 2
    # What is beside the left edge are the ratings of the grid, and beside the right edge is the
    # label of the rating now.
    x = within(dot.x / 10, scale.left / 10 + half, scale.right / 10 - half)
    return Best(dot, x, half, dot.y / 10 - BEST_ABOVE, text)


def _meet(one: Best, other: Best) -> bool:
    is_beside = abs(other.label_x - one.label_x) < one.label_half + other.label_half
    return is_beside and abs(other.label_y - one.label_y) < BESTS_APART


def _best(best: Best, size: Size) -> Markup:
    return _BEST.format(
        x=number(best.dot.x),
        y=number(best.dot.y),
        r=size.dot - 2,
        label_x=best.label_x,
        label_y=best.label_y,
        text=best.text,
    )


def _now(dot: Dot, label_y: float, line: ChartLine, size: Size) -> Markup:
    return _NOW.format(
        x=number(dot.x),
        y=number(dot.y),
        r=size.dot,
        label_x=dot.x / 10 + size.now_gap,
        label_y=label_y + size.now_text * 0.3,
        size=size.now_text,
        text=shown_centi(line.points[-1].rating_centi),
    )


def _kept_apart(heights: Sequence[float], scale: Scale) -> list[float]:
    """Return where labels stand so that two of them are not on top of each other."""
    if len(heights) < len(LETTERS) or abs(heights[0] - heights[1]) >= LABELS_APART:
        return list(heights)
    half = LABELS_APART / 2
    middle = within(sum(heights) / 2, scale.top / 10 + half, scale.bottom / 10 - half)
    above, below = middle - half, middle + half
    return [above, below] if heights[0] <= heights[1] else [below, above]
