"""Draws what a trial of a formula found: how true its forecasts are, and how far people move.

It has no script and no style attribute; the style sheet gives colors by class. Both charts have
their figures beside them in words.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from services.foresight.forecasts import Forecasts
from services.foresight.trying import FormulaTrial
from services.site.kit.words import _, shown_number

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 360, 260, 46, 36, 12
BARS: Final = 21
# The steps of a scale that people read at a glance, in rating points.
_STEPS: Final = (1, 2, 5)
_SVG: Final = Markup(
    '<svg class="chart trial" viewBox="0 0 {width} {height}" font-size="16" role="img" '
    'aria-label="{label}" xmlns="http://www.w3.org/2000/svg">{parts}</svg>'
)
_LINE: Final = Markup('<path class="{kind}" d="{path}"/>')
_DOT: Final = Markup('<circle class="{kind}" cx="{x}" cy="{y}" r="3"/>')
_BAR: Final = Markup('<rect class="then" x="{x}" y="{y}" width="{width}" height="{height}"/>')
_TEXT: Final = Markup('<text class="tick" x="{x}" y="{y}" text-anchor="{anchor}">{text}</text>')


@dataclass(frozen=True, slots=True)
class MoveBar:
    """How many players move by so much: from `low` up to `high`, in rating points."""

    low: int
    high: int
    players: int


def calibration(trial: FormulaTrial) -> Markup:
    """Draw how often what was expected happened, under both formulas."""
    label = _("Expected and actual score, under the formula in use and under the other one")
    parts = [
        _LINE.format(kind="grid", path=_path([(0.0, 0.0), (1.0, 1.0)])),
        *_series("now", trial.forecasts_now.all),
        *_series("then", trial.forecasts_tried.all),
        *(_TEXT.format(x=_x(at), y=HEIGHT - 12, anchor="middle", text=at) for at in (0, 0.5, 1)),
        *(_TEXT.format(x=LEFT - 8, y=_y(at) + 5, anchor="end", text=at) for at in (0, 0.5, 1)),
    ]
    return _SVG.format(width=WIDTH, height=HEIGHT, label=label, parts=Markup("").join(parts))


def move_bars(trial: FormulaTrial) -> Markup:
    """Draw how many players move by how much."""
    bars = bars_of(trial.mahjic.by.tolist())
    most = max((each.players for each in bars), default=0)
    label = _("How many players move by how many points")
    width = (WIDTH - LEFT - 6) / max(len(bars), 1)
    parts = [
        _BAR.format(
            x=round(LEFT + number * width + 1, 1),
            y=round(_y(each.players / most), 1),
            width=round(width - 2, 1),
            height=round(_y(0) - _y(each.players / most), 1),
        )
        for number, each in enumerate(bars)
        if each.players
    ]
    if bars:
        ends = ((LEFT, "start", bars[0].low), (WIDTH - 6, "end", bars[-1].high))
        parts += [
            _TEXT.format(x=x, y=HEIGHT - 12, anchor=anchor, text=shown_number(text))
            for x, anchor, text in ends
        ]
        parts.append(_TEXT.format(x=_x(0.5), y=HEIGHT - 12, anchor="middle", text=0))
        parts.append(_TEXT.format(x=LEFT - 8, y=TOP + 14, anchor="end", text=shown_number(most)))
    return _SVG.format(width=WIDTH, height=HEIGHT, label=label, parts=Markup("").join(parts))


def bars_of(moves_centi: Sequence[int]) -> list[MoveBar]:
    """Return equally wide bars that hold all moves, the middle one of them around zero."""
    if not moves_centi:
        return []
    half = max(map(abs, moves_centi)) / 100
    width = next(each for each in _widths() if each * BARS >= 2 * half)
    counts = [0] * BARS
    for each in moves_centi:
        # Halves go away from zero, so that nobody falls beyond the ends.
        number = (abs(each) + 50 * width) // (100 * width) if each else 0
        at = BARS // 2 + (number if each > 0 else -number)
        counts[min(max(at, 0), BARS - 1)] += 1
    # The edges of the middle bar are half a bar from zero.
    return [
        MoveBar(_edge(number, width), _edge(number + 1, width), counts[number])
        for number in range(BARS)
    ]


def _edge(number: int, width: int) -> int:
    return (2 * number - BARS) * width // 2


def _widths() -> Iterable[int]:
    """Yield 2, 4, 10, 20, 40, 100 and so on: even, so that edges are whole points."""
    scale = 2
    while True:
        for step in _STEPS:
            yield step * scale
        scale *= 10


def _series(kind: str, forecasts: Forecasts) -> list[Markup]:
    points = [
        (float(expected) / int(count), float(actual) / int(count))
        for expected, actual, count in zip(
            forecasts.expected, forecasts.actual, forecasts.counts, strict=True
        )
        if count
    ]
    if not points:
        return []
    dots = [_DOT.format(kind=kind, x=_x(x), y=round(_y(y), 1)) for x, y in points]
    return [_LINE.format(kind=kind, path=_path(points)), *dots]


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{_x(x)} {_y(y):.1f}" for x, y in points)


def _x(share: float) -> float:
    return round(LEFT + share * (WIDTH - LEFT - 6), 1)


def _y(share: float) -> float:
    return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)
