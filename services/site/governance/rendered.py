"""Makes HTML of the text of a proposal: no HTML of its own, no pictures, tables that scroll."""

from functools import lru_cache
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup

from services.site.kit.words import _

# Where the pages of docs are that a text may name: there is no page for them on the site.
_ON_THE_SITE: Final = {"README.md": "/governance", "../rating.md": "/formula"}
# As many as there are proposals, for a long time.
_KEPT_MAX: Final = 64


@lru_cache(maxsize=_KEPT_MAX)
def rendered(text: str) -> Markup:
    """Return the text as HTML, to be shown below a heading of the first level."""
    reader = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer)
    reader.enable("table").disable("image")
    tokens = reader.parse(text)
    for token in tokens:
        for each in (token, *(token.children or ())):
            if each.type == "link_open":
                address = str(each.attrGet("href"))
                each.attrSet("href", _ON_THE_SITE.get(address, address))
    return Markup(reader.renderer.render(tokens, reader.options, {}))  # noqa: S704


class _Renderer(RendererHTML):
    """Writes each table into a region of its own, which scrolls on a phone, by keyboard too."""

    def __init__(self, *arguments: Any) -> None:  # noqa: ANN401
        super().__init__(*arguments)
        self._tables = 0

    def table_open(self, *_more: object) -> str:
        """Begin a table, and the region around it."""
        self._tables += 1
        label = Markup("{}").format(_("Table {}").format(self._tables))
        return f'<div class="scroll" role="region" aria-label="{label}" tabindex="0">\n<table>\n'

    def table_close(self, *_more: object) -> str:
        """End both."""
        return "</table>\n</div>\n"

    def th_open(self, tokens: list[Token], place: int, *_more: object) -> str:
        """Begin a heading of a column, which says that it is one."""
        tokens[place].attrs = {"scope": "col"}
        return self.renderToken(tokens, place, {}, {})  # type: ignore[arg-type]

    def td_open(self, tokens: list[Token], place: int, *_more: object) -> str:
        """Begin a cell without the style that the page's own policy forbids."""
        tokens[place].attrs = {}
        return self.renderToken(tokens, place, {}, {})  # type: ignore[arg-type]
