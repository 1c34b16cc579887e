"""Finds records on a log: one by its number, and the verdict on a fact."""

import re
from dataclasses import dataclass
from typing import Final

from services.projections.log.queries import told_as_unavailable
from shared.events.codec import fact_answered
from shared.log.port import Log, Record

# Both stand before whatever a verdict says of people.
_PARTS: Final = re.compile(rb'"part":([0-9]+),"parts":([0-9]+)')


@dataclass(frozen=True, slots=True)
class VerdictPart:
    """Which part of the verdict on which fact a record is."""

    fact_seq: int
    part: int
    parts: int

    @classmethod
    def of(cls, verdict: Record) -> "VerdictPart":
        found = _PARTS.search(verdict.body)
        assert found is not None, "The rater numbers the parts of each verdict."
        return cls(fact_answered(verdict.body), int(found[1]), int(found[2]))


async def read_record(log: Log, seq: int) -> Record | None:
    """Return a record; None if the log does not reach that far. Raises LogUnavailable."""
    with told_as_unavailable():
        before = await log.at(seq - 1)
        records = [] if before is None else await log.read(before, 1)
    return records[0] if records else None


async def find_verdict(verdicts: Log, fact_seq: int, player_id: str | None) -> Record | None:
    """Return the part of the verdict on a fact that names a player, or the first part.

    None if the fact is not answered yet. Raises LogUnavailable.
    """
    first = await _first_part(verdicts, fact_seq)
    if first is None or player_id is None:
        return first
    named, found = f'"{player_id}"'.encode(), first
    for seq in range(first.seq + 1, first.seq + VerdictPart.of(first).parts):
        if named in found.body:
            break
        more = await read_record(verdicts, seq)
        assert more is not None, "The parts of a verdict are written in one step."
        found = more
    return found


async def _first_part(verdicts: Log, fact_seq: int) -> Record | None:
    # Each fact has at least one verdict, so this never goes too far.
    seq = fact_seq
    while (record := await read_record(verdicts, seq)) is not None:
        here = VerdictPart.of(record)
        if here.fact_seq == fact_seq:
            return record
        seq += here.parts - here.part + fact_seq - here.fact_seq
    return None
