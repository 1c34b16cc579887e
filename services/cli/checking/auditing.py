"""Checks every record of a log against its leaf, as an auditor who is given records and salts."""

import base64
import binascii
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

import orjson

from services.cli.checking.asking import AskedService, NotChecked
from services.cli.checking.found import DoesNotHold, Findings
from services.cli.checking.heads import CheckedHead
from services.cli.checking.kept_records import KeptLog, KeptRecords, SaltedRecord
from services.cli.checking.whole_trees import check_tiles
from shared.events.chain import first_chain, next_chain
from shared.tlog.hashes import HASH_BYTES, leaf_hash
from shared.tlog.leaves import chains_hash, entry, split_chains

PAGE_RECORDS: Final = 1_000
ONE: Final = 1

Progress = Callable[[str, int, int | None], None]


@dataclass(slots=True)
class _Leaves:
    """The leaves that records make, one after the other, with the chain that goes through them."""

    chain: bytes

    def of(self, record: SaltedRecord) -> bytes:
        """Return the leaf of the next record."""
        self.chain = next_chain(self.chain, record.body)
        blanked, inside = split_chains(record.body)
        hidden = chains_hash(record.chain_salt, self.chain, *inside)
        return leaf_hash(entry(record.salt, blanked, hidden))


def check_records(
    asking: AskedService, head: CheckedHead, folder: Path, findings: Findings, progress: Progress
) -> KeptLog:
    """Check all records of a log up to its head, and return them as they were kept for that.

    Raises NotChecked, DoesNotHold.
    """
    kept = KeptRecords(folder / f"{head.name}.records")
    log_id, _ = asking.lines(f"/v1/log/{head.name}", ONE, ONE)
    leaves = [each for tile in check_tiles(head, 0, findings, progress) for each in tile]
    if len(leaves) != head.checkpoint.size:
        raise DoesNotHold("Not every tile could be read, so no record was checked.", head.path)
    made = _Leaves(first_chain(log_id, head.name))
    count = _check_kept(kept, made, leaves, head, progress)
    while count < len(leaves):
        page = _fetch(asking, head, count + 1, min(PAGE_RECORDS, len(leaves) - count))
        for seq, record in enumerate(page, start=count + 1):
            if made.of(record) != leaves[seq - 1]:
                raise DoesNotHold(
                    "The record, a salt or a chain value is not what the leaf holds. No record "
                    "behind it was checked: each goes on from the one before it.",
                    f"record {seq} of the {head.name}",
                )
        kept.append(page)
        count += len(page)
        progress(f"{head.name}, record {count}", count, len(leaves))
    return KeptLog(log_id, head.name, kept)


def _check_kept(
    kept: KeptRecords, made: _Leaves, leaves: Sequence[bytes], head: CheckedHead, progress: Progress
) -> int:
    """Return how many of the records that are kept are still right; the others come again."""
    count = 0
    for record in islice(kept.read_kept(), len(leaves)):
        before = made.chain
        if made.of(record) != leaves[count]:
            made.chain = before
            break
        count += 1
        progress(f"{head.name}, kept record {count}", count, len(leaves))
    kept.drop_from(count)
    return count


def _fetch(
    asking: AskedService, head: CheckedHead, first_seq: int, limit: int
) -> list[SaltedRecord]:
    path = f"/v1/log/{head.name}"
    _, lines = asking.lines(path, first_seq, limit)
    _, salts = asking.lines(f"{path}/salts", first_seq, limit)
    if len(lines) != len(salts) or not lines:
        raise NotChecked(
            f"{asking.place}{path} gave {len(lines)} records from {first_seq} on and "
            f"{len(salts)} salts, and {limit} of each were asked for."
        )
    return [*_salted(path, lines, salts, first_seq)]


def _salted(
    path: str, lines: Sequence[bytes], salts: Sequence[bytes], first_seq: int
) -> Iterator[SaltedRecord]:
    for seq, (line, told) in enumerate(zip(lines, salts, strict=True), start=first_seq):
        where = f"{path}/salts, record {seq}"
        salted = _object(told, where)
        if salted.get("seq") != seq:
            raise DoesNotHold(f"The salts of record {salted.get('seq')} are in its place.", where)
        yield SaltedRecord(
            _body(line, f"{path}, record {seq}"),
            _bytes(salted.get("salt"), where),
            _bytes(salted.get("chain_salt"), where),
        )


def _body(line: bytes, where: str) -> bytes:
    # A record that can't be a line of JSON comes as base64.
    if not line.startswith(b'{"seq":'):
        return line
    try:
        return base64.b64decode(_object(line, where).get("base64", ""), validate=True)
    except binascii.Error:
        raise DoesNotHold("The record cannot be read.", where) from None


def _bytes(text: object, where: str) -> bytes:
    try:
        data = base64.b64decode(text if isinstance(text, str) else "", validate=True)
    except (binascii.Error, ValueError):
        data = b""
    if len(data) != HASH_BYTES:
        raise DoesNotHold("A salt is not 32 bytes in base64.", where)
    return data


def _object(line: bytes, where: str) -> dict[str, Any]:
    try:
        told = orjson.loads(line)
    except orjson.JSONDecodeError:
        told = None
    if not isinstance(told, dict):
        raise DoesNotHold("The line is no JSON object.", where)
    return told
