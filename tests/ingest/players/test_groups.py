"""What is said of one id of a person holds for all of them: privacy, verification, forgetting."""

import random
from typing import Any

import asyncpg
import pytest

from services.ingest.claim.people import read_person
from services.ingest.players.acts import (
    forget,
    register,
    set_privacy,
)
from services.ingest.record.known.groups import PlayerMerged
from services.ingest.record.waterline import Waterline
from services.verification.deciding import CannotBeVerified
from shared.errors import UnknownPlayer
from shared.events.facts import FactEvent, PlayerVerificationEnded, PlayerVerified
from tests.ingest.changes.linking.merges import all_on_record, events_on, merge, submit, unmerge
from tests.ingest.claims import a_round, a_session
from tests.ingest.office import ids_and_times_of
from tests.verification.deciding import set_verification

IDS_AND_TIMES = ids_and_times_of(random.Random(5))


@pytest.fixture
async def ids(pool: asyncpg.Pool) -> dict[str, str]:
    """Return the ids of Ada and Bo, who are merged into Cy one after the other, and of Dee."""
    ids = {
        name: (
            await register(pool, Waterline(), read_person(f"{name}@example.com"), IDS_AND_TIMES)
        ).player_id
        for name in ("ada", "bo", "cy", "dee")
    }
    await merge(pool, ids["ada"], ids["bo"], IDS_AND_TIMES)
    await merge(pool, ids["bo"], ids["cy"], IDS_AND_TIMES)
    return ids


async def public(pool: asyncpg.Pool, ids: dict[str, str]) -> set[str]:
    """Return by name whom everybody may see."""
    rows = await pool.fetch("SELECT player_id FROM mahjic.public_players")
    shown = {row["player_id"] for row in rows}
    return {name for name, player_id in ids.items() if player_id in shown}


async def privacy(pool: asyncpg.Pool) -> dict[str, tuple[bool, str]]:
    rows = await pool.fetch("SELECT email, is_private, privacy_by FROM mahjic.people")
    return {
        row["email"].removesuffix("@example.com"): (row["is_private"], row["privacy_by"])
        for row in rows
    }


async def changed_since(pool: asyncpg.Pool, seq: int) -> set[str]:
    rows = await pool.fetch("SELECT player_id FROM mahjic.people_changes WHERE seq > $1", seq)
    changed = [row["player_id"] for row in rows]
    assert len(set(changed)) == len(changed)
    return set(changed)


async def people_seq(pool: asyncpg.Pool) -> int:
    return int(await pool.fetchval("SELECT people_seq FROM mahjic.head"))


async def events_after_merges(pool: asyncpg.Pool) -> list[FactEvent]:
    return (await events_on(pool))[3:]


async def verified(pool: asyncpg.Pool, player_id: str, *, is_verified: bool) -> None:
    await set_verification(pool, Waterline(), player_id, IDS_AND_TIMES, is_verified=is_verified)


async def test_only_the_survivor_of_a_group_is_public(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    assert await public(pool, ids) == {"cy", "dee"}
    await unmerge(pool, ids["bo"], IDS_AND_TIMES)
    assert await public(pool, ids) == {"bo", "cy", "dee"}


@pytest.mark.parametrize("who", ["ada", "bo", "cy"])
async def test_a_source_that_hides_one_address_hides_the_person_and_the_views_are_told(
    pool: asyncpg.Pool, ids: dict[str, str], who: str
) -> None:
    seq = await people_seq(pool)
    hidden = a_session(a_round({f"PRIVATE:{who}@example.com": 1, "dee": 0}))
    await submit(pool, 1, hidden, IDS_AND_TIMES)
    assert await public(pool, ids) == {"dee"}
    assert {ids[who], ids["cy"]} <= await changed_since(pool, seq)
    assert (await privacy(pool))[who] == (True, "source")
    await unmerge(pool, ids["ada"], IDS_AND_TIMES)
    await unmerge(pool, ids["bo"], IDS_AND_TIMES)
    assert await public(pool, ids) == {"ada", "bo", "cy", "dee"} - {who}


@pytest.mark.parametrize("who", ["ada", "cy"])
async def test_the_operators_word_on_any_id_is_written_to_all_of_them(
    pool: asyncpg.Pool, ids: dict[str, str], who: str
) -> None:
    everybody = ("ada", "bo", "cy")
    seq = await people_seq(pool)
    await set_privacy(pool, Waterline(), ids[who], "private")
    assert await changed_since(pool, seq) == {ids[each] for each in everybody}
    assert await public(pool, ids) == {"dee"}
    before = await all_on_record(pool)
    await set_privacy(pool, Waterline(), ids[who], "private")
    assert await all_on_record(pool) == before
    await set_privacy(pool, Waterline(), ids[who], "normal")
    assert await public(pool, ids) == {"cy", "dee"}
    # From then on no source hides any of them.
    hidden = a_session(a_round({"PRIVATE:ada@example.com": 1, "dee": 0}))
    await submit(pool, 1, hidden, IDS_AND_TIMES)
    told = await privacy(pool)
    assert {told[each] for each in everybody} == {(False, "operator")}
    assert await public(pool, ids) == {"cy", "dee"}


async def test_registering_one_address_again_gives_the_person(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    again = await register(pool, Waterline(), read_person("ada@example.com"), IDS_AND_TIMES)
    assert (again.player_id, again.is_new) == (ids["cy"], False)
    assert await public(pool, ids) == {"cy", "dee"}
    await register(pool, Waterline(), read_person("PRIVATE:ada@example.com"), IDS_AND_TIMES)
    told = await privacy(pool)
    assert {told[each] for each in ("ada", "bo", "cy")} == {(True, "operator")}


async def test_a_merged_id_is_not_verified_and_its_survivor_is_named(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    before = await all_on_record(pool)
    for is_verified in (True, False):
        with pytest.raises(PlayerMerged) as refused:
            await verified(pool, ids["ada"], is_verified=is_verified)
        assert refused.value.extra["survivor"] == ids["cy"]
        assert (refused.value.code, refused.value.status) == ("player_merged", 409)
    assert await all_on_record(pool) == before


async def test_the_verification_of_a_group_ends_by_one_fact_for_each_who_has_one(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    ada, bo, cy = (ids[name] for name in ("ada", "bo", "cy"))
    await unmerge(pool, bo, IDS_AND_TIMES)
    await unmerge(pool, ada, IDS_AND_TIMES)
    await verified(pool, ada, is_verified=True)
    await verified(pool, cy, is_verified=True)
    await merge(pool, ada, bo, IDS_AND_TIMES)
    await merge(pool, bo, cy, IDS_AND_TIMES)
    await verified(pool, cy, is_verified=True)
    begun = len(await events_on(pool))
    await verified(pool, cy, is_verified=False)
    ended = [PlayerVerificationEnded(each) for each in sorted([ada, cy])]
    assert (await events_on(pool))[begun:] == ended
    await verified(pool, cy, is_verified=False)
    assert len(await events_on(pool)) == begun + 2
    assert await pool.fetchval("SELECT count(*) FROM mahjic.players WHERE is_verified") == 0
    await verified(pool, cy, is_verified=True)
    assert (await events_on(pool))[-1] == PlayerVerified(cy)


@pytest.mark.parametrize("who", ["ada", "cy"])
async def test_forgetting_one_id_forgets_the_person(
    pool: asyncpg.Pool, ids: dict[str, str], who: str
) -> None:
    await verified(pool, ids["cy"], is_verified=True)
    seq = await people_seq(pool)
    await forget(pool, Waterline(), ids[who], IDS_AND_TIMES)
    assert set(await privacy(pool)) == {"dee"}
    assert await changed_since(pool, seq) == {ids[each] for each in ("ada", "bo", "cy")}
    assert await events_after_merges(pool) == [
        PlayerVerified(ids["cy"]),
        PlayerVerificationEnded(ids["cy"]),
    ]
    before = await all_on_record(pool)
    await forget(pool, Waterline(), ids[who], IDS_AND_TIMES)
    assert await all_on_record(pool) == before
    with pytest.raises(CannotBeVerified):
        await verified(pool, ids["cy"], is_verified=True)
    with pytest.raises(UnknownPlayer):
        await set_privacy(pool, Waterline(), ids[who], "normal")


async def test_a_forgotten_id_that_is_merged_hides_the_survivor_who_can_be_verified(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    await forget(pool, Waterline(), ids["dee"], IDS_AND_TIMES)
    await merge(pool, ids["dee"], ids["cy"], IDS_AND_TIMES)
    assert await public(pool, ids) == set()
    await verified(pool, ids["cy"], is_verified=True)
    await set_privacy(pool, Waterline(), ids["cy"], "normal")
    assert await public(pool, ids) == set()
    await unmerge(pool, ids["dee"], IDS_AND_TIMES)
    assert await public(pool, ids) == {"cy"}


async def test_nothing_of_who_is_merged_with_whom_is_told_to_sources(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    """A source's own addresses become one id; those that it never sent are nowhere."""
    accepted: Any = await submit(pool, 1, a_session(a_round(ada=1, dee=0)), IDS_AND_TIMES)
    told = repr((accepted.identified.survivor_ids, accepted.fact))
    assert ids["cy"] in told
    assert ids["bo"] not in told
    for address in ("bo@", "cy@"):
        assert address not in told
