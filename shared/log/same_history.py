"""Checks that a log and the copy that others read tell the same history (promise 3)."""

from shared.log.port import HistorySplit, Log


async def check_same_history(log: Log, copy: Log, *, log_name: str, copy_name: str) -> None:
    """Check that the log holds the last record of its copy, which is never ahead of it.

    Raises HistorySplit, which names both, LogGap and LogAway.
    """
    tail = await copy.tail()
    if await log.at(tail.seq) == tail:
        return
    end = await log.tail()
    raise HistorySplit(
        f"{copy_name} ends at record {tail.seq}, and {log_name} ends at record {end.seq} and "
        "does not have that one: one of the two was restored to an older state, or they do not "
        "belong together. Nothing was written. Leave both as they are, and see "
        "docs/operations.md on a split history."
    )
