"""Writes a page that stands alone, from a title, paragraphs, tables and drawings. Pure.

The same content gives the same bytes. It asks nothing of any other host, reads well on a phone and
in the dark, and prints on paper with no table or drawing cut in two.
"""

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from markupsafe import Markup, escape

from shared.papers.look import STYLE

_PAGE: Final = Markup(
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
    "style-src 'unsafe-inline'\">\n"
    "<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n"
    '<h1>{title}</h1>\n<p class="lead">{lead}</p>\n{parts}\n</main>\n</body>\n</html>\n'
)
_SECTION: Final = Markup("<section>\n<h2>{heading}</h2>\n{parts}\n</section>")
_TABLE: Final = Markup(
    '<div class="scroll" role="region" tabindex="0" aria-label="{caption}">\n<table>\n'
    "<caption>{caption}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n"
    "</table>\n</div>"
)
_HEAD: Final = Markup('<th scope="col"{kind}>{text}</th>')
_NUMBER: Final = Markup(' class="num"')
_ROW: Final = Markup('<tr><th scope="row">{head}</th>{cells}</tr>')
_CELL: Final = Markup('<td class="num">{text}</td>')
_PARAGRAPH: Final = Markup("<p>{}</p>")
_HEADING: Final = Markup("<h3>{}</h3>")
_CODE: Final = Markup("<code>{}</code>")
_FIGURE: Final = Markup("<figure>\n{drawing}\n<figcaption>{caption}</figcaption>\n</figure>")


# What a row is about, and its figures.
Row: TypeAlias = Sequence[str]


def write_page(title: str, lead: str, parts: Iterable[Markup]) -> bytes:
    """Return the whole page as UTF-8."""
    page = _PAGE.format(title=title, lead=lead, style=STYLE, parts=_lines(parts))
    return page.encode()


def section(heading: str, *parts: Markup) -> Markup:
    """Return a part of the page under a heading."""
    return _SECTION.format(heading=heading, parts=_lines(parts))


def heading(text: str) -> Markup:
    """Return a heading within a section."""
    return _HEADING.format(text)


def paragraph(text: str, **values: str) -> Markup:
    """Return a paragraph of text in which the values stand, by their names in braces."""
    return _PARAGRAPH.format(escape(text).format(**values))


def code(text: str) -> Markup:
    """Return what is typed, or stands in a file, as it is."""
    return _CODE.format(text)


def table(caption: str, columns: Sequence[str], rows: Iterable[Row]) -> Markup:
    """Return a table. The first cell of each row says what it is about; the rest are figures."""
    head = Markup("").join(
        _HEAD.format(kind=_NUMBER if at else "", text=text) for at, text in enumerate(columns)
    )
    return _TABLE.format(caption=caption, head=head, rows=_lines(map(_row, rows)))


def figure(drawing: Markup, caption: str) -> Markup:
    """Return a drawing, and below it what it shows."""
    return _FIGURE.format(drawing=drawing, caption=caption)


def _row(row: Row) -> Markup:
    cells = Markup("").join(_CELL.format(text=each) for each in row[1:])
    return _ROW.format(head=row[0], cells=cells)


def _lines(parts: Iterable[Markup]) -> Markup:
    return Markup("\n").join(parts)
