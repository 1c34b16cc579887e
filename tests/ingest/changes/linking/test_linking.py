"""Who can be merged, what a merge changes on record, and that undoing it brings all back."""

import contextlib
import random
from collections.abc import Sequence

import asyncpg
import pytest

from services.ingest.changes.linking import NotMerged, PlayersMet
from services.ingest.players.acts import forget
from services.ingest.record.judging.judgment import Accepted, IdempotencyKeyReused, Replayed
from services.ingest.record.judging.refusing import DuplicateSession
from services.ingest.record.known.groups import PlayerMerged
from services.ingest.record.waterline import Waterline
from shared.errors import ClaimRefused
from shared.events.facts import PlayersMerged, PlayersUnmerged
from shared.log.postgres import append_facts, lock_head
from tests.ingest.changes.linking.merges import (
    IDS_AND_TIMES,
    NAMES,
    all_on_record,
    check_links,
    check_prints,
    check_seats,
    events_on,
    id_of,
    merge,
    outcome,
    session,
    submit,
    unmerge,
    void,
)
from tests.ingest.claims import a_round, a_session
from tests.ingest.office import SOURCES, a_submission, record
from tests.log.chances import seeded_chance

HOME, AWAY = SOURCES


async def changed_since(pool: asyncpg.Pool, seq: int) -> list[str]:
    rows = await pool.fetch(
        "SELECT player_id FROM mahjic.people_changes WHERE seq > $1 ORDER BY seq", seq
    )
    return [row["player_id"] for row in rows]


async def people_seq(pool: asyncpg.Pool) -> int:
    return int(await pool.fetchval("SELECT people_seq FROM mahjic.head"))


async def test_a_merge_is_one_fact_with_its_note_beside_it(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    linked = await merge(
        pool, ids["ada"], ids["bo"], IDS_AND_TIMES, note="She told me on the phone."
    )
    assert (linked.fact_seq, linked.is_replayed) == (2, False)
    assert (await events_on(pool))[-1] == PlayersMerged(ids["ada"], ids["bo"])
    notes = await pool.fetch("SELECT fact_seq, note FROM mahjic.notes")
    assert [tuple(row) for row in notes] == [(2, "She told me on the phone.")]
    await check_links(pool)


async def test_a_merge_asked_for_again_is_told_as_it_was_and_changes_nothing(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    await merge(pool, ids["ada"], ids["bo"], IDS_AND_TIMES)
    await merge(pool, ids["bo"], ids["cy"], IDS_AND_TIMES)
    before = await all_on_record(pool)
    again = await merge(pool, ids["ada"], ids["bo"], IDS_AND_TIMES, note="Another note.")
    assert (again.fact_seq, again.player_id, again.into, again.is_replayed) == (
        2,
        ids["ada"],
        ids["bo"],
        True,
    )
    assert await all_on_record(pool) == before


async def test_an_unmerge_asked_for_again_is_told_as_it_was_until_they_are_merged_anew(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    ada, bo = ids["ada"], ids["bo"]
    await merge(pool, ada, bo, IDS_AND_TIMES)
    undone = await unmerge(pool, ada, IDS_AND_TIMES, note="A mistake.")
    assert (undone.fact_seq, undone.into, undone.is_replayed) == (3, bo, False)
    assert (await events_on(pool))[-1] == PlayersUnmerged(ada, bo)
    before = await all_on_record(pool)
    again = await unmerge(pool, ada, IDS_AND_TIMES)
    assert (again.fact_seq, again.into, again.is_replayed) == (3, bo, True)
    assert await all_on_record(pool) == before
    anew = await merge(pool, ada, bo, IDS_AND_TIMES)
    assert (anew.fact_seq, anew.is_replayed) == (4, False)


@pytest.mark.parametrize("first", ["ada", "bo"])
async def test_a_chain_is_undone_in_either_order_and_all_is_as_it_was(
    pool: asyncpg.Pool, ids: dict[str, str], first: str
) -> None:
    for number, who in enumerate(("ada", "bo", "cy"), start=1):
        await submit(pool, number, a_session(a_round({who: 1, "eve": 0})), IDS_AND_TIMES)
    prints = "SELECT content_print FROM mahjic.submissions ORDER BY session_id"
    before = await pool.fetch(prints)
    assert len({row[0] for row in before}) == 3
    await merge(pool, ids["ada"], ids["bo"], IDS_AND_TIMES)
    assert len({row[0] for row in await pool.fetch(prints)}) == 2
    await merge(pool, ids["bo"], ids["cy"], IDS_AND_TIMES)
    assert len({row[0] for row in await pool.fetch(prints)}) == 1
    await check_links(pool)
    await unmerge(pool, ids[first], IDS_AND_TIMES)
    await check_links(pool)
    assert len({row[0] for row in await pool.fetch(prints)}) == 2
    await check_prints(pool)
    await unmerge(pool, ids["bo" if first == "ada" else "ada"], IDS_AND_TIMES)
    assert await pool.fetch(prints) == before
    await check_links(pool)


async def test_a_session_sent_again_under_the_other_address_is_recognized_while_they_are_one(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    by_ada, by_bo = a_session(a_round(ada=2, cy=1)), a_session(a_round(bo=2, cy=1))
    assert await outcome(pool, 1, by_ada, IDS_AND_TIMES) == f"accepted {session(1)}"
    await merge(pool, ids["ada"], ids["bo"], IDS_AND_TIMES)
    again = f"replayed {session(1)} (accepted) by content"
    # Only whoever had Bo as well recognizes the session under that address.
    assert (await outcome(pool, 7, by_bo, IDS_AND_TIMES)).startswith("duplicate_session")
    met = a_session(a_round(bo=3, eve=1), on="2026-01-02")
    assert await outcome(pool, 8, met, IDS_AND_TIMES) == f"accepted {session(8)}"
    assert await outcome(pool, 2, by_bo, IDS_AND_TIMES) == again
    assert await outcome(pool, 3, by_ada, IDS_AND_TIMES) == again
    refused = await submit(pool, 4, by_bo, IDS_AND_TIMES, source=AWAY)
    assert isinstance(refused, DuplicateSession)
    assert refused.extra["rounds"] == [
        {"pointer": "/rounds/0", "session_id": None, "held_by": "another source"}
    ]
    await unmerge(pool, ids["ada"], IDS_AND_TIMES)
    assert await outcome(pool, 5, by_ada, IDS_AND_TIMES) == again
    assert await outcome(pool, 6, by_bo, IDS_AND_TIMES) == f"accepted {session(6)}"


async def test_a_key_stands_for_the_addresses_that_came_with_it_through_merges(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    by_ada, by_bo = a_session(a_round(ada=2, cy=1)), a_session(a_round(bo=2, cy=1))
    await submit(pool, 1, by_ada, IDS_AND_TIMES, key="k")
    for change in (
        merge(pool, ids["ada"], ids["bo"], IDS_AND_TIMES),
        unmerge(pool, ids["ada"], IDS_AND_TIMES),
    ):
        await change
        again = await submit(pool, 2, by_ada, IDS_AND_TIMES, key="k")
        assert isinstance(again, Replayed)
        assert (again.session_id, again.by_key) == (session(1), True)
        assert isinstance(
            await submit(pool, 3, by_bo, IDS_AND_TIMES, key="k"), IdempotencyKeyReused
        )


async def test_facts_name_the_address_and_answers_name_the_person(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    ada, bo, cy = (ids[name] for name in ("ada", "bo", "cy"))
    await merge(pool, ada, bo, IDS_AND_TIMES)
    claim = a_session(a_round({"ada": 1, "bob@mahjic.org": 1, "cy": 0}), a_round(cy=1, bo=0))
    accepted = await submit(pool, 1, claim, IDS_AND_TIMES)
    assert isinstance(accepted, Accepted)
    assert [played.players for played in accepted.fact.rounds] == [(ada, "BOB", cy), (cy, bo)]
    assert accepted.identified.survivor_ids == ((bo, "BOB", cy), (cy, bo))
    again = await submit(pool, 2, claim, IDS_AND_TIMES)
    assert isinstance(again, Replayed)
    assert again.identified.survivor_ids == ((bo, "BOB", cy), (cy, bo))
    await check_seats(pool)


async def test_two_addresses_of_one_player_do_not_sit_at_one_table(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    apart = [a_round({name: 7, "eve": 0}) for name in ("ada", "bo", "cy")]
    await record(pool, [a_submission(9, a_session(*apart, on="2026-01-01"))], IDS_AND_TIMES)
    await merge(pool, ids["ada"], ids["bo"], IDS_AND_TIMES)
    await merge(pool, ids["bo"], ids["cy"], IDS_AND_TIMES)
    fine = a_session(a_round(dee=1, ada=0), on="2026-01-02")
    twice = a_session(
        a_round(dee=1, ada=0),
        a_round({"ada": 1, "dee": 0, "cy": 0, "bo": 0}),
        a_round(bo=1, eve=0, ada=0),
    )
    judged = await record(pool, [a_submission(1, twice), a_submission(2, fine)], IDS_AND_TIMES)
    refused = judged[0]
    assert isinstance(refused, ClaimRefused)
    assert refused.status == 422
    assert [(each.pointer, each.code) for each in refused.mistakes] == [
        ("/rounds/1/players/2/email", "player_twice"),
        ("/rounds/1/players/3/email", "player_twice"),
        ("/rounds/2/players/2/email", "player_twice"),
    ]
    assert "players/0" in refused.mistakes[0].message
    assert isinstance(judged[1], Accepted)
    await unmerge(pool, ids["bo"], IDS_AND_TIMES)
    assert isinstance(await submit(pool, 3, twice, IDS_AND_TIMES), ClaimRefused)
    await unmerge(pool, ids["ada"], IDS_AND_TIMES)
    assert isinstance(await submit(pool, 4, twice, IDS_AND_TIMES), Accepted)


async def test_a_voided_session_of_two_who_are_one_now_is_recognized_and_not_refused(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    claim = a_session(a_round(ada=1, bo=0), a_round(ada=0, cy=1))
    await submit(pool, 1, claim, IDS_AND_TIMES, key="k")
    await void(pool, 1)
    await merge(pool, ids["ada"], ids["bo"], IDS_AND_TIMES)
    turned = a_session(a_round(bo=0, ada=1), a_round(cy=1, ada=0))
    for number, sent, key in (
        (2, claim, "k"),
        (3, claim, None),
        (4, turned, "k"),
        (5, turned, "another"),
    ):
        again = await submit(pool, number, sent, IDS_AND_TIMES, key=key)
        assert isinstance(again, Replayed)
        assert (again.session_id, again.status) == (session(1), "voided")


async def test_the_views_are_told_to_look_at_everybody_of_both_groups_again(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    ada, bo, cy, dee, eve = (ids[name] for name in NAMES)
    await merge(pool, ada, bo, IDS_AND_TIMES)
    await merge(pool, cy, dee, IDS_AND_TIMES)
    seq = await people_seq(pool)
    await merge(pool, bo, dee, IDS_AND_TIMES)
    assert sorted(await changed_since(pool, seq)) == sorted([ada, bo, cy, dee])
    assert await people_seq(pool) == seq + 4
    seq = await people_seq(pool)
    await unmerge(pool, ada, IDS_AND_TIMES)
    assert sorted(await changed_since(pool, seq)) == sorted([ada, bo, cy, dee])
    assert eve not in await changed_since(pool, 5)


async def test_a_session_whose_fact_cannot_be_read_stands_in_nobodys_way(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    await submit(pool, 1, a_session(a_round(ada=1, bo=0)), IDS_AND_TIMES)
    async with pool.acquire() as connection, connection.transaction():
        await append_facts(connection, await lock_head(connection), [b"\xff no fact"])
    # As if the bytes had been damaged before they were written: the rater has refused the session.
    await pool.execute("UPDATE mahjic.submissions SET fact_seq = 3")
    assert not (await merge(pool, ids["ada"], ids["bo"], IDS_AND_TIMES)).is_replayed
    assert not (await unmerge(pool, ids["ada"], IDS_AND_TIMES)).is_replayed


async def test_forgotten_players_are_merged_as_well(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    await submit(pool, 1, a_session(a_round(ada=1, cy=0)), IDS_AND_TIMES)
    await forget(pool, Waterline(), ids["ada"], IDS_AND_TIMES)
    await submit(pool, 2, a_session(a_round(ada=1, cy=0), on="2026-01-02"), IDS_AND_TIMES)
    anew = await id_of(pool, "ada@example.com")
    assert anew != ids["ada"]
    await merge(pool, ids["ada"], anew, IDS_AND_TIMES)
    await check_links(pool)


async def test_after_any_merges_prints_tell_exactly_what_is_the_same(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    chance = seeded_chance()
    await merge(pool, ids["ada"], ids["bo"], IDS_AND_TIMES)
    await merge(pool, ids["bo"], ids["cy"], IDS_AND_TIMES)
    for number in range(60):
        if chance.random() < 0.6:
            table = chance.sample(NAMES, 2)
            played = a_round(
                dict(zip(table, chance.choice([(1, 0), (1, 1)]), strict=True)),
                points=chance.choice([(1, -1), (2, -2)]),
                ref=chance.choice([None, None, f"ref {number}"]),
            )
            claim = a_session(
                played,
                on=chance.choice(["2026-01-01", "2026-01-02"]),
                game_type=chance.choice(["social", "league"]),
                allow_duplicate=True,
            )
            await submit(pool, number, claim, IDS_AND_TIMES, source=chance.choice(SOURCES))
        elif chance.random() < 0.3:
            await void(pool, chance.randrange(number + 1))
        else:
            await _merge_or_not(pool, sorted(ids.values()), chance)
        await check_prints(pool)
    await check_seats(pool)
    await check_links(pool)


async def _merge_or_not(
    pool: asyncpg.Pool, player_ids: Sequence[str], chance: random.Random
) -> None:
    player_id, into = chance.sample(player_ids, 2)
    with contextlib.suppress(NotMerged, PlayerMerged, PlayersMet):
        if chance.random() < 0.4:
            await unmerge(pool, player_id, IDS_AND_TIMES)
        else:
            await merge(pool, player_id, into, IDS_AND_TIMES)
