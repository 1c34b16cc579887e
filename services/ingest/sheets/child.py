"""The program that opens one score sheet, in its own process, and then ends.

It reads a line of JSON and then the file from stdin; or, for a sheet that was opened before and
mended since, its cells as JSON. It writes up to three lines of JSON to stdout: why the file was
refused, or what was found in it; the claim; and, if it is to be kept, the cells with all addresses
in them. It has no settings, no database, no network, and little memory and time.
"""

import json
import resource
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, BinaryIO, Final

from shared.errors import places_of
from shared.limits import ROUNDS_MAX, SEATS_MAX
from shared.machine.children import FAULT_OF_OURS, limit
from shared.sheets.addressed import addresses_in
from shared.sheets.cells import Place, Sheet, SheetMistake, SheetRefused, refused
from shared.sheets.drawn import DRAWN_BYTES_MAX, TOO_MUCH_TEXT, as_drawn, from_drawn
from shared.sheets.limits import Limits
from shared.sheets.opening import open_workbook
from shared.sheets.reading import read_score_sheet

# One more than a claim may have, so that the rest is not carried along, but still noticed.
ROUNDS_KEPT: Final = ROUNDS_MAX + 1
SEATS_KEPT: Final = SEATS_MAX + 1


def main() -> None:
    """Read one file, and end. A fault is reported on stderr only by its places in the code."""
    asked = json.loads(sys.stdin.buffer.readline())
    limit(resource.RLIMIT_CPU, asked["cpu_s_max"])
    limit(resource.RLIMIT_AS, asked["memory_bytes_max"])
    # The workbook reader loads numpy if it is there, for 13 MB and a tenth of a second, but does
    # not need it. So hide it.
    sys.modules["numpy"] = None  # type: ignore[assignment]
    try:
        answers = _read(sys.stdin.buffer, asked)
    except MemoryError:
        answers = [{"refused": [asdict(_TOO_HEAVY)]}]
    except Exception as error:  # noqa: BLE001 - The last resort. The message may quote people.
        sys.stderr.write("\n".join(places_of(error)))
        sys.exit(FAULT_OF_OURS)
    sys.stdout.write("\n".join(map(json.dumps, answers)))


_TOO_HEAVY: Final = SheetMistake(
    Place(),
    "too_large",
    "Reading the file takes more memory than a score sheet needs. Copy its cells into the "
    "template, and send that.",
)


def _read(file: BinaryIO, asked: Mapping[str, Any]) -> list[Any]:
    kept: dict[str, Any] = {}
    sheets: Sequence[Sheet]
    try:
        if asked["is_opened"]:
            sheets = from_drawn(json.load(file))
            kept = {"addresses": addresses_in(sheets)}
        else:
            sheets = open_workbook(file.read(), limits=Limits(bytes_max=asked["bytes_max"]))
        if asked["is_drawn"]:
            drawn = _drawn(sheets)
            # What counts is what is kept and shown.
            sheets = from_drawn(drawn)
            kept = {"addresses": addresses_in(sheets), "sheets": drawn}
        read = read_score_sheet(sheets, sheet_name=asked["sheet_name"])
    except SheetRefused as refusal:
        return [{"refused": [asdict(each) for each in refusal.mistakes]}, None, kept]
    found = {
        "places": {at: asdict(place) for at, place in read.places.items() if _is_kept(at)},
        "mistakes": [asdict(each) for each in read.mistakes],
        "noted": sorted(filter(_is_kept, read.noted)),
        "warnings": [asdict(each) for each in read.warnings if _is_kept(each.pointer)],
    }
    return [found, _kept(read.claim), kept]


def _drawn(sheets: Sequence[Sheet]) -> list[dict[str, Any]]:
    drawn = as_drawn(sheet for sheet in sheets if not sheet.is_blank)
    if len(json.dumps(drawn)) > DRAWN_BYTES_MAX:
        raise refused("too_large", TOO_MUCH_TEXT)
    return drawn


def _kept(claim: Mapping[str, Any]) -> dict[str, Any]:
    """Return a claim without the parts far beyond its limits. They would be refused anyway."""
    rounds = claim.get("rounds", [])[:ROUNDS_KEPT]
    kept = [{**each, "players": each.get("players", [])[:SEATS_KEPT]} for each in rounds]
    return {**claim, "rounds": kept}


def _is_kept(pointer: str) -> bool:
    """Return whether a pointer leads into what is left of the claim: /rounds/3/players/2/email."""
    steps = [*pointer.split("/")[2:5:2], "0", "0"]
    return int(steps[0]) < ROUNDS_KEPT and int(steps[1]) < SEATS_KEPT


if __name__ == "__main__":
    main()
