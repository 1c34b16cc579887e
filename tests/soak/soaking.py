"""One soak, from nothing to the proofs: import with changes beside it, prove, import again."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.soak.books import Books, Written, write_files
from tests.soak.changing import Changed, change_beside
from tests.soak.importing import Import, Imported, start_import
from tests.soak.memory import Growth, Sample, family_bytes, growths, mapped_bytes, own_bytes
from tests.soak.proofs import fact_seq, prove_books, prove_ratings
from tests.soak.site import Place, Site, a_place, a_site

CHANGES_MIN: Final = 10
SESSIONS_PER_CHANGE: Final = 5_000
SAMPLE_S: Final = 1.0

# Told of what is done, how far it is, and of how much.
Show = Callable[[str, int, int], None]


@dataclass(slots=True)
class Soaked:
    """All that a soak found; whatever must hold did hold, or there would be none."""

    sessions: int
    seed: int
    books: Books
    changed: Changed = field(default_factory=Changed)
    imported: Mapping[str, Imported] = field(default_factory=dict)
    again: Mapping[str, Imported] = field(default_factory=dict)
    samples: list[Sample] = field(default_factory=list)
    growths: Sequence[Growth] = ()
    again_s: float = 0.0
    proofs: list[str] = field(default_factory=list)

    def seconds_to(self, end: Callable[[Place], int]) -> float:
        """Return when a part had come to the end of the log, from the beginning of the import."""
        last = end(self.samples[-1].place)
        return next(sample.at_s for sample in self.samples if end(sample.place) == last)

    def most_behind(self, part: Callable[[Place], int]) -> int:
        """Return how many facts a part was behind the log at most."""
        return max(sample.place.recorded - part(sample.place) for sample in self.samples)

    def prove_flat(self) -> None:
        """Raise AssertionError if the memory of a process grew with what it imported."""
        grown = [growth for growth in self.growths if not growth.is_flat]
        assert not grown, f"Memory grows: {grown}"


async def soak(sessions: int, seed: int, show: Show) -> Soaked:
    """Import so many sessions, and return what was found.

    Raises AssertionError if it is wrong, except for memory that grows: the caller asks
    `prove_flat` for that, once the report that shows where it grew is written.
    """
    with a_place() as place:
        show("Making up sessions", 0, sessions)
        changes = CHANGES_MIN + sessions // SESSIONS_PER_CHANGE
        written = await asyncio.to_thread(write_files, sessions, seed, place, changes=changes)
        show("Making up sessions", sessions, sessions)
        soaked = Soaked(sessions, seed, written.books)
        async with a_site(_made(place / "data")) as site:
            await _import_all(site, written, soaked, show)
            soaked.growths = growths(soaked.samples)
            soaked.proofs += await prove_books(site, written.books, soaked.changed)
            show("Replaying", 0, sessions)
            soaked.proofs += await prove_ratings(site)
            show("Replaying", sessions, sessions)
            await _import_again(site, written, soaked, show)
        return soaked


async def _import_all(site: Site, written: Written, soaked: Soaked, show: Show) -> None:
    """Import the files with the changes beside them, until every view shows all of it."""
    imports = {
        source: await start_import(site, source, file, turn="first")
        for source, file in written.files.items()
    }
    done = asyncio.Event()

    def has_come(share: float) -> bool:
        recorded = soaked.samples[-1].place.recorded if soaked.samples else 0
        return done.is_set() or recorded >= share * written.books.sessions

    async with asyncio.TaskGroup() as group:
        watching = group.create_task(_watch(site, imports, soaked, show))
        changing = group.create_task(
            change_beside(site, written.books.changes, has_come, soaked.changed)
        )
        soaked.imported = await _all_ended(imports)
        done.set()
        await changing
        while not _is_all_shown(soaked.samples, await fact_seq(site)):
            await asyncio.sleep(SAMPLE_S / 5)
        watching.cancel()
    figures = [imported.figures for imported in soaked.imported.values()]
    lines = sum(each["lines"] for each in figures)
    assert lines == sum(written.books.lines.values())
    assert sum(each["refused"] for each in figures) == written.books.refused
    on_record = sum(each["recorded"] + _come_again(each) for each in figures)
    assert on_record == lines - written.books.refused


async def _import_again(site: Site, written: Written, soaked: Soaked, show: Show) -> None:
    """Send the same files once more: nothing is new, and each line gets the same answer."""
    facts = await fact_seq(site)
    show("Sending all of it again", 0, facts)
    began_s = time.monotonic()
    imports = {
        source: await start_import(site, source, file, turn="again")
        for source, file in written.files.items()
    }
    soaked.again = await _all_ended(imports)
    soaked.again_s = time.monotonic() - began_s
    show("Sending all of it again", facts, facts)
    for source, again in soaked.again.items():
        first = soaked.imported[source]
        assert again.figures["recorded"] == 0, f"{source}: {again.figures}"
        assert _come_again(again.figures) == first.figures["recorded"] + _come_again(first.figures)
        assert again.refused == first.refused, f"{source} is told other refusals than before."
    assert await fact_seq(site) == facts, "The files sent again left something on the log."
    lines = sum(again.figures["lines"] for again in soaked.again.values())
    soaked.proofs.append(
        f"All {lines:,} lines sent again left nothing new on the log: those on record were "
        f"replayed, and the {written.books.refused:,} others refused for the same reasons."
    )


def _come_again(figures: Mapping[str, int]) -> int:
    """Return how many lines were on record already, including those that no longer count."""
    return figures["replayed"] + figures["not_counting"]


async def _all_ended(imports: Mapping[str, Import]) -> dict[str, Imported]:
    """Wait for all imports, and end the others when one of them fails."""
    try:
        ended = await asyncio.gather(*(each.ended() for each in imports.values()))
    finally:
        for each in imports.values():
            if each.process.returncode is None:
                each.process.terminate()
    return dict(zip(imports, ended, strict=True))


async def _watch(site: Site, imports: Mapping[str, Import], soaked: Soaked, show: Show) -> None:
    """Take samples forever."""
    began_s = time.monotonic()
    while True:
        place = await site.place()
        held = {
            "service": own_bytes(site.service),
            "PostgreSQL": await asyncio.to_thread(family_bytes, site.postmaster),
        }
        for source, each in imports.items():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError, AssertionError):
                held[f"import of {source}"] = own_bytes(each.seen)
        mapped = mapped_bytes(site.service)
        soaked.samples.append(Sample(time.monotonic() - began_s, place, held, mapped))
        show("Recorded", place.recorded, soaked.books.sessions)
        show("Rated", place.rated, soaked.books.sessions)
        show("Shown", place.shown, soaked.books.sessions)
        await asyncio.sleep(SAMPLE_S)


def _is_all_shown(samples: Sequence[Sample], facts: int) -> bool:
    if not samples:
        return False
    place = samples[-1].place
    return place == Place(facts, facts, facts)


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
