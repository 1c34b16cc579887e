"""Another address of the same person: what a merge would move, and when it takes staff."""

from datetime import date
from typing import Any

import asyncpg
import pytest

from services.ingest.changes.linking import NotMergeable, PlayersMet
from services.ingest.claim.people import read_person
from services.ingest.people.own_merges import (
    OWN_ROUNDS_MAX,
    AskStaffToMerge,
    MergePreview,
    look_at_merge,
    merge_own,
)
from services.ingest.players.acts import forget, register
from services.ingest.record.waterline import Waterline
from shared.errors import MahjicError, UnknownPlayer
from shared.events.facts import PlayersMerged
from tests.ingest.changes.linking.merges import (
    all_on_record,
    check_links,
    check_prints,
    events_on,
    id_of,
    merge,
    submit,
    unmerge,
    void,
)
from tests.ingest.claims import a_round, a_session
from tests.ingest.office import SOURCES
from tests.ingest.people.asking import IDS_AND_TIMES, changed_since, people_seq, public, written


async def registered(pool: asyncpg.Pool, *names: str) -> list[str]:
    """Put people on record, and return their ids."""
    people = [read_person(name if "@" in name else f"{name}@example.com") for name in names]
    return [(await register(pool, Waterline(), each, IDS_AND_TIMES)).player_id for each in people]


async def look(pool: asyncpg.Pool, player_id: str, into: str) -> MergePreview:
    async with pool.acquire() as connection:
        return await look_at_merge(connection, player_id, into)


async def do(pool: asyncpg.Pool, player_id: str, into: str, **more: Any) -> Any:
    is_private = more.get("is_private", False)
    return await written(
        pool,
        lambda c, w: merge_own(c, w, player_id, into, IDS_AND_TIMES, is_private=is_private),
    )


async def nights(pool: asyncpg.Pool, who: str, *, count: int, rounds: int, first: int = 0) -> None:
    """Let somebody play so many nights of so many rounds, with one more round of others."""
    for number in range(count):
        played = [a_round({who: 1, f"x{number}-{each}": 0}) for each in range(rounds)]
        played.append(a_round({f"y{number}": 1, f"z{number}": 0}))
        await submit(
            pool,
            first + number,
            a_session(*played, on=f"2026-01-{number + 1:02}"),
            IDS_AND_TIMES,
            source=SOURCES[number % 2],
        )


async def test_it_is_shown_what_would_move_and_then_it_moves(pool: asyncpg.Pool) -> None:
    await nights(pool, "old", count=3, rounds=2)
    await nights(pool, "gone", count=1, rounds=1, first=50)
    (ada,) = await registered(pool, "ada")
    old = await id_of(pool, "old@example.com")
    await void(pool, 2)
    before = await all_on_record(pool)
    seen = await look(pool, old, ada)
    assert await all_on_record(pool) == before
    # Two nights that count, of two rounds with this player each.
    assert seen == MergePreview(
        player_id=old,
        into=ada,
        rounds=4,
        sessions=2,
        sources=SOURCES,
        first_day=date(2026, 1, 1),
        last_day=date(2026, 1, 2),
        is_more=False,
        is_private=False,
        into_is_private=False,
        why_not=None,
    )
    seq = await people_seq(pool)
    linked = await do(pool, old, ada)
    assert (await events_on(pool))[-1] == PlayersMerged(old, ada)
    assert (linked.player_id, linked.into, linked.is_replayed) == (old, ada, False)
    assert set(await changed_since(pool, seq)) == {old, ada}
    assert old not in await public(pool)
    await check_links(pool)
    await check_prints(pool)


@pytest.mark.parametrize("who_is_private", ["old", "ada", "both"])
@pytest.mark.parametrize("chosen", [True, False])
async def test_one_private_player_would_hide_both_so_the_person_says_what_holds(
    pool: asyncpg.Pool, who_is_private: str, *, chosen: bool
) -> None:
    hidden = {"old", "ada"} if who_is_private == "both" else {who_is_private}
    old, ada = await registered(
        pool, *(f"{'PRIVATE:' if n in hidden else ''}{n}@x.org" for n in ("old", "ada"))
    )
    seen = await look(pool, old, ada)
    assert (seen.is_private, seen.into_is_private) == ("old" in hidden, "ada" in hidden)
    assert seen.would_be_private
    await do(pool, old, ada, is_private=chosen)
    assert set(await public(pool)) == (set() if chosen else {ada})


async def refusal(pool: asyncpg.Pool, player_id: str, into: str) -> MahjicError:
    """Return why two are not merged; the preview says the same, and nothing is written."""
    before = await all_on_record(pool)
    seen = await look(pool, player_id, into)
    with pytest.raises(MahjicError) as refused:
        await do(pool, player_id, into)
    assert await all_on_record(pool) == before
    assert seen.why_not is not None
    assert (type(seen.why_not), seen.why_not.detail) == (type(refused.value), refused.value.detail)
    return refused.value


async def test_two_who_met_at_a_table_are_told_where(pool: asyncpg.Pool) -> None:
    await submit(pool, 1, a_session(a_round(ada=1, old=0)), IDS_AND_TIMES)
    old, ada = [await id_of(pool, f"{name}@example.com") for name in ("old", "ada")]
    refused = await refusal(pool, old, ada)
    assert isinstance(refused, PlayersMet)
    assert len(refused.extra["session_ids"]) == 1
    await void(pool, 1)
    await do(pool, old, ada)


async def test_a_history_of_five_hundred_rounds_moves_and_one_more_takes_staff(
    pool: asyncpg.Pool,
) -> None:
    (ada,) = await registered(pool, "ada")
    await nights(pool, "old", count=25, rounds=20)
    old = await id_of(pool, "old@example.com")
    seen = await look(pool, old, ada)
    assert (seen.rounds, seen.is_more, seen.why_not) == (OWN_ROUNDS_MAX, False, None)
    await submit(pool, 99, a_session(a_round(old=1, bo=0), on="2026-02-01"), IDS_AND_TIMES)
    assert isinstance(await refusal(pool, old, ada), AskStaffToMerge)
    assert (await look(pool, old, ada)).is_more
    # A long history that stays where it is takes nobody.
    assert (await do(pool, ada, old)).into == old


async def test_the_fourth_merge_takes_staff_even_if_staff_undid_some(pool: asyncpg.Pool) -> None:
    *others, ada = await registered(pool, "a1", "a2", "a3", "a4", "ada")
    for each in others[:3]:
        await do(pool, each, ada)
    assert isinstance(await refusal(pool, others[3], ada), AskStaffToMerge)
    # Not the other way around either, nor by one of those that joined.
    assert isinstance(await refusal(pool, ada, others[3]), AskStaffToMerge)
    await unmerge(pool, others[0], IDS_AND_TIMES)
    assert isinstance(await refusal(pool, others[0], ada), AskStaffToMerge)
    assert isinstance(await refusal(pool, others[3], ada), AskStaffToMerge)
    # What staff merge is not counted.
    *others, bo = await registered(pool, "b1", "b2", "b3", "b4", "bo")
    for each in others[:3]:
        await merge(pool, each, bo, IDS_AND_TIMES)
    await do(pool, others[3], bo)


async def test_two_that_are_one_already_are_only_shown_or_hidden(pool: asyncpg.Pool) -> None:
    a1, a2, ada = await registered(pool, "a1", "a2", "ada")
    await merge(pool, a1, a2, IDS_AND_TIMES)
    await do(pool, a1, ada)  # The end of the chain is what moves.
    await check_links(pool)
    facts = len(await events_on(pool))
    for each in (a1, a2):
        assert await do(pool, each, ada, is_private=True) is None
        assert set(await public(pool)) == set()
    assert len(await events_on(pool)) == facts
    assert isinstance((await look(pool, a1, ada)).why_not, NotMergeable)


async def test_the_forgotten_and_the_anonymous_are_nobodys(pool: asyncpg.Pool) -> None:
    old, ada = await registered(pool, "old", "ada")
    await forget(pool, Waterline(), old, IDS_AND_TIMES)
    await submit(pool, 1, a_session(a_round({"ANON:Lucky": 1, "bo": 0})), IDS_AND_TIMES)
    lucky = await pool.fetchval("SELECT player_id FROM mahjic.people WHERE nickname IS NOT NULL")
    for one, other in ((old, ada), (lucky, ada), (ada, old), ("MJ-7K3Q9XZM", ada)):
        with pytest.raises(UnknownPlayer):
            await do(pool, one, other)
        with pytest.raises(UnknownPlayer):
            await look(pool, one, other)


async def merge_and_fail(pool: asyncpg.Pool, waterline: Waterline, one: str, other: str) -> None:
    async with pool.acquire() as connection, connection.transaction():
        writing = await waterline.joining(connection)
        await merge_own(connection, writing, one, other, IDS_AND_TIMES, is_private=False)
        raise ZeroDivisionError


async def test_what_somebody_else_rolls_back_was_never_seen_on_the_log(pool: asyncpg.Pool) -> None:
    old, ada = await registered(pool, "old", "ada")
    waterline, before = Waterline(), await all_on_record(pool)
    with pytest.raises(ZeroDivisionError):
        await merge_and_fail(pool, waterline, old, ada)
    assert await all_on_record(pool) == before
    async with pool.acquire() as connection, waterline.writing(connection) as writing:
        assert writing.next_seq == waterline.seq + 1
