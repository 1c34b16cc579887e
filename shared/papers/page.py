"""Writes a page that stands alone, from a title, paragraphs, tables and drawings. Pure.

The same content gives the same bytes. It asks nothing of any other host, reads well on a phone and
in the dark, and prints on paper with no table or drawing cut in two.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from markupsafe import Markup

_PAGE: Final = Markup("""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>{title}</h1>
<p class="lead">{lead}</p>
{parts}
</main>
</body>
</html>
""")
_STYLE: Final = Markup("""
:root { color-scheme: light dark; --paper: #fff; --ink: #1d1d1b; --soft: #57554f; --rule: #cfcbc1;
  --then: #0b6b50; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #161715; --ink: #efeee9; --soft: #b8b5ac; --rule: #4a4943; --then: #5cc8a4; } }
body { margin: 0; font-size: 1.125rem; line-height: 1.5; background: var(--paper);
  color: var(--ink);
  font-family: system-ui, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; overflow-wrap: break-word; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.3rem; margin: 2.25rem 0 .5rem; }
.lead, figcaption, caption { color: var(--soft); }
.lead { font-size: 1.1rem; }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: .4rem; }
th, td { border-bottom: 1px solid var(--rule); padding: .35rem .5rem; text-align: right;
  vertical-align: top; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
figure { margin: 1rem 0; max-width: 32rem; }
.chart { width: 100%; height: auto; overflow: visible; }
.chart text { fill: var(--soft); }
.chart path { fill: none; stroke: var(--rule); stroke-width: 1.5; }
.chart path.now { stroke: var(--soft); stroke-dasharray: 5 4; }
.chart path.then { stroke: var(--then); stroke-width: 3; }
.chart .now { fill: var(--soft); }
.chart :is(circle, rect).then { fill: var(--then); }
.chart path.now, .chart path.then { fill: none; }
@media print {
  :root { --paper: #fff; --ink: #000; --soft: #444; --rule: #bbb; --then: #0b6b50; }
  main { max-width: none; padding: 0; }
  figure, tr, .lead { break-inside: avoid; }
  h2, caption { break-after: avoid; }
  .scroll { overflow: visible; }
  .chart { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
""")
_SECTION: Final = Markup("<section>\n<h2>{heading}</h2>\n{parts}\n</section>")
_TABLE: Final = Markup(
    '<div class="scroll" role="region" aria-label="{caption}" tabindex="0">\n<table>\n'
    "<caption>{caption}</caption>\n<thead><tr>{columns}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n"
    "</table>\n</div>"
)
_FIGURE: Final = Markup("<figure>\n{drawing}\n<figcaption>{caption}</figcaption>\n</figure>")


def write_page(title: str, lead: str, parts: Iterable[Markup]) -> bytes:
    """Return the whole page as UTF-8."""
    page = _PAGE.format(title=title, lead=lead, style=_STYLE, parts=_lines(parts))
    return page.encode()


def section(heading: str, *parts: Markup) -> Markup:
    """Return a part of the page under a heading."""
    return _SECTION.format(heading=heading, parts=_lines(parts))


def paragraph(text: str) -> Markup:
    """Return a paragraph."""
    return Markup("<p>{}</p>").format(text)


def table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    """Return a table. The first cell of each row says what it is about; the rest are figures."""
    heads = Markup("").join(Markup('<th scope="col">{}</th>').format(each) for each in columns)
    return _TABLE.format(caption=caption, columns=heads, rows=_lines(map(_row, rows)))


def figure(drawing: Markup, caption: str) -> Markup:
    """Return a drawing, and below it what it shows."""
    return _FIGURE.format(drawing=drawing, caption=caption)


def _row(cells: Sequence[str]) -> Markup:
    head = Markup('<th scope="row">{}</th>').format(cells[0])
    rest = Markup("").join(Markup("<td>{}</td>").format(each) for each in cells[1:])
    return Markup("<tr>{}{}</tr>").format(head, rest)


def _lines(parts: Iterable[Markup]) -> Markup:
    return Markup("\n").join(parts)
