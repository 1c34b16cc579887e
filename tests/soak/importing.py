"""Imports the sources' files at the same time, each with the command and key of its source."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psutil  # type: ignore[import-untyped]

from tests.soak.site import Site

SOME_REFUSED: Final = 1
# Some were voided or corrected since.
NOTHING_COUNTED: Final = 4


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import said: its figures, and the refused lines with the codes of their problems."""

    figures: Mapping[str, int]
    refused: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Import:
    """An import that runs, and where its refused lines go."""

    process: asyncio.subprocess.Process
    seen: psutil.Process
    refused: Path

    async def ended(self) -> Imported:
        """Wait for its end."""
        said, told = await self.process.communicate()
        assert self.process.returncode in {0, SOME_REFUSED, NOTHING_COUNTED}, told.decode()
        figures: dict[str, Any] = json.loads(said)
        counts = {name: count for name, count in figures.items() if isinstance(count, int)}
        return Imported(counts, _refused(self.refused))


async def start_import(site: Site, source: str, file: Path, *, turn: str) -> Import:
    """Start the import of a source's file."""
    refused = file.with_name(f"{source}.refused.{turn}.ndjson")
    arguments = ("import", str(file), "--json", "--refused", str(refused))
    keyed = {"MAHJIC_URL": site.served.url, "MAHJIC_KEY": site.keys[source]}
    process = await site.start(*arguments, **keyed)
    return Import(process, psutil.Process(process.pid), refused)


def _refused(file: Path) -> tuple[tuple[int, str], ...]:
    if not file.exists():
        return ()
    with file.open("rb") as lines:
        entries = map(json.loads, lines)
        return tuple((entry["line"], entry["problem"]["code"]) for entry in entries)
