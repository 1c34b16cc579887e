"""The parts of a batch: bytes cut into lines, and answers kept in memory and on disk, in order."""

import asyncio
import errno
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.ingest.batches.lines import TOO_LONG, Line, LineCutter
from services.ingest.batches.outbox import MEMORY_BYTES_MAX, Outbox
from services.ingest.batches.spool import Spool
from tests.log.deadlines import deadline

LINE_BYTES_MAX = 5


def lines_in(parts: list[bytes]) -> Iterator[Line]:
    cutter = LineCutter(line_bytes_max=LINE_BYTES_MAX)
    for part in parts:
        yield from cutter.feed(part)
    yield from cutter.end()


def by_definition(body: bytes) -> list[Line]:
    lines = body.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    without_cr = [line.removesuffix(b"\r") for line in lines]
    return [line if len(line) <= LINE_BYTES_MAX else TOO_LONG for line in without_cr]


@given(st.lists(st.lists(st.sampled_from([b"a", b"\n", b"\r", b"\xc3", b"\xa9"])).map(b"".join)))
def test_a_body_has_the_same_lines_however_it_is_cut(parts: list[bytes]) -> None:
    assert list(lines_in(parts)) == by_definition(b"".join(parts))


@given(st.lists(st.binary(max_size=40)), st.integers(1, 9))
def test_of_a_line_that_does_not_end_no_more_is_kept_than_a_line_has(
    parts: list[bytes], times: int
) -> None:
    cutter = LineCutter(line_bytes_max=LINE_BYTES_MAX)
    for part in parts * times:
        assert list(cutter.feed(part.replace(b"\n", b""))) == []
        assert len(cutter._begun) <= LINE_BYTES_MAX + 1


@given(st.lists(st.one_of(st.binary(min_size=1, max_size=40), st.integers(1, 40)), max_size=60))
def test_what_is_read_from_a_spool_is_what_was_written_in_its_order(
    steps: list[bytes | int],
) -> None:
    spool, held = Spool(None, bytes_max=50), b""
    for step in steps:
        if isinstance(step, bytes) and len(step) <= spool.room_bytes:
            spool.write(step)
            held += step
        elif isinstance(step, int) and held:
            read = spool.read(step)
            assert 0 < len(read) <= step
            assert held.startswith(read)
            held = held.removeprefix(read)
        assert len(spool) == len(held) == 50 - spool.room_bytes
    spool.close()


def test_a_spool_has_no_name_and_gives_the_disk_back_when_all_is_read(tmp_path: Path) -> None:
    spool = Spool(tmp_path, bytes_max=1 << 20)
    spool.write(b"x" * 100_000)
    assert list(tmp_path.iterdir()) == []
    assert spool._file is not None
    assert os.fstat(spool._file.fileno()).st_size == 100_000
    assert spool.read(1 << 20) == b"x" * 100_000
    assert os.fstat(spool._file.fileno()).st_size == 0
    spool.close()
    # A thread that was at work while its batch ended does no harm.
    spool.write(b"late")
    assert spool.read(10) == b""


PIECES = [bytes([number]) * 60_000 for number in range(100)]


async def fill(outbox: Outbox) -> None:
    for piece in PIECES:
        await outbox.put(piece)
    outbox.complete()


async def empty(outbox: Outbox) -> bytes:
    taken = b""
    while content := await outbox.take():
        taken += content
    return taken


async def test_answers_that_nobody_reads_go_to_the_disk_and_come_back_in_their_order() -> None:
    spool = Spool(None, bytes_max=16 << 20)
    outbox = Outbox(spool)
    async with deadline():
        await fill(outbox)
        assert len(spool) > 5_000_000
        assert outbox._newest_bytes < MEMORY_BYTES_MAX
        assert await empty(outbox) == b"".join(PIECES)
        assert len(spool) == 0
    outbox.discard()


@pytest.mark.parametrize("is_disk_lost", [False, True], ids=["small", "lost"])
async def test_whoever_puts_in_more_than_there_is_room_for_waits(
    tmp_path: Path, is_disk_lost: bool
) -> None:
    # On a small spool, and where no file can be made at all, also by whoever may do anything.
    folder = tmp_path / "folder"
    if is_disk_lost:
        folder.touch()
    spool = Spool(folder, bytes_max=1 << 20)
    outbox = Outbox(spool)
    async with deadline():
        filling = asyncio.create_task(fill(outbox))
        while not (spool.room_bytes < MEMORY_BYTES_MAX or outbox._is_disk_lost):
            await asyncio.sleep(0.005)
        taken = b""
        while content := await outbox.take():
            taken += content
            held = len(spool) + outbox._newest_bytes
            assert held < (1 << 20) + MEMORY_BYTES_MAX + 60_000
        await filling
        assert taken == b"".join(PIECES)
        assert outbox._is_disk_lost == is_disk_lost
    outbox.discard()


class StuckSpool(Spool):
    """A spool on a disk that hangs for a while and then is full."""

    def __init__(self) -> None:
        super().__init__(None, bytes_max=16 << 20)
        self.is_writing = threading.Event()
        self.may_fail = threading.Event()

    def write(self, content: bytes) -> None:
        self.is_writing.set()
        self.may_fail.wait()
        raise OSError(errno.ENOSPC, "No space left on device")


async def test_whoever_takes_while_a_write_to_the_disk_fails_gets_what_it_held() -> None:
    spool = StuckSpool()
    outbox = Outbox(spool)
    content = b"x" * MEMORY_BYTES_MAX
    putting = asyncio.create_task(outbox.put(content))
    async with deadline():
        await asyncio.to_thread(spool.is_writing.wait)
        taking = asyncio.create_task(outbox.take())
        for _ in range(10):  # It has looked by then, where it would not wait.
            await asyncio.sleep(0)
        spool.may_fail.set()
        assert await taking == content
        await putting
    outbox.discard()
