"""Opens a file as sheets of cells; what it is depends on its bytes, never on its name."""

import re
from collections.abc import Sequence
from typing import Final

from shared.sheets.cells import Sheet, SheetRefused, refused
from shared.sheets.delimited import read_delimited
from shared.sheets.limits import Limits

_SAVE_AS: Final = (
    "Open it in a spreadsheet program, save it as .xlsx or as CSV UTF-8, and send that."
)
_HEAD_BYTES: Final = 4_096
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# How files that are not sheets begin, and what people call them.
_MAGIC: Final = (
    (re.compile(rb"%PDF-"), "a PDF document"),
    (re.compile(rb"\x89PNG|\xff\xd8\xff|GIF8|RIFF....WEBP|II\*\0|MM\0\*", re.DOTALL), "a picture"),
    (re.compile(rb"....ftyp", re.DOTALL), "a picture or a video"),
    (re.compile(rb"\x1f\x8b|7z\xbc\xaf|Rar!|BZh|\xfd7zXZ|\x28\xb5\x2f\xfd"), "packed"),
    (re.compile(rb"SQLite format 3"), "a database"),
    # Workbooks from before the container begin with a record of their version.
    (
        re.compile(rb"\x09[\x00\x02\x04\x08][\x04\x06\x08]\x00"),
        "in the format of Excel before 2007, .xls",
    ),
    (re.compile(rb"ID;P"), "in the old SYLK format"),
)
# The same for texts, without a byte order mark and spaces, and in lower case.
_TEXTS: Final = (
    (
        re.compile(rb"<!doctype html|<(html|head|meta|body|table|style|!--)\b"),
        "a web page (some programs save those as .xls)",
    ),
    (re.compile(rb"<\?xml|<[a-z:]+ xmlns"), "an XML document"),
    (re.compile(rb"\{\\rtf"), "a text document"),
    (re.compile(rb"\{\s*\"|\[\s*[{\"]"), "JSON, which goes to /v1/sessions"),
)


def open_workbook(content: bytes, limits: Limits | None = None) -> Sequence[Sheet]:
    """Return the sheets of a CSV, TSV or XLSX file.

    Raises SheetRefused for anything else, for a damaged file and for one beyond the limits.
    """
    limits = limits or Limits()
    if len(content) > limits.bytes_max:
        raise refused(
            "too_large",
            f"The file has more than {limits.bytes_max} bytes. One file is one session; send "
            "other sessions in separate files.",
        )
    if content.startswith(_OLE):
        raise _old_or_encrypted(content)
    if content.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        # It takes a fifth of a second to load, and no CSV file should wait for that.
        from shared.sheets.workbooks.xlsx import read_xlsx  # noqa: PLC0415

        return read_xlsx(content, limits)
    kind = kind_of_other(content)
    if kind is not None:
        raise refused("not_a_sheet", f"The file is {kind}, not a score sheet. {_SAVE_AS}")
    return [read_delimited(content, limits)]


def _old_or_encrypted(content: bytes) -> SheetRefused:
    """Tell apart the files in the container of old Office files: [MS-CFB], [MS-OFFCRYPTO]."""
    if "EncryptedPackage".encode("utf-16-le") in content:
        return refused(
            "password_protected",
            "The file has a password. Save it without one, and send that.",
        )
    if any(each.encode("utf-16-le") in content for each in ("Workbook", "Book")):
        return refused(
            "old_workbook", f"The file is in the format of Excel before 2007, .xls. {_SAVE_AS}"
        )
    return refused("not_a_sheet", f"The file is an old Office document. {_SAVE_AS}")


def kind_of_other(content: bytes) -> str | None:
    """Return what people call a file that is not a sheet; None if it may be one."""
    head = content[:_HEAD_BYTES]
    for pattern, kind in _MAGIC:
        if pattern.match(head):
            return kind
    text = head.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").lower()
    for pattern, kind in _TEXTS:
        if pattern.match(text):
            return kind
    return None
