"""Two copies of one log: which has more, and from where on they tell different things."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.log.agreement import compare
from shared.log.memory import MemoryFactLog
from shared.log.port import LogGap

SHARED = st.lists(st.binary(max_size=4), max_size=40)
REST = st.lists(st.binary(max_size=4), max_size=10)


async def log_of(bodies: list[bytes]) -> MemoryFactLog:
    log = MemoryFactLog("log")
    if bodies:
        await log.append(bodies)
    return log


@given(SHARED, REST, REST)
async def test_the_common_history_ends_where_the_records_begin_to_differ(
    shared: list[bytes], of_one: list[bytes], of_other: list[bytes]
) -> None:
    one, other = await log_of([*shared, *of_one]), await log_of([*shared, *of_other])
    same = len(shared)
    for mine, theirs in zip(of_one, of_other, strict=False):
        if mine != theirs:
            break
        same += 1
    found = await compare(one, other)
    assert found.common_seq == same
    assert (found.one, found.other) == (await one.tail(), await other.tail())
    assert found.is_split == (same < min(len(shared) + len(of_one), len(shared) + len(of_other)))


async def test_logs_with_different_ids_have_nothing_in_common() -> None:
    one, other = MemoryFactLog("one"), MemoryFactLog("other")
    await one.append([b"a", b"b", b"c"])
    await other.append([b"a", b"b", b"c"])
    found = await compare(one, other)
    assert (found.common_seq, found.is_split) == (0, True)


async def test_a_copy_with_a_hole_is_not_compared_as_if_it_had_none() -> None:
    one, other = await log_of([b"a", b"b", b"c"]), await log_of([b"a", b"b", b"x"])
    del other._records[1]
    with pytest.raises(LogGap):
        await compare(one, other)
