"""Shows what a soak found, as tables in the terminal and as a page."""

import os
import platform
import statistics
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import attrgetter

from rich.console import Console
from rich.table import Table

from tests.soak.memory import (
    GROWTH_MIB_PER_100K_MAX,
    JUDGED_SESSIONS_MIN,
    MIB,
    WARM_UP_SHARE,
    Growth,
    course,
)
from tests.soak.soaking import Soaked

SENT = {
    "new": "a session that no one had sent before",
    "again": "the same session from the same source, its players in another order",
    "retry": "the same session with the same key",
    "played twice": "the same session, sent as not a duplicate",
    "rival": "the same session from another source: one of the two is refused",
    "half known": "a round on record beside a new one: refused",
    "key reused": "an earlier key with another session: refused",
    "wrong": "not JSON, or against the rules: refused",
}
BOUNDED_SERVICE = (
    "The service's own memory is bounded by its queues, by the windows of its batches and by "
    "100 bytes per player in the rater. It grows with players, and not with sessions."
)
BOUNDED_MAPPED = (
    "Programs and files that the service has mapped are not judged: the rater's columns grow with "
    "every round, but they are on disk, and leave memory when others need it."
)
BOUNDED_POSTGRES = (
    "PostgreSQL means all its processes, with what they share counted once: shared_buffers bounds "
    "most of it, and the caches of its connections the rest."
)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table: its title, the heads of its columns, and its rows."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def sheets(soaked: Soaked) -> list[Sheet]:
    """Return the tables of a report."""
    return [
        Sheet("What was sent", ("line", "what it is", "lines"), _sent(soaked)),
        Sheet("How fast", ("what", "records", "s", "per s"), _rates(soaked)),
        Sheet(
            "Memory",
            (
                "process",
                "MiB after the warm-up",
                "at the end",
                "at most",
                "MiB per 100,000",
                "flat",
            ),
            tuple(_memory(growth) for growth in soaked.growths),
        ),
    ]


def show(soaked: Soaked, console: Console) -> None:
    """Print the tables and what was proved."""
    for sheet in sheets(soaked):
        table = Table(title=sheet.title, title_justify="left")
        for number, head in enumerate(sheet.heads):
            table.add_column(head, justify="left" if number == 0 else "right")
        for row in sheet.rows:
            table.add_row(*row)
        console.print(table)
    for sentence in [*proved(soaked), *bounds(soaked)]:
        console.print(sentence, highlight=False)


def proved(soaked: Soaked) -> list[str]:
    """Return in sentences what was shown."""
    return soaked.proofs


def bounds(soaked: Soaked) -> list[str]:
    """Return in sentences what bounds the memory of each process."""
    judged = (
        f"may grow by {GROWTH_MIB_PER_100K_MAX:g} MiB per 100,000 sessions once "
        f"{WARM_UP_SHARE:.0%} are recorded"
    )
    if not all(growth.is_judged for growth in soaked.growths):
        judged += f"; over fewer than {JUDGED_SESSIONS_MIN:,} it is shown and not judged"
    return [
        f"Each process {judged}.",
        BOUNDED_SERVICE,
        BOUNDED_MAPPED,
        BOUNDED_POSTGRES,
        "An import holds at most 4,000 lines or 16 MiB in flight.",
    ]


def as_markdown(soaked: Soaked) -> str:
    """Return the report as a page."""
    day = datetime.now(UTC).date().isoformat()
    where = (
        f"`make soak N={soaked.sessions} SEED={soaked.seed}` on {day}: {os.cpu_count()} cores, "
        f"{platform.machine()}, Python {platform.python_version()}; service, PostgreSQL and the "
        "importing clients share the machine, so the rates are those of all of them together."
    )
    what = (
        f"{len(soaked.imported)} sources imported their files at the same time. Beside them "
        f"{soaked.changed.changes} sessions were sent one by one and then voided or corrected, "
        f"and {len(soaked.changed.verified)} players verified."
    )
    lines = [f"# A soak of {soaked.sessions:,} sessions", "", where, "", what]
    for sheet in sheets(soaked):
        lines += ["", f"## {sheet.title}", ""]
        lines += [_row(sheet.heads), _row(tuple("---" for _ in sheet.heads))]
        lines += [_row(row) for row in sheet.rows]
    lines += ["", *(f"* {sentence}" for sentence in bounds(soaked))]
    lines += ["", "## What held", "", *(f"* {sentence}" for sentence in proved(soaked))]
    return "\n".join(lines) + "\n"


def _sent(soaked: Soaked) -> tuple[tuple[str, ...], ...]:
    kinds = soaked.books.kinds
    return tuple((kind, what, f"{kinds[kind]:,}") for kind, what in SENT.items())


def _rates(soaked: Soaked) -> tuple[tuple[str, ...], ...]:
    facts = soaked.samples[-1].place.recorded
    lines = sum(soaked.books.lines.values())
    submit_ms = [1000 * each for each in soaked.changed.submit_s]
    rated, shown = attrgetter("rated"), attrgetter("shown")
    return (
        _rate("submit: facts recorded", facts, soaked.seconds_to(attrgetter("recorded"))),
        _rate("rate: facts rated", facts, soaked.seconds_to(rated)),
        _rate("project: facts in all views", facts, soaked.seconds_to(shown)),
        ("behind the log at most: rated", f"{soaked.most_behind(rated):,}", "", ""),
        ("behind the log at most: in all views", f"{soaked.most_behind(shown):,}", "", ""),
        _rate("all lines sent again", lines, soaked.again_s),
        (
            "a session sent alone meanwhile, to its answer",
            f"{len(submit_ms)}",
            f"median {statistics.median(submit_ms):,.0f} ms",
            f"worst {max(submit_ms):,.0f} ms",
        ),
    )


def _course(soaked: Soaked) -> Sheet:
    """Return what each process held when each part of the import was recorded, and at the end."""
    shown = course(soaked.samples)
    processes = sorted({process for sample in shown for process in sample.held})
    rows = [
        (process, *(_mib(sample.held.get(process)) for sample in shown)) for process in processes
    ]
    rows.append(("files mapped by the service", *(_mib(sample.mapped) for sample in shown)))
    heads = [f"at {sample.place.recorded:,}" for sample in shown]
    return Sheet("Memory in MiB, by facts recorded", ("process", *heads), tuple(rows))


def _mib(held: int | None) -> str:
    return "-" if held is None else f"{held / MIB:,.0f}"


def _rate(what: str, count: int, seconds: float) -> tuple[str, ...]:
    return what, f"{count:,}", f"{seconds:,.1f}", f"{count / seconds:,.0f}"


def _memory(growth: Growth) -> tuple[str, ...]:
    return (
        growth.process,
        f"{growth.early_mib:,.0f}",
        f"{growth.late_mib:,.0f}",
        f"{growth.most_mib:,.0f}",
        f"{growth.mib_per_100k:+,.1f}",
        ("yes" if growth.is_flat else "no") if growth.is_judged else "not judged",
    )


def _row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cells) + " |"
