"""Reads all facts into columns, with the date of every round, to rate them in other ways.

The facts are decoded in a thread, a page at a time, so that a service has its turns in between.
"""

import asyncio
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from shared.events.codec import decode_facts
from shared.events.facts import session_of
from shared.log.pages import pages_of
from shared.log.port import Log, Record
from shared.replay.chronicle import Chronicle
from shared.replay.files import StoredColumns

Progress = Callable[[str, int, int], None]


class TooLongToTryError(Exception):
    """There are more rounds on record than may be held at once."""


@dataclass(frozen=True, slots=True)
class Season:
    """What happened up to fact `as_of`, with all `rounds` that were ever sent.

    `days` int32[n] is the proleptic day of every round of the chronicle.
    """

    chronicle: Chronicle
    days: NDArray[np.int32]
    rounds: int
    as_of: int


async def read_season(
    facts: Log, as_of: int, progress: Progress, *, rounds_max: int | None = None
) -> Season:
    """Read the facts up to one of them.

    Raises LogGap, HistorySplit, the error of a newer kind of fact, and TooLongToTryError.
    """
    reading = _Reading()
    async for page in pages_of(facts, await facts.beginning(), as_of):
        await asyncio.to_thread(reading.take_in, page)
        if rounds_max is not None and reading.rounds > rounds_max:
            raise TooLongToTryError
        progress(f"fact {page[-1].seq}", page[-1].seq, as_of)
    days = np.array(reading.days, np.int32)
    return Season(reading.chronicle, days, reading.rounds, as_of)


class _Reading:
    """What was read so far."""

    def __init__(self) -> None:
        self.chronicle = Chronicle(StoredColumns())
        self.days = array("i")
        self.rounds = 0

    def take_in(self, page: Sequence[Record]) -> None:
        facts = [(seq, fact.event) for seq, fact in decode_facts((r.seq, r.body) for r in page)]
        refused = self.chronicle.take_in_all(facts)  # The rater refuses them too.
        for seq, event in facts:
            session = session_of(event)
            if session is not None and seq not in refused:
                day = date.fromisoformat(session.session_date).toordinal()
                self.days.extend([day] * len(session.rounds))
                self.rounds += len(session.rounds)
            for rounds in self.chronicle.copied_rounds(seq):
                self.days.extend(self.days[rounds.start : rounds.stop])
