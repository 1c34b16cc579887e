"""Finds out how far two copies of a log agree, and which of them has more."""

from dataclasses import dataclass

from shared.log.port import Log, Position


@dataclass(frozen=True, slots=True)
class Agreement:
    """Where each copy ends, and the last record that is the same in both; 0 if there is none."""

    one: Position
    other: Position
    common_seq: int

    @property
    def is_split(self) -> bool:
        """Whether they hold different records in one place, so that neither is a copy."""
        return self.common_seq < min(self.one.seq, self.other.seq)


async def compare(one: Log, other: Log) -> Agreement:
    """Compare two copies of one log. Raises LogAway and LogGap.

    A chain covers everything before it, so checking a few places is enough. If both grow, pass as
    `one` the copy that is written first: it is read last.
    """
    end_of_other = await other.tail()
    end_of_one = await one.tail()
    low, high = 0, min(end_of_one.seq, end_of_other.seq)
    if await _is_same(one, other, high):
        return Agreement(end_of_one, end_of_other, high)
    while high - low > 1:
        middle = (low + high) // 2
        if await _is_same(one, other, middle):
            low = middle
        else:
            high = middle
    return Agreement(end_of_one, end_of_other, low)


async def _is_same(one: Log, other: Log, seq: int) -> bool:
    return await one.at(seq) == await other.at(seq)
