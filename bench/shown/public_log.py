"""How fast records are taken into the public log, what that takes, and what a proof costs.

The records are made up as they are read, with chain and all, and the limit is to read the same
records and hash them for their leaves, without a tree, tiles or signatures.
"""

import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx
import psutil  # type: ignore[import-untyped]

from bench.results import Row
from services.transparency.beginning import init_public_logs
from services.transparency.folder import TransparencyFolder
from services.transparency.keeping.following import FollowedLog, LogFollower
from services.transparency.key_files import read_salt_key, read_signing_key
from services.transparency.origin_folder import OriginFolder
from shared.log.memory import MemoryFactLog
from shared.log.port import Position, Record, chained
from shared.tlog.hashes import leaf_hash
from shared.tlog.leaves import entry_of
from shared.tlog.trees import TileTree

LOG_ID: Final = "0b8d7c4e-1f2a-4b3c-8d9e-0f1a2b3c4d5e"
# What a fact of a session with four seats has.
RECORD_BYTES: Final = 700
BATCH: Final = 256
PROOFS: Final = 200
LOOK_S: Final = 0.05


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured."""

    records: int


FULL = Size(records=1_000_000)
QUICK = Size(records=20_000)


class MadeUpLog(MemoryFactLog):
    """A log that has so many records, and makes each as it is read."""

    def __init__(self, count: int) -> None:
        super().__init__(LOG_ID)
        self._count = count

    async def read(self, after: Position, records_max: int) -> list[Record]:
        """Return the next records in order."""
        last = min(self._count, after.seq + records_max)
        bodies = [_body(seq) for seq in range(after.seq + 1, last + 1)]
        return chained(after, bodies) if bodies else []


async def measure(size: Size) -> list[Row]:
    """Take everything in, and prove some of it."""
    bare_s = await _hashed_s(size.records // 10) * 10
    with tempfile.TemporaryDirectory(prefix="mahjic-bench-") as folder:
        path = Path(folder) / "transparency"
        init_public_logs(path, "https://mahjic.example")
        log = TransparencyFolder(path).current("facts")
        took_s, grown_bytes = await _taken_in(path, log, size.records)
        files = [each.stat() for each in path.rglob("*") if each.is_file()]
        proofs_ms = _proofs_ms(log, size.records)
    kept = sum(each.st_size for each in files) / size.records
    return [
        Row(
            f"taken into the public log, of {size.records:,} records, records/s",
            f"{size.records / took_s:,.0f}",
            f"{size.records / bare_s:,.0f} read and hashed alone",
            bare_s / took_s,
            0.5,
            f"{took_s:.1f} s; {kept:.1f} bytes a record in {len(files):,} files; "
            f"{grown_bytes / 2**20:.0f} MiB of memory more",
        ),
        Row(
            "proof that a record is in it, from the tiles on disk",
            f"{statistics.median(proofs_ms):.2f} ms",
            "10 ms",
            10 / statistics.median(proofs_ms),
            1.0,
            f"{min(proofs_ms):.2f} to {max(proofs_ms):.2f} ms",
        ),
    ]


async def _taken_in(path: Path, log: OriginFolder, count: int) -> tuple[float, int]:
    """Return how long it took until everything was signed, and how the process grew at most."""
    process = psutil.Process()
    before = most = process.memory_info().rss
    async with httpx.AsyncClient(trust_env=False) as client:
        followed = FollowedLog(
            log=MadeUpLog(count),
            folder=log,
            signing_key=read_signing_key(path),
            salt_key=read_salt_key(path),
            client=client,
            now_s=time.time,
        )
        began_s = time.perf_counter()
        follower = LogFollower(followed, [])
        await follower.begin()
        following = asyncio.create_task(follower.follow())
        while log.signed_size() < count:
            most = max(most, process.memory_info().rss)
            await asyncio.sleep(LOOK_S)
        took_s = time.perf_counter() - began_s
        following.cancel()
        await asyncio.wait([following])
    return took_s, most - before


async def _hashed_s(count: int) -> float:
    """Return how long it takes to read so many records and hash them for their leaves."""
    log, key = MadeUpLog(count), bytes(32)
    place, began_s = await log.beginning(), time.perf_counter()
    while records := await log.read(place, BATCH):
        for each in records:
            leaf_hash(entry_of(key, LOG_ID, "facts", each.seq, chain=each.chain, body=each.body))
        place = Position(LOG_ID, records[-1].seq, records[-1].chain)
    return time.perf_counter() - began_s


def _proofs_ms(log: OriginFolder, count: int) -> Sequence[float]:
    chance, took_ms = random.Random(7), []
    for _ in range(PROOFS):
        index = chance.randrange(count)
        began_s = time.perf_counter()
        TileTree(count, log.read_tile).prove_leaf(index)
        took_ms.append((time.perf_counter() - began_s) * 1000)
    return took_ms


def _body(seq: int) -> bytes:
    text = b'{"id":"%d","data":"' % seq
    return text + b"x" * (RECORD_BYTES - len(text) - 2) + b'"}'
