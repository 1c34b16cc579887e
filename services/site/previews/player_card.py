"""Draws the card of a player as SVG, for a page of their own: name, Mahjic ID and rating. Pure."""

from collections.abc import Iterator
from typing import Final

from markupsafe import Markup

from services.site.kit.words import BANDS, _, games_words, shown_number, shown_rating
from services.site.previews.layout import (
    INK,
    JADE,
    JADE_DEEP,
    ON_JADE,
    PAPER,
    SOFT,
    TILE,
    placed_text,
)
from services.site.previews.subjects import PlayerCard
from services.site.previews.typefaces import Typefaces, fitting

# Twice what a card takes on most pages, so that it is sharp on fine screens.
CARD_WIDTH: Final = 720
CARD_HEIGHT: Final = 400
_LEFT: Final = 40
_NAME_SIZE: Final = 54
_NAME_SIZE_MIN: Final = 34
_TOLD_SIZE: Final = 26
_RATING_SIZE: Final = 110
_CARD: Final = Markup(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 400" width="720" height="400">'
    '<rect width="720" height="400" fill="{paper}"/><rect width="720" height="64" fill="{head}"/>'
    '<g transform="translate(40 10) scale(0.7)">{tile}</g>{parts}</svg>'
)


def drawn_card(card: PlayerCard, faces: Typefaces) -> str:
    """Return a card as SVG."""
    parts = Markup("").join(_parts(card, faces))
    return str(_CARD.format(paper=PAPER, head=JADE_DEEP, tile=TILE, parts=parts))


def _parts(card: PlayerCard, faces: Typefaces) -> Iterator[Markup]:
    yield placed_text("Mahjic", 88, 44, face=faces.display, size=34, fill=ON_JADE)
    name = fitting(
        card.name,
        instead=card.player_id,
        face=faces.display,
        width=CARD_WIDTH - 2 * _LEFT,
        largest=_NAME_SIZE,
        smallest=_NAME_SIZE_MIN,
    )
    yield placed_text(name.text, _LEFT, 140, face=faces.display, size=name.size, fill=INK)
    if name.text != card.player_id:
        yield _told(card.player_id, 184, faces)
    rating = shown_rating(card.rating)
    yield placed_text(rating, _LEFT, 305, face=faces.display, size=_RATING_SIZE, fill=JADE)
    told = [BANDS[card.band]]
    if card.place is not None:
        told.append(_("place {place}").format(place=shown_number(card.place)))
    told.append(games_words(card.games))
    yield _told(" · ".join(told), 360, faces)


def _told(text: str, y: int, faces: Typefaces) -> Markup:
    return placed_text(text, _LEFT, y, face=faces.text, size=_TOLD_SIZE, fill=SOFT)
