"""What the lines and marks of a chart stand for, in words beside a sample of each. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final

from markupsafe import Markup

from services.site.charts.points import ChartLine, shown_centi
from services.site.charts.strokes import DASHES, LETTERS, TAKEN_BACK
from services.site.kit.words import _

_KEY: Final = Markup('<figcaption><ul class="chart-key">{items}</ul></figcaption>')
_ITEM: Final = Markup(
    '<li class="series {letter}"><svg class="chart-sample" viewBox="0 0 44 16" width="44" '
    'height="16" aria-hidden="true">{sample}</svg> {text}</li>'
)
_STROKE: Final = Markup('<path class="line{more}" fill="none" d="M3 8H41"{dash}/>')
_DIAMOND: Final = Markup('<path class="corrected" d="M22 1.5l6.5 6.5-6.5 6.5-6.5-6.5z"/>')


def key_of(lines: Sequence[ChartLine]) -> Markup:
    """Return the key to a chart; nothing if there is nothing to explain."""
    items = Markup("").join(_items(lines))
    return _KEY.format(items=items) if items else Markup("")


def _items(lines: Sequence[ChartLine]) -> Iterator[Markup]:
    if len(lines) > 1:
        for line, letter, dash in zip(lines, LETTERS, DASHES, strict=True):
            now = shown_centi(line.points[-1].rating_centi)
            text = _("{name}, now {rating}").format(name=line.name, rating=now)
            yield _ITEM.format(letter=letter, sample=_STROKE.format(more="", dash=dash), text=text)
    points = [point for line in lines for point in line.points]
    if any(point.is_correction for point in points):
        yield _ITEM.format(letter=LETTERS[0], sample=_DIAMOND, text=_("A correction"))
    if any(point.is_superseded for point in points):
        sample = _STROKE.format(more=" superseded", dash=TAKEN_BACK)
        yield _ITEM.format(letter=LETTERS[0], sample=sample, text=_("Taken back by a correction"))
