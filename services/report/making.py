"""Makes the report of a year from the logs and from what was counted, and writes it."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import asyncpg

from services.report.adoptions import try_adopted
from services.report.changes import Changes
from services.report.counting import count_year
from services.report.folder import (
    COUNTED,
    PAGE,
    REPORT,
    bytes_of,
    counted_in,
    read_file,
    sha256_of,
    write_file,
)
from services.report.page.whole import page_of
from services.report.reading import Progress, read_changes, read_tally
from services.report.shapes import CountedBeside, FiguresTold, Report
from services.report.tally import YearTally
from services.report.telling import (
    changes_told,
    forecasts_told,
    means_told,
    played_told,
    players_told,
)
from shared.access.sources import REGIONS
from shared.errors import MahjicError
from shared.log.port import Log


class YearNotOver(MahjicError):
    """The year is not over, or the other way around."""

    code = "year_not_over"
    title = "The year is not over"
    exit_code = 2


@dataclass(frozen=True, slots=True)
class ReportLogs:
    """Both logs, and where the verdicts end for a report."""

    facts: Log
    verdicts: Log
    log_id: str
    verdicts_end: int


def check_year(year: int, *, so_far: bool, now: datetime) -> None:
    """Check that a year is over, or, for a draft, that it is not. Raises YearNotOver."""
    is_over = now.astimezone(UTC).year > year
    if not is_over and not so_far:
        raise YearNotOver(
            f"{year} is not over in UTC. Wait until then, or add --so-far for a draft that is not "
            "to be published."
        )
    if is_over and so_far:
        raise YearNotOver(f"{year} is over. Leave --so-far out.")


async def write_report(
    pool: asyncpg.Pool,
    logs: ReportLogs,
    year: int,
    folder: Path,
    progress: Progress,
    *,
    so_far: bool,
    now: datetime,
) -> Report:
    """Write the report of a year; what no log tells is counted, unless the folder has it already.

    Raises YearNotOver, NothingInYear, ReportFolderTrouble, FiguresOfAnotherReport and what reading
    the logs raises.
    """
    check_year(year, so_far=so_far, now=now)
    kept = read_file(folder, COUNTED)
    if kept is not None:
        counted_in(kept, year=year, log_id=logs.log_id, so_far=so_far)
    changes = await read_changes(logs.verdicts, year, logs.verdicts_end, progress)
    if kept is None:
        facts = (changes.first_fact, changes.last_fact)
        counted = await count_year(
            pool, year, log_id=logs.log_id, facts=facts, now=now, so_far=so_far
        )
        kept = bytes_of(counted)
        write_file(folder, COUNTED, kept)
    report = await made_report(logs, changes, kept, progress, so_far=so_far)
    content = bytes_of(report)
    write_file(folder, REPORT, content)
    write_file(folder, PAGE, page_of(report, sha256_of(content)))
    return report


async def made_report(
    logs: ReportLogs, changes: Changes, kept: bytes, progress: Progress, *, so_far: bool
) -> Report:
    """Return the report of a year whose changes were read. Raises FiguresOfAnotherReport."""
    counted = counted_in(kept, year=changes.year, log_id=logs.log_id, so_far=so_far)
    tally = await read_tally(logs.verdicts, changes, progress, is_whole=not so_far)
    figures = await _figures(logs, tally, counted, progress)
    return {
        "format": "mahjic-report/1",
        "year": changes.year,
        "so_far": so_far,
        "position": {
            "log_id": logs.log_id,
            "facts": changes.last_fact,
            "verdicts": changes.last,
            "until": changes.last_time[:10],
            "formulas": sorted(tally.formulas),
        },
        "figures": figures,
        "figures_sha256": sha256_of(bytes_of(figures)),
        "counted": counted,
        "counted_sha256": sha256_of(kept),
    }


async def _figures(
    logs: ReportLogs, tally: YearTally, counted: CountedBeside, progress: Progress
) -> FiguresTold:
    return {
        "players": players_told(tally),
        "played": played_told(tally, counted["regions"], REGIONS),
        "changes": changes_told(tally),
        "forecasts": forecasts_told(tally),
        "mean_ratings": means_told(tally.means),
        "adoptions": await try_adopted(logs.facts, tally.changes.adopted, progress),
    }
