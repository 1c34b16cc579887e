"""Reads all facts into columns, with the date of every round, to be rated in any way."""

import contextlib
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from services.operating.as_it_is import BothLogs
from services.operating.replaying import records_of
from shared.events.codec import decode_fact
from shared.events.facts import FactEvent, SessionCorrected, SessionSubmitted
from shared.events.fields import UnreadableRecord
from shared.replay.chronicle import Chronicle
from shared.replay.files import Columns
from shared.replay.possible import ImpossibleFact

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Season:
    """What happened up to fact `as_of`; `days` int32[n] is the proleptic day of every round."""

    chronicle: Chronicle
    days: NDArray[np.int32]
    as_of: int


async def read_season(
    logs: BothLogs, progress: Progress, *, fact_seq_max: int | None = None
) -> Season:
    """Read the facts up to their end, or to one of them.

    Raises LogGap, HistorySplit, and what a newer fact raises.
    """
    chronicle, days = Chronicle(Columns()), array("i")
    end = logs.facts_end.seq if fact_seq_max is None else fact_seq_max
    async for record in records_of(logs.facts, await logs.facts.beginning(), end):
        with contextlib.suppress(UnreadableRecord, ImpossibleFact):  # The rater refuses them too.
            event = decode_fact(record.body).event
            chronicle.take_in(record.seq, event)
            session = _session_in(event)
            if session is not None:
                day = date.fromisoformat(session.session_date).toordinal()
                days.extend([day] * len(session.rounds))
        progress(f"fact {record.seq}", record.seq, end)
    return Season(chronicle, np.array(days, np.int32), end)


def _session_in(event: FactEvent) -> SessionSubmitted | None:
    if isinstance(event, SessionCorrected):
        return event.session
    return event if isinstance(event, SessionSubmitted) else None
