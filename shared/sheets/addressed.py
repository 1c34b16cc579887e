"""Finds every email address in a sheet, also beside other words, for whoever keeps the sheet. Pure.

What is kept about somebody has to be found again when they are forgotten.
"""

import contextlib
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

from shared.addresses import UnreadableAddress, read_address
from shared.sheets.cells import Sheet

_WITHIN: Final = re.compile(r"[^\s@<>()\[\]\"',;:|/]+@[^\s@<>()\[\]\"',;:|/]+")
_PRIVATE: Final = re.compile(r"\s*private\s*:", re.IGNORECASE)


def addresses_in(sheets: Iterable[Sheet]) -> list[str]:
    """Return each address once, in its one form."""
    texts = {cell.text for sheet in sheets for row in sheet.rows for cell in row if cell.text}
    found: set[str] = set()
    for text in texts:
        for each in _candidates(unicodedata.normalize("NFKC", text)):
            with contextlib.suppress(UnreadableAddress):
                found.add(read_address(each))
    return sorted(found)


def _candidates(text: str) -> Iterator[str]:
    if "@" not in text:
        return
    yield _PRIVATE.sub("", text, count=1)
    for each in _WITHIN.findall(text):
        yield each.strip(".")
