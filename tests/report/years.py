"""Reports of logs that a test has made, and what was counted for them."""

from datetime import UTC, datetime
from typing import Any, Final

from services.report.folder import bytes_of, sha256_of
from services.report.making import ReportLogs, made_report
from services.report.page.whole import page_of
from services.report.reading import read_changes
from services.report.shapes import Report
from tests.log.adapters import LOG_ID, Logs
from tests.report.made_up import REGIONS, YEAR

NEXT_YEAR: Final = datetime(YEAR + 1, 1, 2, 12, tzinfo=UTC)
NOTHING_COUNTED: Final = {"total": None, "each": [], "together": None, "untold": ["open"]}


def no_progress(_at_hand: str, _done: int, _total: int) -> None: ...


def some_counted(year: int = YEAR, *, so_far: bool = False) -> bytes:
    """Return a figures.json that names the regions, and counted nothing."""
    counted: dict[str, Any] = {
        "format": "mahjic-figures/1",
        "year": year,
        "log_id": LOG_ID,
        "so_far": so_far,
        "counted_on": "2025-01-02",
        "regions": REGIONS,
        "sources": {"came": None, "declined": None, "suspended": None},
        "disputes": NOTHING_COUNTED,
        "seats": NOTHING_COUNTED,
        "money": [],
        "forgotten": None,
    }
    return bytes_of(counted)


async def logs_of(logs: Logs) -> ReportLogs:
    return ReportLogs(logs.facts, logs.verdicts, LOG_ID, (await logs.verdicts.tail()).seq)


async def report_of(logs: Logs, year: int = YEAR, *, so_far: bool = False) -> Report:
    """Return the report of a year."""
    on = await logs_of(logs)
    changes = await read_changes(on.verdicts, year, on.verdicts_end, no_progress)
    kept = some_counted(year, so_far=so_far)
    return await made_report(on, changes, kept, no_progress, so_far=so_far)


def page_text(report: Report) -> str:
    return page_of(report, sha256_of(bytes_of(report))).decode()
