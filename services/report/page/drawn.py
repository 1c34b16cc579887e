"""Draws the two charts of a report as SVG; the tables beside them tell the same. Pure."""

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

from services.report.shapes import MeanTold, PredictedTold

WIDTH: Final = 360
HEIGHT: Final = 300
LEFT, RIGHT, TOP, BOTTOM = 52, 334, 14, 250
MICRO: Final = 1_000_000
RADIUS_MIN, RADIUS_MORE = 2.5, 6.5
MONTH_LETTERS: Final = "JFMAMJJASOND"
NOTHING: Final = Markup("")
_SVG: Final = Markup(
    '<figure><svg viewBox="0 0 {width} {height}" role="img" aria-labelledby="{id}-title {id}-desc">'
    '<title id="{id}-title">{title}</title><desc id="{id}-desc">{desc}</desc>{parts}</svg></figure>'
)
_LINE: Final = Markup('<path class="{kind}" d="{path}"/>')
_DOT: Final = Markup('<circle class="dot" cx="{x}" cy="{y}" r="{r}"/>')
_TEXT: Final = Markup('<text x="{x}" y="{y}" text-anchor="{anchor}">{text}</text>')


def calibration(groups: Sequence[PredictedTold]) -> Markup:
    """Return the curve of what was expected and what happened; nothing without any."""
    if not groups:
        return NOTHING
    parts = [_LINE.format(kind="even", path=f"M{LEFT} {BOTTOM}L{RIGHT} {TOP}")]
    for percent in range(0, 101, 25):
        x, y = _across(percent / 100), _up(percent / 100)
        parts += [
            _LINE.format(kind="grid", path=f"M{LEFT} {y}H{RIGHT}"),
            _TEXT.format(x=LEFT - 6, y=_number(y + 5), anchor="end", text=f"{percent}%"),
            _TEXT.format(x=x, y=BOTTOM + 20, anchor="middle", text=f"{percent}%"),
        ]
    parts.append(_TEXT.format(x=200, y=HEIGHT - 8, anchor="middle", text="expected score"))
    most = max(group["forecasts"] for group in groups)
    places = [
        (_across(group["expected_micro"] / MICRO), _up(group["actual_micro"] / MICRO))
        for group in groups
    ]
    parts.append(_LINE.format(kind="line", path=_path(places)))
    for group, (x, y) in zip(groups, places, strict=True):
        radius = RADIUS_MIN + RADIUS_MORE * (group["forecasts"] / most) ** 0.5
        parts.append(_DOT.format(x=x, y=y, r=_number(radius)))
    return _svg(
        "calibration",
        "What ratings expected, and what happened",
        "A dot for each range of expected scores: from left to right what was expected, upward "
        "what happened. On the dashed line both are the same. The table below has the numbers.",
        parts,
    )


def mean_line(means: Sequence[MeanTold]) -> Markup:
    """Return the line of the mean rating through the year; nothing with fewer than two points."""
    months = ((each["month"], each["mean_centi"]) for each in means)
    known = [(month, centi / 100) for month, centi in months if centi is not None]
    if len(known) < 2:
        return NOTHING
    ratings = [rating for _, rating in known]
    low, high = int(min(ratings) // 10 * 10 - 10), int(max(ratings) // 10 * 10 + 20)
    step = max(10, (high - low) // 50 * 10)
    parts: list[Markup] = []
    for rating in range(low, high + 1, step):
        y = _up((rating - low) / (high - low))
        parts += [
            _LINE.format(kind="grid", path=f"M{LEFT} {y}H{RIGHT}"),
            _TEXT.format(x=LEFT - 6, y=_number(y + 5), anchor="end", text=str(rating)),
        ]
    for month, letter in enumerate(MONTH_LETTERS, start=1):
        x = _across((month - 0.5) / 12)
        parts.append(_TEXT.format(x=x, y=BOTTOM + 20, anchor="middle", text=letter))
    places = [(_across(month / 12), _up((rating - low) / (high - low))) for month, rating in known]
    parts.append(_LINE.format(kind="line", path=_path(places)))
    parts += [_DOT.format(x=x, y=y, r=RADIUS_MIN) for x, y in places]
    return _svg(
        "mean",
        "The mean rating through the year",
        "A dot for the end of each month. The table below has the numbers.",
        parts,
    )


def _svg(chart_id: str, title: str, desc: str, parts: Sequence[Markup]) -> Markup:
    return _SVG.format(
        width=WIDTH, height=HEIGHT, id=chart_id, title=title, desc=desc, parts=NOTHING.join(parts)
    )


def _path(places: Sequence[tuple[str, float]]) -> str:
    return "M" + "L".join(f"{x} {y}" for x, y in places)


def _across(part: float) -> str:
    return _number(LEFT + part * (RIGHT - LEFT))


def _up(part: float) -> float:
    return round(BOTTOM - part * (BOTTOM - TOP), 1)


def _number(value: float) -> str:
    return f"{value:.1f}"
