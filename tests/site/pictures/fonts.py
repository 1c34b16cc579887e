"""Makes the fonts of previews from those of pages: `python -m tests.site.pictures.fonts`.

What draws previews reads only plain TTF, of one weight. The fonts are made once and kept in
`services/site/previews/fonts`, with the widths of their characters beside them. They have names of
their own, as the license of Source Sans asks of whoever changes it.

Reading WOFF2 takes Brotli, which nothing else here needs: `pip install brotli` first.
"""

import json
import shutil
import unicodedata
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from fontTools.merge import Merger
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

SITE: Final = Path(__file__).parents[3] / "services" / "site"
STATIC: Final = SITE / "static"
FONTS: Final = SITE / "previews" / "fonts"

# The family in previews, the font of pages that it is made from, and its weight.
FACES: Final = (
    ("Mahjic Display", "fraunces", 640),
    ("Mahjic Text", "source-sans-3", 400),
)
# Seconds since 1904, as fonts count: midnight of Jan 1, 2026.
MADE: Final = 3_850_070_400
_NAMES: Final = {1: "{family}", 2: "Regular", 3: "{family}", 4: "{family}", 6: "{postscript}"}
_COPYRIGHT: Final = 0


def main() -> None:
    """Write the fonts, their licenses and their widths."""
    widths = {}
    for family, of_pages, weight in FACES:
        name = family.lower().replace(" ", "-")
        made = merged(of_pages, weight)
        rename(made, family)
        made["head"].created = made["head"].modified = MADE
        made.recalcTimestamp = False
        made.save(FONTS / f"{name}.ttf")
        shutil.copy(STATIC / f"{of_pages}-OFL.txt", FONTS / f"{name}-OFL.txt")
        widths[family] = widths_of(TTFont(FONTS / f"{name}.ttf"))
    (FONTS / "widths.json").write_text(json.dumps(widths, separators=(",", ":")) + "\n")


def merged(of_pages: str, weight: int) -> Any:  # fontTools has no types.
    """Return both parts of a font of pages as one, in one weight."""
    parts = []
    for part in (of_pages, f"{of_pages}-ext"):
        font = TTFont(STATIC / f"{part}.woff2")
        font.flavor = None
        plain = BytesIO()
        instantiateVariableFont(font, {"wght": weight}).save(plain)
        plain.seek(0)
        parts.append(plain)
    return Merger().merge(parts)


def rename(font: Any, family: str) -> None:
    """Give a font its own name, and no weight to be asked for. Its copyright stays."""
    table = font["name"]
    table.names = [each for each in table.names if each.nameID == _COPYRIGHT]
    for name_id, words in _NAMES.items():
        text = words.format(family=family, postscript=family.replace(" ", ""))
        table.setName(text, name_id, 3, 1, 0x409)
    font["OS/2"].usWeightClass = 400


def widths_of(font: Any) -> dict[str, Any]:
    """Return the width of each character that a font can show by itself, by its number.

    Marks that combine with the letter before them are left out: where they belong, not every font
    says. Letters that have theirs built in are there.
    """
    advances = font["hmtx"]
    return {
        "units_per_em": font["head"].unitsPerEm,
        "widths": {
            code: advances[glyph][0]
            for code, glyph in sorted(font.getBestCmap().items())
            if unicodedata.category(chr(code))[0] not in "CM"
        },
    }


if __name__ == "__main__":
    main()
