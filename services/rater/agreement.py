"""Proves that this program reaches the verdicts that were published, before it writes more."""

import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from shared.errors import MahjicError
from shared.events.codec import decode_verdict
from shared.log.port import HistorySplit, Log, Position, Record
from shared.log.until_there import until_there

PAGE_VERDICTS: Final = 500
REPAIR: Final = "See docs/operations.md on repairing a log."
# In JSON a quotation mark within a text has a backslash before it, so this is the field itself.
_ENGINE: Final = re.compile(rb'"engine":"[^"\\]*"')


class RaterDisagrees(MahjicError):
    """The program draws different conclusions from the log than were published."""

    code = "rater_disagrees"
    title = "This program does not reproduce the published ratings"


def compare_with_last(ours: Sequence[bytes], published: Record | None, fact_seq: int) -> None:
    """Compare the last part of the answer to the last fact that was rated with the last verdict.

    Byte for byte if the engine is the same, else number for number. Raises HistorySplit and
    RaterDisagrees.
    """
    if published is None or not ours:
        raise ill_fitting(fact_seq)
    compare(ours[-1], published)


def engine_of(published: Record) -> str:
    """Return the digest of the engine that wrote a verdict."""
    return decode_verdict(published.body).answers.engine


def ill_fitting(fact_seq: int) -> HistorySplit:
    """Return the error for more or fewer verdicts than there are answers to the rated facts."""
    return HistorySplit(
        f"The last fact that was rated is {fact_seq}, but the last verdict does not belong to "
        f"it. {REPAIR}"
    )


async def all_published(verdicts: Log) -> AsyncIterator[Record]:
    """Yield every verdict that was published, in order."""
    position = await until_there(verdicts.beginning)
    while page := await until_there(partial(verdicts.read, position, PAGE_VERDICTS)):
        for record in page:
            yield record
        position = Position(position.log_id, page[-1].seq, page[-1].chain)


def compare(ours: bytes, published: Record) -> None:
    """Compare one verdict of ours with what was published in its place. Raises as above."""
    if ours == published.body:
        return
    theirs, mine = decode_verdict(published.body), decode_verdict(ours)
    is_same_engine = theirs.answers.engine == mine.answers.engine
    if not is_same_engine and _but_for_engine(ours) == _but_for_engine(published.body):
        return
    if theirs.answers.fact_chain != mine.answers.fact_chain:
        raise HistorySplit(
            f"Verdict {published.seq} answers a fact {theirs.answers.fact_seq} that is not the "
            f"one on the fact log. {REPAIR}"
        )
    renamed = replace(theirs, answers=theirs.answers._replace(engine=mine.answers.engine))
    if is_same_engine or renamed != mine:
        raise RaterDisagrees(
            f"Verdict {published.seq} (on fact {theirs.answers.fact_seq}, written by engine "
            f"{theirs.answers.engine}) is not what this program (engine {mine.answers.engine}) "
            "concludes. Run the program that wrote it, and report this."
        )


def _but_for_engine(body: bytes) -> bytes:
    return _ENGINE.sub(b"", body, count=1)
