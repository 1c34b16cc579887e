"""The program that makes pictures, in its own process: SVG in, PNG out, one after the other.

On stdin it reads the length of an SVG on a line of its own and then the SVG, and answers with a PNG
in the same way, until stdin ends. It has no settings, no database, no network and no fonts but
those beside it; little memory, and little time for each picture.
"""

import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final

import resvg_py

from shared.errors import places_of
from shared.machine.children import FAULT_OF_OURS, limit

FONTS: Final = Path(__file__).parent / "fonts"
# Making a picture takes 25 MB, and a tenth of a second.
MEMORY_BYTES_MAX: Final = 256 << 20
CPU_S_MAX: Final = 5
# Whoever waits for a page comes first.
NICENESS: Final = 10


def main() -> None:
    """Make pictures until there are no more. A fault is told only by its places in the code."""
    limit(resource.RLIMIT_AS, MEMORY_BYTES_MAX)
    os.nice(NICENESS)
    try:
        answer_all(sys.stdin.buffer, sys.stdout.buffer, png_of)
    except Exception as error:  # noqa: BLE001 - The last resort. The message may quote people.
        sys.stderr.write("\n".join(places_of(error)))
        sys.exit(FAULT_OF_OURS)


def answer_all(asked: BinaryIO, told: BinaryIO, make: Callable[[str], bytes]) -> None:
    """Answer each SVG with what is made of it."""
    while line := asked.readline():
        svg = asked.read(int(line))
        _limit_cpu()
        png = make(svg.decode())
        told.write(b"%d\n%b" % (len(png), png))
        told.flush()


def png_of(svg: str) -> bytes:
    """Return a picture as PNG, as large as it says."""
    return resvg_py.svg_to_bytes(
        svg_string=svg,
        # They differ from one machine to the next.
        skip_system_fonts=True,
        font_files=[str(file) for file in sorted(FONTS.glob("*.ttf"))],
    )


def _limit_cpu() -> None:
    """Limit the time of the next picture, beyond what those before it took."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    seconds = int(used.ru_utime + used.ru_stime) + 1 + CPU_S_MAX
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, most))


if __name__ == "__main__":
    main()
