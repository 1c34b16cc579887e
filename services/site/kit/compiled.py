"""Compiles each template once in a process, for all the sites that are made there."""

from types import CodeType

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket


class CompiledOnce(BytecodeCache):
    """Keeps compiled templates in memory: compiling those of one page takes some 20 ms.

    A text that is not the one that was compiled is compiled anew.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give a template what was compiled before, if it was."""
        bucket.code = self._kept.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what was compiled."""
        assert bucket.code is not None, "Jinja keeps what it has compiled."
        self._kept[bucket.key, bucket.checksum] = bucket.code
