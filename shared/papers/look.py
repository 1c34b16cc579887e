"""The look of a page that stands alone: the site's colors, on a screen and on paper. Pure.

It is in the page itself, without the site's typefaces, so that a file that was saved or mailed
looks the same for good.
"""

from typing import Final

from markupsafe import Markup

STYLE: Final = Markup("""
:root { color-scheme: light dark; --paper: light-dark(#faf6ec, #15201c);
  --card: light-dark(#fffdf7, #1d2b25); --ink: light-dark(#1a211e, #f2efe5);
  --soft: light-dark(#4a544e, #bcc7bf); --jade: light-dark(#0b5a41, #7fd6b0);
  --rule: light-dark(#d9cfb8, #3a4b43); --line: light-dark(#7c7666, #8fa096);
  --gold-tint: light-dark(#fdf4dc, #2a2c1c); --blue: light-dark(#1f4f8f, #9cc4f5); }
*, *::before, *::after { box-sizing: border-box; }
html { font: 1.1875rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  -webkit-text-size-adjust: none; text-size-adjust: none; }
body { margin: 0; overflow-wrap: anywhere; }
main { width: min(46rem, 100% - 2rem); margin: 0 auto; padding: 1.75rem 0 3rem; }
h1, h2, h3 { font-family: Georgia, serif; line-height: 1.2; text-wrap: balance; }
h1 { font-size: 2rem; margin: 0 0 .4rem; }
h2 { font-size: 1.4rem; margin: 2.4rem 0 .5rem; border-top: 1px solid var(--rule);
  padding-top: 1rem; }
h3 { font-size: 1.12rem; margin: 1.4rem 0 .4rem; }
p { margin: .6rem 0; }
.lead { color: var(--soft); }
.draft { background: var(--gold-tint); border: 2px solid var(--line); border-radius: 6px;
  padding: .7rem 1rem; }
.scroll { overflow-x: auto; margin: 1rem 0; }
:focus-visible { outline: 3px solid var(--blue); outline-offset: 3px; }
table { border-collapse: collapse; width: 100%; background: var(--card); overflow-wrap: normal; }
caption { text-align: left; font-weight: 600; padding: .4rem 0; }
th, td { padding: .35rem .6rem; border-bottom: 1px solid var(--rule); text-align: left;
  vertical-align: top; }
th { font-weight: 600; }
tbody th { font-weight: 400; }
.num { text-align: right; font-variant-numeric: tabular-nums; }
figure { margin: 1rem 0; max-width: 32rem; }
svg { display: block; width: 100%; height: auto; }
svg text { font: 15px system-ui, sans-serif; fill: var(--ink); }
.grid { stroke: var(--rule); fill: none; }
.even { stroke: var(--line); fill: none; stroke-dasharray: 6 5; stroke-width: 1.5; }
.line { stroke: var(--jade); fill: none; stroke-width: 2; }
.dot { fill: var(--jade); fill-opacity: .75; }
figcaption { color: var(--soft); }
path.now { stroke: var(--soft); fill: none; stroke-dasharray: 5 4; stroke-width: 1.5; }
path.then { stroke: var(--jade); fill: none; stroke-width: 3; }
circle.now { fill: var(--soft); }
:is(circle, rect).then { fill: var(--jade); }
code { font: .92em ui-monospace, Menlo, Consolas, monospace; }
@media (max-width: 34rem) {
  table { font-size: .86em; }
  th, td { padding: .35rem .3rem; }
}
@page { margin: 18mm 16mm; }
@media print {
  :root { color-scheme: light; }
  html { font-size: 10.5pt; background: #fff; color: #000; }
  main { width: 100%; padding: 0; }
  h1, h2, h3, caption { break-after: avoid; }
  figure, tr, .draft { break-inside: avoid; }
  table { break-inside: avoid; background: none; }
  thead { display: table-header-group; }
  h3 + p { break-after: avoid; }
  p { orphans: 3; widows: 3; }
  figure { max-width: 11cm; }
  .scroll { overflow: visible; }
  svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
""")
