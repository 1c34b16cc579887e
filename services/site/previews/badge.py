"""Draws the badge of a player as SVG: small, without the name, to stand in a line of text. Pure.

It is shown as a picture on pages of others, where it gets no typeface but those of the reader's own
machine. So each text is told how wide it is, and fits whichever of them is taken.
"""

from typing import Final

from markupsafe import Markup

from services.site.kit.words import BANDS, _, shown_rating
from services.site.previews.layout import INK, JADE_DEEP, JADE_TINT, ON_JADE
from services.site.previews.typefaces import Typeface

BADGE_HEIGHT: Final = 24
_SIZE: Final = 13
_MARGIN: Final = 9
_ROUND: Final = 4
_BADGE: Final = Markup(
    '<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
    'viewBox="0 0 {width} {height}" role="img" aria-label="{title}"><title>{title}</title>'
    '<rect width="{width}" height="{height}" rx="{round}" fill="{right_fill}"/>'
    '<path d="M{left_width} 0H{round}a{round} {round} 0 0 0-{round} {round}v{straight}'
    'a{round} {round} 0 0 0 {round} {round}H{left_width}z" fill="{left_fill}"/>'
    '<g font-family="system-ui,Segoe UI,Roboto,Helvetica,Arial,sans-serif" font-size="{size}">'
    "{texts}</g></svg>"
)
_TEXT: Final = Markup(
    '<text x="{x}" y="16.5" textLength="{length}" lengthAdjust="spacingAndGlyphs" '
    'fill="{fill}">{text}</text>'
)


def drawn_badge(rating: float, band: str, face: Typeface) -> str:
    """Return the badge of a player with this rating, which `band` is the word for.

    The widths of texts are those of a typeface of ours, which are near those of any other.
    """
    brand = "Mahjic"
    told = _("{rating} {band}").format(rating=shown_rating(rating), band=BANDS[band])
    brand_width, told_width = (round(face.width(each, _SIZE)) for each in (brand, told))
    left_width = brand_width + 2 * _MARGIN
    texts = Markup("").join(
        [
            _TEXT.format(x=_MARGIN, length=brand_width, fill=ON_JADE, text=brand),
            _TEXT.format(x=left_width + _MARGIN, length=told_width, fill=INK, text=told),
        ]
    )
    return str(
        _BADGE.format(
            width=left_width + told_width + 2 * _MARGIN,
            height=BADGE_HEIGHT,
            title=_("Mahjic rating {}").format(told),
            round=_ROUND,
            straight=BADGE_HEIGHT - 2 * _ROUND,
            left_width=left_width,
            left_fill=JADE_DEEP,
            right_fill=JADE_TINT,
            size=_SIZE,
            texts=texts,
        )
    )
