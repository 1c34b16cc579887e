"""Draws an address as a QR code, for a page and for paper. Pure.

Always black on white, with the quiet edge that readers need: also on dark pages, and where a reader
has chosen colors of their own.
"""

from typing import Final

import segno
from markupsafe import Markup

# A quarter of the code may be covered: cards get worn.
ERROR_CORRECTION: Final = "q"
QUIET_EDGE: Final = 4


def qr_code(address: str) -> Markup:
    """Return the code of an address as SVG, as large as what it stands in."""
    code = segno.make(address, error=ERROR_CORRECTION, micro=False, boost_error=False)
    drawn = code.svg_inline(
        dark="#000",
        light="#fff",
        border=QUIET_EDGE,
        omitsize=True,
        svgclass=None,
        lineclass=None,
        draw_transparent=False,
    )
    return Markup(drawn)  # noqa: S704 - Numbers and words of the library: the address is in none.
