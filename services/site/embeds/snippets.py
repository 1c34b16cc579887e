"""What is copied into a page of one's own to show a board, a player or the calculator. Pure."""

from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from services.site.kit.words import _

ROWS_DEFAULT: Final = 10
# As high as what is in a frame where it is narrow: a row of a board wraps into two lines there.
_BOARD_PX: Final = 840
_PLAYER_PX: Final = 300
_CALCULATOR_PX: Final = 900
_SCRIPT: Final = Markup('<script type="module" src="{origin}/embed.js"></script>\n{element}')
_ELEMENT: Final = Markup('<{name}{attributes}>\n  <a href="{href}">{words}</a>\n</{name}>')
_FRAME: Final = Markup(
    '<iframe src="{src}" title="{title}"\n  width="100%" height="{height}" loading="lazy"'
    ' style="border: 0"></iframe>'
)


@dataclass(frozen=True, slots=True)
class Snippet:
    """One thing to show; without a live `element` until it is known whom it shows.

    Who has no JavaScript sees the link within the element instead.
    """

    anchor: str
    title: str
    name: str
    attributes: Markup
    whole: str
    words: str
    framed: str
    height_px: int
    is_live: bool = True

    def element(self, origin: str = "") -> Markup:
        """Return the element, with the addresses of a service at an origin."""
        href = origin + self.whole
        return _ELEMENT.format(
            name=self.name, attributes=self.attributes, href=href, words=self.words
        )

    def script(self, origin: str) -> str:
        """Return what to copy into a page that may run scripts."""
        return str(_SCRIPT.format(origin=origin, element=self.element(origin)))

    def frame(self, origin: str) -> str:
        """Return what to copy into a page that takes frames only."""
        return str(_FRAME.format(src=origin + self.framed, title=self.words, height=self.height_px))


def board_snippet(source: str | None) -> Snippet:
    """Return what shows the board of a source, or the global leaderboard."""
    named = Markup(' source="{}"').format(source) if source else Markup("")
    return Snippet(
        anchor="board",
        title=_("A leaderboard"),
        name="mahjic-leaderboard",
        attributes=Markup('{} limit="{}"').format(named, ROWS_DEFAULT),
        whole=f"/sources/{source}" if source else "/leaderboard",
        words=_("Our leaderboard on Mahjic") if source else _("The leaderboard on Mahjic"),
        framed=f"/embed/leaderboard{f'/{source}' if source else ''}?limit={ROWS_DEFAULT}",
        height_px=_BOARD_PX,
    )


def player_snippet(player_id: str | None) -> Snippet:
    """Return what shows a player."""
    named = player_id or "MJ-..."
    return Snippet(
        anchor="player",
        title=_("A player"),
        name="mahjic-player",
        attributes=Markup(' id="{}"').format(named),
        whole=f"/players/{named}",
        words=_("My Mahjic rating"),
        framed=f"/embed/player/{named}",
        height_px=_PLAYER_PX,
        is_live=player_id is not None,
    )


def calculator_snippet() -> Snippet:
    """Return what shows the calculator."""
    return Snippet(
        anchor="calculator",
        title=_("The rating calculator"),
        name="mahjic-calculator",
        attributes=Markup(""),
        whole="/formula",
        words=_("How the Mahjic rating works"),
        framed="/embed/calculator",
        height_px=_CALCULATOR_PX,
    )
