"""Turns the words of the OpenAPI document into HTML: paragraphs, and code in backticks. Pure."""

import re
from collections.abc import Mapping
from typing import Final

from markupsafe import Markup, escape

_CODE: Final = re.compile(r"`([^`]+)`")
_PARAGRAPHS: Final = re.compile(r"\n\s*\n")
_LINES: Final = re.compile(r"\s*\n\s*")


def inline(text: str, links: Mapping[str, str]) -> Markup:
    """Return a sentence with its code marked; code that `links` knows leads to its page."""
    parts = _CODE.split(_LINES.sub(" ", text))
    html = Markup()
    for place, part in enumerate(parts):
        if place % 2 == 0:
            html += escape(part)
        elif part in links:
            html += Markup('<a href="{}"><code>{}</code></a>').format(links[part], part)
        else:
            html += Markup("<code>{}</code>").format(part)
    return html


def paragraphs(text: str, links: Mapping[str, str]) -> Markup:
    """Return a text of several paragraphs."""
    return Markup().join(
        Markup("<p>{}</p>").format(inline(each, links)) for each in _PARAGRAPHS.split(text) if each
    )
