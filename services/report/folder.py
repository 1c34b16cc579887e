"""Keeps a report in a folder: figures.json, which is counted once, report.json and report.html."""

import hashlib
from pathlib import Path
from typing import Final

import orjson

from services.report.shapes import CountedBeside
from shared.errors import MahjicError
from shared.machine.durable import write_whole
from shared.machine.own_files import open_own

COUNTED: Final = "figures.json"
REPORT: Final = "report.json"
PAGE: Final = "report.html"
# Far above what a report of any year takes.
BYTES_MAX: Final = 32 << 20


class ReportFolderTrouble(MahjicError):
    """A file of a report cannot be read or written."""

    code = "report_folder_trouble"
    title = "The folder of the report cannot be used"
    exit_code = 2

    def __init__(self, file: Path, error: OSError) -> None:
        super().__init__(
            f"{file} cannot be used: {error.strerror or error}. Choose another folder, or mend it."
        )


class FiguresOfAnotherReport(MahjicError):
    """The folder has figures that were counted for something else."""

    code = "figures_of_another_report"
    title = "The figures in the folder are of another report"
    exit_code = 2

    def __init__(self, why: str) -> None:
        self.told = f"{COUNTED} {why}"
        super().__init__(f"{self.told}. Write this report to another folder.")


def bytes_of(content: object) -> bytes:
    """Return the one form in which something is written as JSON."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps(content, option=options)


def sha256_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def read_file(folder: Path, name: str) -> bytes | None:
    """Return a file of the folder; None if it isn't there. Raises ReportFolderTrouble."""
    try:
        with open_own(folder / name, "rb", is_link_followed=True) as opened:
            return opened.read(BYTES_MAX)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ReportFolderTrouble(folder / name, error) from None


def write_file(folder: Path, name: str, content: bytes) -> None:
    """Write a file of the folder, all of it or nothing. Raises ReportFolderTrouble."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / name, content)
    except OSError as error:
        raise ReportFolderTrouble(folder / name, error) from None


def counted_in(content: bytes, *, year: int, log_id: str, so_far: bool) -> CountedBeside:
    """Return the figures that were counted before. Raises FiguresOfAnotherReport."""
    try:
        counted: CountedBeside = orjson.loads(content)
        of = (counted["format"], counted["year"], counted["log_id"], counted["so_far"])
    except (ValueError, TypeError, KeyError):
        raise FiguresOfAnotherReport("cannot be read") from None
    if of[:2] != ("mahjic-figures/1", year):
        raise FiguresOfAnotherReport(f"is not of {year}")
    if of[2] != log_id:
        raise FiguresOfAnotherReport("is of another log")
    if of[3] != so_far:
        raise FiguresOfAnotherReport(
            "was counted for a draft, before the year was over"
            if not so_far
            else "was counted once the year was over"
        )
    return counted
