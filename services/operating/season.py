"""Reads all facts into columns, with the date of every round, to rate them by any formula."""

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from services.operating.as_it_is import BothLogs
from services.operating.pages import pages_of
from shared.events.codec import decode_facts
from shared.events.facts import session_of
from shared.replay.chronicle import Chronicle
from shared.replay.files import StoredColumns

Progress = Callable[[str, int, int], None]


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
    logs: BothLogs, progress: Progress, *, fact_seq_max: int | None = None
) -> Season:
    """Read the facts to their end, or up to one of them.

    Raises LogGap, HistorySplit, and the error of a newer kind of fact.
    """
    chronicle, days, sent = Chronicle(StoredColumns()), array("i"), 0
    end = logs.facts_end.seq if fact_seq_max is None else fact_seq_max
    async for page in pages_of(logs.facts, await logs.facts.beginning(), end):
        facts = [(seq, fact.event) for seq, fact in decode_facts((r.seq, r.body) for r in page)]
        refused = chronicle.take_in_all(facts)  # The rater refuses them too.
        for seq, event in facts:
            session = session_of(event)
            if session is not None and seq not in refused:
                day = date.fromisoformat(session.session_date).toordinal()
                days.extend([day] * len(session.rounds))
                sent += len(session.rounds)
            for rounds in chronicle.copied_rounds(seq):
                days.extend(days[rounds.start : rounds.stop])
        progress(f"fact {page[-1].seq}", page[-1].seq, end)
    return Season(chronicle, np.array(days, np.int32), sent, end)
