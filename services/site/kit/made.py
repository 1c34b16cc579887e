"""Keeps the pages that were made last, by what they were made of, ready to be sent.

A page depends on its template and on what it shows, and on nothing else. So the same content need
not be made into a page again, nor compressed again, however many people look at it. What changes
has another key; nothing has to be thrown away because it is old.
"""

import copyreg
import gzip
import hashlib
import pickle
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from types import ModuleType
from typing import Any, Final

# Two thousand pages, most of which are 3 to 10 KB compressed.
KEPT_BYTES_MAX: Final = 16 << 20
# The first levels gain most: 6 makes a page of the board 3 % smaller than 4, in 1.4 times the time.
_GZIP_LEVEL: Final = 4


@dataclass(frozen=True, slots=True)
class MadePage:
    """A page as it is sent: its entity tag, and its text, compressed."""

    etag: str
    compressed: bytes

    @property
    def body(self) -> bytes:
        return gzip.decompress(self.compressed)


def made_of(body: bytes) -> MadePage:
    """Return a text as it is sent."""
    digest = hashlib.blake2b(body, digest_size=16).hexdigest()
    return MadePage(f'W/"{digest}"', gzip.compress(body, _GZIP_LEVEL, mtime=0))


class MadePages:
    """The pages that were asked for last, up to a number of bytes."""

    def __init__(self, bytes_max: int = KEPT_BYTES_MAX) -> None:
        self._bytes_max = bytes_max
        self._kept: OrderedDict[bytes, MadePage] = OrderedDict()
        self._bytes = 0

    def page(self, content: tuple[object, ...], make: Callable[[], bytes]) -> MadePage:
        """Return the page of some content, which is made if it is not kept."""
        key = _key_of(content)
        made = self._kept.pop(key, None)
        if made is None:
            made = made_of(make())
            self._bytes += len(made.compressed)
        self._kept[key] = made
        while self._bytes > self._bytes_max:
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= len(oldest.compressed)
        return made


def _key_of(content: object) -> bytes:
    """Return the same for the same content. It is written to be compared, and never read."""
    written = BytesIO()
    pickler = pickle.Pickler(written)
    pickler.dispatch_table = _BY_NAME
    pickler.dump(content)
    return hashlib.blake2b(written.getbuffer(), digest_size=16).digest()


def _named(module: ModuleType) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    return import_module, (module.__name__,)


# Templates get the functions that write numbers and descriptions by module.
_BY_NAME: Final[Mapping[type, Callable[[Any], Any]]] = {
    **copyreg.dispatch_table,
    ModuleType: _named,
}
