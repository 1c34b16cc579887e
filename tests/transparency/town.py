"""Public logs in a folder, of logs in memory, and what everybody can see of them."""

import asyncio
import hashlib
import hmac
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from services.transparency.beginning import init_public_logs
from services.transparency.folder import TransparencyFolder
from services.transparency.keeping.running import PublicLogRoom, run_transparency
from services.transparency.witnesses import read_witnesses
from shared.log.memory import MemoryFactLog, MemoryVerdictLog
from shared.log.port import Record
from shared.tlog.checkpoints import TreeHead, read_checkpoint
from shared.tlog.leaves import LogName
from shared.tlog.notes import VerifierKey, open_note
from tests.log.deadlines import until
from tests.tlog.naive import tree_head

LOG_ID: Final = "0b8d7c4e-1f2a-4b3c-8d9e-0f1a2b3c4d5e"
PUBLIC_URL: Final = "https://mahjic.example"
NOW: Final = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
_CHAIN: Final = re.compile(rb'"fact_chain":"([0-9a-f]{64})"')


@dataclass
class PublicTown:
    """Both logs of a town and their public logs, in a folder."""

    path: Path
    witnesses: Sequence[str] = ()
    facts: MemoryFactLog = field(default_factory=lambda: MemoryFactLog(LOG_ID))
    verdicts: MemoryVerdictLog = field(default_factory=lambda: MemoryVerdictLog(LOG_ID))
    keys: Sequence[VerifierKey] = ()

    def begin(self) -> None:
        """Make the folder, as the operator does once."""
        self.keys = init_public_logs(self.path, PUBLIC_URL)

    @property
    def folder(self) -> TransparencyFolder:
        """The folder of the public logs."""
        return TransparencyFolder(self.path)

    @property
    def room(self) -> PublicLogRoom:
        """What a process keeps them with."""
        logs: dict[LogName, MemoryFactLog | MemoryVerdictLog] = {
            "facts": self.facts,
            "verdicts": self.verdicts,
        }
        witnesses = read_witnesses(self.witnesses)
        return PublicLogRoom(self.folder, logs, witnesses, now=lambda: datetime.now(UTC))

    @asynccontextmanager
    async def kept(self) -> AsyncIterator[None]:
        """Keep the public logs as a process does, while the context is open."""
        task = asyncio.create_task(run_transparency(self.room))
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def play(self, count: int, *, what: str = "session") -> None:
        """Put facts on the log, each with a verdict."""
        for _ in range(count):
            seq = (await self.facts.tail()).seq + 1
            body = b'{"id":"%d","data":"%s %d"}' % (seq, what.encode(), seq)
            [fact] = await self.facts.append([body])
            writer = await self.verdicts.open_writer("a test")
            verdict = b'{"id":"%d.0","data":{"fact_chain":"%s"}}'
            await writer.append([verdict % (seq, fact.chain.hex().encode())], fact_seq=seq)

    def checkpoint(self, log_name: LogName = "facts", number: int = 1) -> TreeHead | None:
        """Return the checkpoint that everybody sees, if it is signed by the log's key."""
        log = self.folder.find(log_name, number)
        note = log.checkpoint()
        if note is None:
            return None
        keys = [each for each in self.folder.verifier_keys() if each.name == log.origin.name]
        text, _ = open_note(note, keys)
        return read_checkpoint(text)

    def size(self, log_name: LogName = "facts", number: int = 1) -> int:
        """Return the size of the checkpoint that everybody sees; -1 without one."""
        found = self.checkpoint(log_name, number)
        return -1 if found is None else found.size

    async def until_signed(self, size: int, *, number: int = 1) -> None:
        """Wait until both logs are signed at a size."""

        async def signed() -> bool:
            return all(self.size(each, number) == size for each in ("facts", "verdicts"))

        await until(signed)

    async def until_kept(self) -> None:
        """Wait until a process keeps the public logs."""

        async def kept() -> bool:
            with self.folder.held() as is_free:
                return not is_free

        await until(kept)

    async def until_stopped(self) -> str:
        """Wait until nothing is signed anymore, and return why."""

        async def stopped() -> bool:
            return self.folder.stopped() is not None

        await until(stopped)
        told = self.folder.stopped()
        assert told is not None
        return f"{told.code}: {told.detail}"

    async def expected_root(self, log_name: LogName) -> bytes:
        """Return the root of a log, put together by hand from its records and the salt key."""
        key = bytes.fromhex((self.path / "salt-key").read_text())
        log = self.facts if log_name == "facts" else self.verdicts
        records = await log.read(await log.beginning(), 1_000_000)
        return tree_head([leaf_by_hand(key, log_name, each) for each in records])


def leaf_by_hand(key: bytes, log_name: str, record: Record, log_id: str = LOG_ID) -> bytes:
    """Return the hash of a leaf as the design says it, without any code of Mahjic."""

    def salt(what: str) -> bytes:
        named = f"{log_id}\n{log_name}\n{record.seq}\n{what}".encode()
        return hmac.new(key, named, hashlib.sha256).digest()

    inside = b"".join(bytes.fromhex(each.decode()) for each in _CHAIN.findall(record.body))
    blanked = _CHAIN.sub(b'"fact_chain":""', record.body)
    chains = hashlib.sha256(salt("chain") + record.chain + inside).digest()
    entry = hashlib.sha256(salt("record") + blanked + chains).digest()
    return hashlib.sha256(b"\x00" + entry).digest()
