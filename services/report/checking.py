"""Checks a report in a folder: makes it again from the logs, and compares every byte."""

from pathlib import Path
from typing import Final

import orjson

from services.report.folder import (
    COUNTED,
    PAGE,
    REPORT,
    FiguresOfAnotherReport,
    ReportFolderTrouble,
    bytes_of,
    read_file,
    sha256_of,
)
from services.report.making import ReportLogs, made_report
from services.report.page.whole import page_of
from services.report.reading import NothingInYear, Progress, read_changes
from services.report.shapes import Report

FORMAT: Final = "mahjic-report/1"


class _Differs(Exception):
    """The report is not what it should be; the words say where."""


async def check_report(
    logs: ReportLogs, folder: Path, year: int | None, progress: Progress
) -> str | None:
    """Return what is wrong with a report, in one sentence; None if everything is as it should be.

    What was counted beside the logs can't be counted again: only its hash is compared. Raises
    ReportFolderTrouble and what reading the logs raises.
    """
    try:
        await _check(logs, folder, year, progress)
    except _Differs as found:
        return str(found)
    return None


async def _check(logs: ReportLogs, folder: Path, year: int | None, progress: Progress) -> None:
    written, kept, page = (_file(folder, name) for name in (REPORT, COUNTED, PAGE))
    report = _read(written, year)
    if report["counted_sha256"] != sha256_of(kept):
        raise _Differs(f"{COUNTED} is not the file whose hash {REPORT} states.")
    position = report["position"]
    if position["log_id"] != logs.log_id:
        raise _Differs(f"{REPORT} is of another log than the one here.")
    if position["verdicts"] > logs.verdicts_end:
        raise _Differs(
            f"{REPORT} stands on {position['verdicts']} verdicts, and the log here has "
            f"{logs.verdicts_end}."
        )
    so_far = report["so_far"]
    # A draft stands on the log of its day; a whole year ends where the next one begins.
    end = position["verdicts"] if so_far else logs.verdicts_end
    try:
        changes = await read_changes(logs.verdicts, report["year"], end, progress)
        again = await made_report(logs, changes, kept, progress, so_far=so_far)
    except NothingInYear:
        raise _Differs(f"{REPORT} is of {report['year']}, of which the log has nothing.") from None
    except FiguresOfAnotherReport as found:
        raise _Differs(f"{REPORT} does not fit: {found.told}.") from None
    if bytes_of(again) != written:
        raise _Differs(f"{REPORT} is not what the log gives: {_difference(report, again)}.")
    if page_of(again, sha256_of(written)) != page:
        raise _Differs(f"{PAGE} does not show what {REPORT} says.")


def _file(folder: Path, name: str) -> bytes:
    content = read_file(folder, name)
    if content is None:
        if not folder.is_dir():
            raise ReportFolderTrouble(folder, NotADirectoryError("there is no such folder"))
        raise _Differs(f"{name} is missing.")
    return content


def _read(written: bytes, year: int | None) -> Report:
    """Return a report as far as it must be read to make it again."""
    unreadable = _Differs(f"{REPORT} cannot be read as a report.")
    try:
        report: Report = orjson.loads(written)
        position = report["position"]
        found = (report["format"], report["year"], report["so_far"], position["verdicts"])
    except (ValueError, TypeError, KeyError):
        raise unreadable from None
    if found[0] != FORMAT or [*map(type, found[1:])] != [int, bool, int]:
        raise unreadable
    if year is not None and found[1] != year:
        raise _Differs(f"{REPORT} is of {found[1]}, not of {year}.")
    if not {"log_id"} <= position.keys() or "counted_sha256" not in report:
        raise unreadable
    return report


def _difference(written: object, again: object, path: str = "") -> str:
    """Return the first place where two documents differ, and both values."""
    if isinstance(written, dict) and isinstance(again, dict):
        pairs = [(each, written.get(each), again.get(each)) for each in sorted({*written, *again})]
    elif isinstance(written, list) and isinstance(again, list) and len(written) == len(again):
        pairs = [(str(at), *both) for at, both in enumerate(zip(written, again, strict=True))]
    else:
        pairs = []
    for name, one, other in pairs:
        if one != other:
            return _difference(one, other, f"{path}/{name}")
    if not path:
        return "it is written in another way"
    return f"{path} is {_short(written)} there, and the log gives {_short(again)}"


def _short(value: object) -> str:
    text = orjson.dumps(value).decode()
    return text if len(text) <= 80 else f"{text[:80]}..."
