"""Draws previews as SVG. Pure.

Every text on them is escaped, and fits where it stands.
"""

from collections.abc import Iterator, Sequence
from gettext import ngettext
from typing import Final

from markupsafe import Markup

from services.site.charts.paths import Dot, area, number, path, thinned
from services.site.charts.scales import Scale
from services.site.kit.words import _, shown_number, shown_rating
from services.site.previews.subjects import (
    BOARD_ROWS_MAX,
    BoardPreview,
    PlayerPreview,
    Preview,
    PreviewRow,
    SitePreview,
    SourcePreview,
)
from services.site.previews.typefaces import Typeface, Typefaces, fitting

WIDTH: Final = 1200
HEIGHT: Final = 630
LEFT: Final = 80
RIGHT: Final = 1120

# The light colors of the style sheet.
PAPER: Final = "#faf6ec"
INK: Final = "#1a211e"
SOFT: Final = "#4a544e"
JADE: Final = "#0b5a41"
JADE_DEEP: Final = "#083f2e"
JADE_TINT: Final = "#e3efe6"
RULE: Final = "#d9cfb8"
GOLD: Final = "#7d5705"
ON_JADE: Final = "#fdf9ee"

RATING_SIZE: Final = 130
HEADLINE_SIZE: Final = 80
HEADLINE_SIZE_MIN: Final = 52
TOLD_SIZE: Final = 38
ROW_SIZE: Final = 44
ROW_HEIGHT: Final = 72

# The chart of a player: its box, in tenths as all paths are, and what is free above and below.
CHART_TOP: Final = 3200
CHART_BOTTOM: Final = 5600
CHART_MARGIN: Final = 5

_SVG: Final = Markup(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 630" width="1200" height="630">'
    '<rect width="1200" height="630" fill="{paper}"/><rect width="1200" height="96" fill="{head}"/>'
    '<g transform="translate(81 17)">{tile}</g>{parts}</svg>'
)
# With three dots, 48 by 63. The icons are drawn from it as well.
TILE: Final = Markup(
    '<rect x="2" y="3" width="46" height="60" rx="9" fill="#d8c79c"/>'
    '<rect class="face" width="46" height="60" rx="9" fill="#fffaf0"/>'
    '<circle cx="23" cy="19" r="9" fill="#9d1c22"/>'
    '<circle cx="13.5" cy="42" r="6.5" fill="#0b5a41"/>'
    '<circle cx="32.5" cy="42" r="6.5" fill="#1f4f8f"/>'
)
_BIG_TILE: Final = Markup('<g transform="translate(870 190) scale(5)">{tile}</g>')
_TEXT: Final = Markup(
    '<text x="{x}" y="{y}" font-family="{family}" font-size="{size:.1f}" fill="{fill}"'
    "{anchor}>{text}</text>"
)
_AT_END: Final = Markup(' text-anchor="end"')
_CHART: Final = Markup(
    '<path d="{area}" fill="{tint}"/><path d="{line}" fill="none" stroke="{jade}" '
    'stroke-width="8" stroke-linejoin="round" stroke-linecap="round"/>'
    '<circle cx="{x}" cy="{y}" r="13" fill="{jade}" stroke="{paper}" stroke-width="5"/>'
)
_RULE: Final = Markup('<path d="M80 {y}H1120" stroke="{rule}" stroke-width="2"/>')


def drawn(preview: Preview, faces: Typefaces) -> str:
    """Return a preview as SVG."""
    brand = placed_text("Mahjic", 147, 65, face=faces.display, size=48, fill=ON_JADE)
    parts = Markup("").join([brand, *_parts(preview, faces)])
    return str(_SVG.format(paper=PAPER, head=JADE_DEEP, tile=TILE, parts=parts))


def _parts(preview: Preview, faces: Typefaces) -> Iterator[Markup]:
    match preview:
        case PlayerPreview():
            return _player(preview, faces)
        case BoardPreview():
            return _board(preview, faces)
        case SourcePreview():
            return _source(preview, faces)
        case SitePreview():
            return _site(faces)


def _player(preview: PlayerPreview, faces: Typefaces) -> Iterator[Markup]:
    player = preview.player
    rating = shown_rating(player.rating)
    left_for_name = RIGHT - LEFT - faces.display.width(rating, RATING_SIZE) - 40
    yield _headline(player.name, player.player_id, 195, faces, width=left_for_name)
    yield placed_text(
        rating, RIGHT, 226, face=faces.display, size=RATING_SIZE, fill=JADE, at_end=True
    )
    told = [player.band]
    if player.place is not None:
        told.append(_("place {place}").format(place=shown_number(player.place)))
    told.append(_counted_games(player.games))
    yield _told(told, 257, faces)
    if len(preview.ratings_centi) > 1:
        yield _chart(preview.ratings_centi)


def _board(board: BoardPreview, faces: Typefaces) -> Iterator[Markup]:
    yield _headline(board.title, _("Leaderboard"), 185, faces, width=RIGHT - LEFT)
    if not board.rows:
        yield _told([_("Nobody is on it yet")], 257, faces)
    for at, row in enumerate(board.rows[:BOARD_ROWS_MAX]):
        yield _row(row, 268 + at * ROW_HEIGHT, faces)


def _row(row: PreviewRow, y: int, faces: Typefaces) -> Markup:
    rating, place = shown_rating(row.rating), shown_number(row.place)
    face = faces.display
    name_x = LEFT + max(70, int(face.width(place, ROW_SIZE)) + 24)
    left_for_name = RIGHT - name_x - face.width(rating, ROW_SIZE) - 40
    name = fitting(
        row.name,
        instead=row.player_id,
        face=face,
        width=left_for_name,
        largest=ROW_SIZE,
        smallest=ROW_SIZE,
    )
    return Markup("").join(
        [
            placed_text(place, LEFT, y, face=face, size=ROW_SIZE, fill=GOLD),
            placed_text(name.text, name_x, y, face=face, size=name.size, fill=INK),
            placed_text(rating, RIGHT, y, face=face, size=ROW_SIZE, fill=JADE, at_end=True),
            _RULE.format(y=y + 20, rule=RULE),
        ]
    )


def _source(source: SourcePreview, faces: Typefaces) -> Iterator[Markup]:
    yield _headline(source.name, source.slug, 230, faces, width=RIGHT - LEFT)
    yield _told([_("Plays for Mahjic ratings")], 300, faces)
    counts = (
        (source.sessions, ngettext("session", "sessions", source.sessions)),
        (source.games, ngettext("game", "games", source.games)),
        (source.players, ngettext("player", "players", source.players)),
    )
    for at, (count, of_what) in enumerate(counts):
        x, figure = LEFT + at * 360, shown_number(count)
        size = fitting(
            figure, instead=figure, face=faces.display, width=320, largest=96, smallest=32
        ).size
        yield placed_text(figure, x, 465, face=faces.display, size=size, fill=JADE)
        yield placed_text(of_what, x, 520, face=faces.text, size=TOLD_SIZE, fill=SOFT)


def _site(faces: Typefaces) -> Iterator[Markup]:
    for at, line in enumerate((_("The open rating for"), _("American Mahjong"))):
        yield _headline(line, "Mahjic", 275 + at * 92, faces, width=740)
    yield _told([_("Every change of every rating can be looked up.")], 460, faces)
    yield _BIG_TILE.format(tile=TILE)


def _headline(text: str, instead: str, y: int, faces: Typefaces, *, width: float) -> Markup:
    fit = fitting(
        text,
        instead=instead,
        face=faces.display,
        width=width,
        largest=HEADLINE_SIZE,
        smallest=HEADLINE_SIZE_MIN,
    )
    return placed_text(fit.text, LEFT, y, face=faces.display, size=fit.size, fill=INK)


def _told(words: Sequence[str], y: int, faces: Typefaces) -> Markup:
    text = " · ".join(words)
    return placed_text(text, LEFT, y, face=faces.text, size=TOLD_SIZE, fill=SOFT)


def _counted_games(games: int) -> str:
    return ngettext("{games} game", "{games} games", games).format(games=shown_number(games))


def _chart(ratings_centi: Sequence[int]) -> Markup:
    """Return the ratings as a line."""
    scale = Scale(
        left=LEFT * 10,
        right=RIGHT * 10,
        top=CHART_TOP,
        bottom=CHART_BOTTOM,
        low=min(ratings_centi) // 100 - CHART_MARGIN,
        high=max(ratings_centi) // 100 + 1 + CHART_MARGIN,
        slots=len(ratings_centi),
    )
    dots = [Dot(scale.x(slot), scale.y(rating)) for slot, rating in enumerate(ratings_centi)]
    return _CHART.format(
        area=area(dots, CHART_BOTTOM),
        line=path(thinned(dots)),
        tint=JADE_TINT,
        jade=JADE,
        paper=PAPER,
        x=number(dots[-1].x),
        y=number(dots[-1].y),
    )


def placed_text(
    text: str,
    x: float,
    y: float,
    *,
    face: Typeface,
    size: float,
    fill: str,
    at_end: bool = False,
) -> Markup:
    """Return a text, safe, where it stands: from `x` on, or up to it."""
    anchor = _AT_END if at_end else Markup("")
    return _TEXT.format(
        x=x, y=y, family=face.family, size=size, fill=fill, anchor=anchor, text=text
    )
