"""How a reader goes on from the record it holds, whatever the transport repeats or leaves out."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.log.port import HistorySplit, LogGap, Position, Record, chained, continued

BEGINNING = Position("log", 0, hashlib.sha256(b"/logs/log/facts").digest())

bodies = st.lists(st.binary(max_size=8), min_size=1, max_size=12)


def position_of(record: Record) -> Position:
    return Position("log", record.seq, record.chain)


@given(bodies, st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12))), st.integers(0, 11))
def test_records_delivered_at_least_once_are_seen_once(
    bodies: list[bytes], restarts: list[tuple[int, int]], place: int
) -> None:
    records = chained(BEGINNING, bodies)
    rows: list[Record] = []
    end = 0
    for back, forward in restarts:
        # A relay that starts again goes back by any number of records.
        start, end = max(0, end - back), max(end, end - back + forward)
        rows += records[start:end]
    rows += records[end:]
    assert continued(BEGINNING, rows) == records
    held = records[place % len(records)]
    assert continued(position_of(held), rows) == records[held.seq :]


@given(bodies.filter(lambda bodies: len(bodies) > 1), st.data())
def test_a_record_left_out_is_a_gap(bodies: list[bytes], data: st.DataObject) -> None:
    records = chained(BEGINNING, bodies)
    del records[data.draw(st.integers(0, len(records) - 2))]
    with pytest.raises(LogGap):
        continued(BEGINNING, records)


@given(bodies, st.data())
def test_a_record_of_another_history_is_a_split(bodies: list[bytes], data: st.DataObject) -> None:
    records = chained(BEGINNING, bodies)
    place = data.draw(st.integers(0, len(records) - 1))
    other = data.draw(st.binary(max_size=8).filter(lambda body: body != bodies[place]))
    true = records[place]
    records[place] = Record(true.seq, true.chain, other)
    with pytest.raises(HistorySplit):
        continued(BEGINNING, records)
    # One that was written so, with a chain that fits its bytes, splits what follows it, and is
    # found by whoever holds the true one.
    (rewritten,) = chained(BEGINNING if place == 0 else position_of(records[place - 1]), [other])
    with pytest.raises(HistorySplit):
        continued(position_of(true), [rewritten])
    if place + 1 < len(records):
        with pytest.raises(HistorySplit):
            continued(BEGINNING, [*records[:place], rewritten, *records[place + 1 :]])
