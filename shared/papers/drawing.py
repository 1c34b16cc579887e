"""Draws how true forecasts are, and how far people move, as SVG. Pure.

It has no script and no style attribute; the style sheet of the page gives colors by class. Every
drawing needs its figures beside it in words.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from markupsafe import Markup

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 360, 260, 46, 36, 12
BARS: Final = 21
# The steps of a scale that people read at a glance, in rating points.
_STEPS: Final = (1, 2, 5)
_MINUS: Final = "\u2212"
_SVG: Final = Markup(
    '<svg class="chart trial" viewBox="0 0 {width} {height}" font-size="16" role="img" '
    'aria-label="{label}" xmlns="http://www.w3.org/2000/svg">{parts}</svg>'
)
_LINE: Final = Markup('<path class="{kind}" d="{path}"/>')
_DOT: Final = Markup('<circle class="{kind}" cx="{x}" cy="{y}" r="3"/>')
_BAR: Final = Markup('<rect class="then" x="{x}" y="{y}" width="{width}" height="{height}"/>')
_TEXT: Final = Markup('<text class="tick" x="{x}" y="{y}" text-anchor="{anchor}">{text}</text>')

# Pairs of expected and actual score, both from 0 to 1, in rising order.
Curve: TypeAlias = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class MoveBar:
    """How many players move by so much: from `low` up to `high`, in rating points."""

    low: int
    high: int
    players: int


def draw_calibration(label: str, curves: Mapping[str, Curve]) -> Markup:
    """Draw how often what was expected happened; each curve by the class it is drawn in."""
    parts = [
        _LINE.format(kind="grid", path=_path([(0.0, 0.0), (1.0, 1.0)])),
        *(part for kind, curve in curves.items() for part in _series(kind, curve)),
        *(_TEXT.format(x=_x(at), y=HEIGHT - 12, anchor="middle", text=at) for at in (0, 0.5, 1)),
        *(_TEXT.format(x=LEFT - 8, y=_y(at) + 5, anchor="end", text=at) for at in (0, 0.5, 1)),
    ]
    return _SVG.format(width=WIDTH, height=HEIGHT, label=label, parts=Markup("").join(parts))


def draw_moves(label: str, bars: Sequence[MoveBar]) -> Markup:
    """Draw how many players move by how much."""
    most = max((each.players for each in bars), default=0)
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
            _TEXT.format(x=x, y=HEIGHT - 12, anchor=anchor, text=_number(text))
            for x, anchor, text in ends
        ]
        parts.append(_TEXT.format(x=_x(0.5), y=HEIGHT - 12, anchor="middle", text=0))
        parts.append(_TEXT.format(x=LEFT - 8, y=TOP + 14, anchor="end", text=_number(most)))
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


def _series(kind: str, curve: Curve) -> list[Markup]:
    if not curve:
        return []
    dots = [_DOT.format(kind=kind, x=_x(x), y=round(_y(y), 1)) for x, y in curve]
    return [_LINE.format(kind=kind, path=_path(curve)), *dots]


def _path(points: Curve) -> str:
    return "M" + "L".join(f"{_x(x)} {_y(y):.1f}" for x, y in points)


def _x(share: float) -> float:
    return round(LEFT + share * (WIDTH - LEFT - 6), 1)


def _y(share: float) -> float:
    return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)


def _number(number: int) -> str:
    return f"{number:,}".replace("-", _MINUS)
