"""Finds out what kind of file a command was given, and names the right command for it. It goes by
the bytes, not the name; what cannot be recognized is left to the service.
"""

import io
import json
import shlex
import zipfile
from collections.abc import Mapping
from typing import Final, Literal

from shared.errors import MahjicError
from shared.scoring.mistakes import InvalidScores
from shared.scoring.rulebooks import RULE_BOOKS, SHORT_NAMES
from shared.sheets.cells import SheetRefused
from shared.sheets.opening import kind_of_other, open_workbook
from shared.sheets.rows.unseen import begins_a_round

Kind = Literal["workbook", "sheet", "session", "sessions", "packed", "games", "other", "unknown"]

# A file of games, or a sheet in CSV, is recognized by its beginning.
HEAD_BYTES: Final = 256 * 1024
_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
_GZIP: Final = b"\x1f\x8b"
_MARKS: Final = b"\xef\xbb\xbf \t\r\n"
_WORDS: Final[Mapping[Kind, tuple[str, str]]] = {
    "workbook": ("a workbook", "mahjic sheet {file}"),
    "sheet": ("a score sheet", "mahjic sheet {file}"),
    "session": ("a session as JSON", "mahjic submit {file}"),
    "sessions": ("sessions as JSON, one per line (NDJSON)", "mahjic import {file}"),
    "packed": ("packed with gzip; if it has sessions in it, one per line", "mahjic import {file}"),
    "games": ("a file of games", "mahjic score {book} {file} --submit --players MAP"),
}


class OtherKindOfFile(MahjicError):
    """This command does not take this kind of file."""

    code = "other_kind_of_file"
    title = "This command does not take this kind of file"


def expect(content: bytes, file: str, *kinds: Kind, wanted: str) -> None:
    """Check that a file is of one of these kinds, or of a kind that cannot be recognized.

    `wanted` says what the command takes. Raises OtherKindOfFile, which names the right command.
    """
    kind, words = kind_of(content)
    if kind in kinds or kind == "unknown":
        return
    if kind == "other":
        raise OtherKindOfFile(f"{file} is {words}, not {wanted}.")
    what, command = _WORDS[kind]
    told = command.format(file=shlex.quote(file), book=words)
    raise OtherKindOfFile(f"{file} is {what}, not {wanted}. For that, use: {told}")


def kind_of(content: bytes) -> tuple[Kind, str]:
    """Return the kind of a file, with its rule book or, for another kind, what people call it."""
    if content.startswith(_ZIP):
        return _kind_of_archive(content)
    if content.startswith(_GZIP):
        return "packed", ""
    text = content.lstrip(_MARKS)
    if text.startswith((b"{", b"[")):
        return ("sessions" if _has_lines_of_json(text) else "session"), ""
    other = kind_of_other(content)
    if other is not None:
        return "other", other
    return _kind_of_text(content[:HEAD_BYTES])


def _kind_of_archive(content: bytes) -> tuple[Kind, str]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = [name.replace("\\", "/").lstrip("/").lower() for name in archive.namelist()]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        # The beginning is enough to know what it is.
        return ("workbook" if b"xl/" in content else "other"), "a ZIP archive"
    is_workbook = any(name.startswith("xl/") for name in names)
    return ("workbook" if is_workbook else "other"), "a ZIP archive without a workbook"


def _has_lines_of_json(text: bytes) -> bool:
    """Return whether each line is an object of its own, judged by the first two."""
    lines = [line for line in text.split(b"\n", 2)[:2] if line.strip()]
    return len(lines) > 1 and all(_is_object(line) for line in lines)


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _kind_of_text(content: bytes) -> tuple[Kind, str]:
    try:
        if any(begins_a_round(sheet) for sheet in open_workbook(content)):
            return "sheet", ""
    except SheetRefused:
        return "unknown", ""
    for book, name in SHORT_NAMES.items():
        if _has_games(content, name):
            return "games", book
    return "unknown", ""


def _has_games(content: bytes, rulebook: str) -> bool:
    try:
        return bool(RULE_BOOKS[rulebook](content.decode()).games)
    except (InvalidScores, UnicodeDecodeError):
        return False


def is_sheet(content: bytes) -> bool:
    """Return whether a file is a workbook or a score sheet in CSV."""
    return kind_of(content)[0] in {"workbook", "sheet"}
