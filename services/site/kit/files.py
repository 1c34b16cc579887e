"""The files that pages are made of: styles, scripts, fonts and icons, named by their content.

A name holds a digest of what is in the file, so caches may keep it forever: a file that changes
has another name, and so have the files that point to it.
"""

import gzip
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from shared.http.layers.paths import FILES_PATH

FOLDER: Final = Path(__file__).parent.parent / "static"
MEDIA_TYPES: Final[Mapping[str, str]] = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
# These are text; the others are compressed already.
_COMPRESSED: Final = frozenset({".css", ".js", ".svg"})
_DIGEST_CHARACTERS: Final = 12
# How a style sheet and a script name other files: `url(x.woff2)`, `from "./x.js"`.
_POINTERS: Final[Mapping[str, re.Pattern[str]]] = {
    ".css": re.compile(r"(?<=url\()([a-z0-9-]+\.[a-z0-9]+)(?=\))"),
    ".js": re.compile(r'(?<=")\./([a-z0-9-]+\.js)(?=")'),
}


@dataclass(frozen=True, slots=True)
class SiteFile:
    """A file as it is served; `compressed` is its gzip, if it is text."""

    media_type: str
    body: bytes
    compressed: bytes | None


class SiteFiles:
    """All files of the folder, by the name that they are served under."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder
        self._addresses: dict[str, str] = {}
        self._files: dict[str, SiteFile] = {}
        self._begun: set[str] = set()
        for path in sorted(folder.iterdir()):
            if path.suffix in MEDIA_TYPES:
                self.address(path.name)

    def address(self, name: str) -> str:
        """Return the address of a file of the folder, such as /static/style.0b5a41d9c2e7.css."""
        if name not in self._addresses:
            assert name not in self._begun, f"{name} points to a file that points back to it."
            self._begun.add(name)
            self._addresses[name] = self._take_in(self._folder / name)
        return self._addresses[name]

    def file(self, name: str) -> SiteFile:
        """Return a file of the folder."""
        return self._files[self.address(name).removeprefix(FILES_PATH)]

    def find(self, served_name: str) -> SiteFile | None:
        """Return the file that is served under a name, None if there is none."""
        return self._files.get(served_name)

    def _take_in(self, path: Path) -> str:
        body = path.read_bytes()
        if path.suffix in _POINTERS:
            # What it points to comes first, so a change there reaches the name of this one.
            text = _POINTERS[path.suffix].sub(lambda found: self.address(found[1]), body.decode())
            body = text.encode()
        digest = hashlib.sha256(body).hexdigest()[:_DIGEST_CHARACTERS]
        served_name = f"{path.stem}.{digest}{path.suffix}"
        self._files[served_name] = SiteFile(
            MEDIA_TYPES[path.suffix],
            body,
            gzip.compress(body, 9, mtime=0) if path.suffix in _COMPRESSED else None,
        )
        return f"{FILES_PATH}{served_name}"
