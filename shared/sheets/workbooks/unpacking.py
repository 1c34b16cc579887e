"""Unpacks the parts of a workbook that hold cells, within limits that no file can get around.

The sizes in a ZIP directory are only what the file says. What counts is measured while unpacking,
so that a bomb stops at the limit. Pictures, charts, macros, links and styles of charts stay packed.
"""

import io
import re
import zipfile
import zlib
from collections.abc import Mapping
from typing import Final

from shared.sheets.cells import SheetRefused, refused
from shared.sheets.limits import Limits

_CHUNK_BYTES: Final = 64 * 1024
# Method 0 is stored, 8 deflated: spreadsheets write no other, and others unpack without a limit.
_METHODS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_DIRECTORY_ENTRY: Final = b"PK\x01\x02"
_IS_ENCRYPTED: Final = 0x1
_KEPT: Final = re.compile(
    r"\[content_types\]\.xml|_rels/\.rels|"
    r"xl/(?:[^/]+\.xml|_rels/[^/]+\.rels|worksheets/[^/]+\.xml)",
    re.IGNORECASE,
)
# What else is a ZIP archive: the entry that gives it away, and what people call it.
_OTHERS: Final = (
    (re.compile(r"mimetype"), "an OpenDocument file, such as .ods"),
    (re.compile(r"index/.*\.iwa|index\.zip|metadata/buildversionhistory\.plist"), "a Numbers file"),
    (re.compile(r"xl/workbook\.bin"), "a binary workbook, .xlsb"),
    (re.compile(r"word/.*"), "a Word document"),
    (re.compile(r"ppt/.*"), "a presentation"),
)


def unpack(content: bytes, limits: Limits) -> Mapping[str, bytes]:
    """Return the parts of a workbook by their names in lower case. Raises SheetRefused."""
    # The directory would be read as a whole, no matter what size it states.
    if content.count(_DIRECTORY_ENTRY) > limits.entries_max:
        raise refused("too_large", f"The archive has more than {limits.entries_max} entries.")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _unpack(archive, limits)
    # What zipfile raises for archives that are cut, changed or made up.
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError):
        raise damaged() from None


def damaged(what: str = "It is not a complete .xlsx file") -> SheetRefused:
    """Return the refusal of a workbook that its own program would not open either."""
    return refused(
        "damaged_file",
        f"{what}. Open it in a spreadsheet program, save it again as .xlsx, and send that.",
    )


def _unpack(archive: zipfile.ZipFile, limits: Limits) -> Mapping[str, bytes]:
    entries = archive.infolist()
    _check_kind([_name(entry) for entry in entries])
    if any(entry.flag_bits & _IS_ENCRYPTED for entry in entries):
        raise refused(
            "password_protected", "The archive has a password. Save it without one, and send that."
        )
    parts: dict[str, bytes] = {}
    left = limits.unpacked_bytes_max
    for entry in entries:
        name = _name(entry)
        if _KEPT.fullmatch(name) is None:
            continue
        if name in parts:
            raise damaged(f"It has two parts named {name[:80]}")
        if entry.compress_type not in _METHODS:
            raise damaged("It is packed in a way that no spreadsheet program uses")
        bytes_max = min(left, limits.styles_bytes_max) if name.endswith("styles.xml") else left
        parts[name] = _read_within(archive, entry, bytes_max)
        left -= len(parts[name])
    _check_tags(parts, limits)
    return parts


def _name(entry: zipfile.ZipInfo) -> str:
    """Upper and lower case are the same in the names of parts; some programs write backslashes."""
    return entry.filename.replace("\\", "/").lstrip("/").lower()


def _check_kind(names: list[str]) -> None:
    for pattern, kind in _OTHERS:
        if any(pattern.fullmatch(name) for name in names):
            raise refused(
                "not_a_sheet",
                f"The file is {kind}. Save it as .xlsx or as CSV UTF-8, and send that.",
            )
    if not any(name.startswith("xl/") for name in names):
        raise refused(
            "not_a_sheet",
            "The file is a ZIP archive without a workbook. Unpack it, and send the sheet that "
            "is in it.",
        )


def _read_within(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, bytes_max: int) -> bytes:
    unpacked = bytearray()
    with archive.open(entry) as file:
        while chunk := file.read(_CHUNK_BYTES):
            unpacked += chunk
            if len(unpacked) > bytes_max:
                raise refused(
                    "too_large",
                    "Unpacked, the workbook is larger than a score sheet can be. Copy the "
                    "session's cells into a new workbook, and send that.",
                )
    return bytes(unpacked)


def _check_tags(parts: Mapping[str, bytes], limits: Limits) -> None:
    if sum(part.count(b"<") for part in parts.values()) > limits.tags_max:
        raise refused(
            "too_large",
            "The workbook has more cells than a score sheet can have. Copy the session's cells "
            "into a new workbook, and send that.",
        )
