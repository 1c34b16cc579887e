"""Draws the icons of the site from one tile: `python -m tests.site.pictures.icons`.

They are kept in `services/site/static`, so that nothing has to be drawn to install or run Mahjic. A
test holds them against this drawing.
"""

from pathlib import Path
from typing import Final

import resvg_py

from services.site.previews.layout import TILE

STATIC: Final = Path(__file__).parents[3] / "services" / "site" / "static"

# On a light page the pale tile needs an edge; on a dark one it stands out by itself.
FAVICON: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 68 68">'
    "<style>.face{stroke:#083f2e;stroke-width:2.5}"
    "@media(prefers-color-scheme:dark){.face{stroke:none}}</style>"
    f'<g transform="translate(10 2.5)">{TILE}</g></svg>\n'
)
JADE: Final = "#083f2e"


def main() -> None:
    """Write every icon."""
    for name, content in icons().items():
        (STATIC / name).write_bytes(content)


def icons() -> dict[str, bytes]:
    """Return every icon by the name of its file."""
    return {
        "favicon.svg": FAVICON.encode(),
        "icon-192.png": png(app_icon(tile_height=380, corner=96), 192),
        "icon-512.png": png(app_icon(tile_height=380, corner=96), 512),
        # A system cuts its own shape out of these. It keeps the middle four fifths.
        "icon-maskable-512.png": png(app_icon(tile_height=300, corner=0), 512),
        "apple-touch-icon.png": png(app_icon(tile_height=340, corner=0), 180),
    }


def app_icon(*, tile_height: float, corner: float) -> str:
    """Return the tile in the middle of a square of 512."""
    scale = tile_height / 63
    x, y = 256 - 24 * scale, 256 - 31.5 * scale
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512">'
        f'<rect width="512" height="512" rx="{corner}" fill="{JADE}"/>'
        f'<g transform="translate({x:.2f} {y:.2f}) scale({scale:.4f})">{TILE}</g></svg>'
    )


def png(svg: str, size: int) -> bytes:
    """Return a square picture."""
    return resvg_py.svg_to_bytes(svg_string=svg, width=size, height=size, skip_system_fonts=True)


if __name__ == "__main__":
    main()
