"""Follows a log into its public log: takes in records, writes tiles, signs, and asks witnesses.

It only ever signs what goes on from what was signed last, and writes that down before anybody
learns of it. So whatever happens to the process, the next checkpoint goes on from the last one.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final, NoReturn

import httpx

from services.transparency.keeping.resuming import Resumed, resume
from services.transparency.key_files import SigningKey
from services.transparency.origin_folder import OriginFolder, TakenIn
from services.transparency.witnesses import SignedTree, Witness, ask_witnesses, line_of
from shared.log.port import HistorySplit, Log, LogGap, Position, Record
from shared.log.until_there import until_there
from shared.tlog.checkpoints import TreeHead
from shared.tlog.growing import GrowingTree
from shared.tlog.hashes import leaf_hash
from shared.tlog.leaves import entry_of
from shared.tlog.notes import sign_note
from shared.tlog.tiles import WIDTH_MAX

# Their hashes take a few milliseconds, in which nothing else has its turn.
RECORDS_MAX: Final = 256
# Between two checkpoints: what comes meanwhile is signed at once.
SIGN_S: Final = 1.0
# Without records, it looks around so often: at witnesses that were away, too.
LOOK_S: Final = 5.0
# After so long a pause the witnesses are asked before anything is signed: a machine may have been
# put back to what it was.
PAUSE_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class FollowedLog:
    """A log, its public log, and what that is kept with."""

    log: Log
    folder: OriginFolder
    signing_key: SigningKey = field(repr=False)
    salt_key: bytes = field(repr=False)
    client: httpx.AsyncClient
    now_s: Callable[[], float]


class LogFollower:
    """Follows one log; nothing happens before `begin`.

    Its methods raise HistorySplit, LogGap and PublicLogMisplaced when nothing may be signed
    anymore, and OSError if the folder takes no more.
    """

    def __init__(self, followed: FollowedLog, witnesses: Sequence[Witness]) -> None:
        self._of = followed
        self._signer = followed.signing_key.of(followed.folder.origin.name)
        # What they know of other logs is nothing to this one.
        self._witnesses = [replace(each, size=0, ask_at_s=0.0) for each in witnesses]
        self._tree = GrowingTree()
        self._place = Position("", 0, b"")
        self._signed: SignedTree
        self._lines: dict[str, str] = {}
        self._next_s = self._asked_at_s = 0.0

    async def begin(self) -> None:
        """Go on from what was signed last, once log, files and witnesses agree on it."""
        await until_there(self._begin)

    async def _begin(self) -> None:
        of = self._of
        resumed = await asyncio.to_thread(resume, of.folder, self._signer, await of.log.beginning())
        # Raises HistorySplit unless the log still has the record up to which it was taken in.
        with self._named():
            await of.log.read(resumed.taken_in.position, 1)
        self._take_up(resumed)
        await self._ask()
        await asyncio.to_thread(of.folder.keep, resumed.taken_in)
        await self._publish()

    async def follow(self) -> NoReturn:
        """Take in and sign whatever comes, until canceled."""
        while True:
            await until_there(self._take_in)
            if self._tree.size > self._signed.checkpoint.size:
                await self._sign()
            else:
                await self._look_around()

    def _take_up(self, resumed: Resumed) -> None:
        self._tree, self._place = resumed.tree, resumed.taken_in.position
        self._signed = self._signed_tree(resumed.checkpoint, resumed.taken_in.note)
        self._lines = self._lines_in(resumed.published or resumed.taken_in.note)

    async def _take_in(self) -> None:
        """Take in what there is, for as long as the next checkpoint has to wait anyway."""
        while True:
            with self._named():
                records = await self._of.log.read(self._place, RECORDS_MAX)
            self._tree.append(self._leaf(each) for each in records)
            if records:
                last = records[-1]
                self._place = Position(self._place.log_id, last.seq, last.chain)
            waits_s = self._next_s - _loop_s()
            if len(records) == RECORDS_MAX and waits_s > 0:
                await asyncio.sleep(0)
                continue
            if self._tree.size == self._signed.checkpoint.size or waits_s <= 0:
                return
            await self._of.log.wait_beyond(self._place.seq, waits_s)

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Say of which log it is that something is gone or different."""
        try:
            yield
        except (HistorySplit, LogGap) as error:
            raise type(error)(f"{self._signer.name}: {error.detail}") from error

    def _leaf(self, record: Record) -> bytes:
        name = self._of.folder.origin.log_name
        log_id, key = self._place.log_id, self._of.salt_key
        entry = entry_of(key, log_id, name, record.seq, chain=record.chain, body=record.body)
        return leaf_hash(entry)

    async def _sign(self) -> None:
        if abs(self._of.now_s() - self._asked_at_s) > PAUSE_S:
            await self._ask()
        folder, tiles = self._of.folder, self._tree.take_tiles()
        await asyncio.to_thread(folder.write_tiles, tiles)
        checkpoint = TreeHead(folder.origin.name, self._tree.size, self._tree.root())
        note = sign_note(checkpoint.text, [self._signer])
        await asyncio.to_thread(folder.keep, TakenIn(self._place, note))
        self._signed, self._lines = self._signed_tree(checkpoint, note), {}
        self._next_s = _loop_s() + SIGN_S
        await self._publish()
        await self._ask()
        if self._lines:
            await self._publish()
        full = [tile for tile, _ in tiles if tile.width == WIDTH_MAX]
        await asyncio.to_thread(folder.drop_narrow, full)

    async def _look_around(self) -> None:
        """Ask the witnesses who were away, and wait for a record."""
        missing = [each for each in self._witnesses if each.key.name not in self._lines]
        lines = await ask_witnesses(self._of.client, missing, self._signed)
        if lines:
            self._lines |= lines
            await self._publish()
        await self._of.log.wait_beyond(self._place.seq, LOOK_S)

    async def _ask(self) -> None:
        """Ask all witnesses who are not known to be away. Raises HistorySplit."""
        self._lines |= await ask_witnesses(self._of.client, self._witnesses, self._signed)
        self._asked_at_s = self._of.now_s()

    async def _publish(self) -> None:
        ordered = [self._lines.get(each.key.name, "") for each in self._witnesses]
        await asyncio.to_thread(self._of.folder.publish, self._signed.note + "".join(ordered))

    def _signed_tree(self, checkpoint: TreeHead, note: str) -> SignedTree:
        return SignedTree(checkpoint, note, self._of.folder.read_tile)

    def _lines_in(self, published: str) -> dict[str, str]:
        """Return the lines of our witnesses below what was signed last, by their names."""
        if not published.startswith(f"{self._signed.checkpoint.text}\n"):
            return {}
        found = {each.key.name: line_of(each.key, published) for each in self._witnesses}
        return {name: line for name, line in found.items() if line is not None}


def _loop_s() -> float:
    return asyncio.get_running_loop().time()
