"""Opens a file as sheets of cells; what it is, is told by its bytes, never by its name."""

from collections.abc import Sequence
from typing import Final

from shared.sheets.cells import Sheet, SheetRefused, refused
from shared.sheets.delimited import read_delimited
from shared.sheets.limits import Limits
from shared.sheets.xlsx import read_xlsx

_SAVE_AS: Final = "Open it in a spreadsheet program and save it as .xlsx or as CSV UTF-8."


def open_workbook(
    content: bytes, file_name: str | None = None, limits: Limits | None = None
) -> Sequence[Sheet]:
    """Return the sheets of a CSV, TSV or XLSX file.

    `file_name` only helps to say what to do. Raises SheetRefused for anything else, for a damaged
    file and for one beyond the limits.
    """
    limits = limits or Limits()
    if len(content) > limits.bytes_max:
        raise refused(
            "too_large", f"The file has more than {limits.bytes_max} bytes. Send less at a time."
        )
    if not content.strip():
        raise refused("empty_sheet", "The file is empty. Fill in the template, and send that.")
    if content.startswith(b"PK"):
        return read_xlsx(content, limits)
    known = _other_kind(content)
    if known is not None:
        raise _not_a_sheet(known, file_name)
    return [read_delimited(content, limits)]


def _other_kind(content: bytes) -> str | None:
    return None


def _not_a_sheet(kind: str, file_name: str | None) -> SheetRefused:
    return refused("not_a_sheet", f"The file is {kind}, not a score sheet. {_SAVE_AS}")
