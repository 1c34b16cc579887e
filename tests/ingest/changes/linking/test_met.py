"""Who cannot be merged: those who have met, themselves or by another id of theirs."""

import asyncpg
import pytest

from services.ingest.changes.linking import MET_SESSIONS_MAX, NotMergeable, NotMerged, PlayersMet
from services.ingest.record.known import groups
from services.ingest.record.known.groups import PlayerMerged
from shared.errors import UnknownPlayer
from tests.ingest.changes.linking.merges import (
    IDS_AND_TIMES,
    all_on_record,
    check_links,
    check_prints,
    merge,
    session,
    submit,
    unmerge,
    void,
)
from tests.ingest.claims import a_round, a_session
from tests.ingest.office import a_submission, record


async def test_who_cannot_be_merged_is_told_why_and_nothing_is_written(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    await submit(pool, 1, a_session(a_round({"ANON:Zed": 1, "ada": 0})), IDS_AND_TIMES)
    anonymous = await pool.fetchval("SELECT player_id FROM mahjic.people WHERE nickname = 'Zed'")
    await merge(pool, ids["cy"], ids["dee"], IDS_AND_TIMES)
    before = await all_on_record(pool)
    for player_id, into, refusal, survivor in (
        (ids["ada"], ids["ada"], NotMergeable, None),
        ("BOB", ids["ada"], NotMergeable, None),
        (ids["ada"], "BOB", NotMergeable, None),
        (anonymous, ids["ada"], NotMergeable, None),
        (ids["bo"], anonymous, NotMergeable, None),
        ("MJ-7K3Q9XZM", ids["ada"], UnknownPlayer, None),
        (ids["ada"], "MJ-7K3Q9XZM", UnknownPlayer, None),
        (ids["cy"], ids["ada"], PlayerMerged, ids["dee"]),
        (ids["ada"], ids["cy"], PlayerMerged, ids["dee"]),
        (ids["dee"], ids["cy"], PlayerMerged, ids["dee"]),
    ):
        with pytest.raises(refusal) as refused:
            await merge(pool, player_id, into, IDS_AND_TIMES)
        assert refused.value.extra.get("survivor") == survivor
    with pytest.raises(NotMerged):
        await unmerge(pool, ids["dee"], IDS_AND_TIMES)
    with pytest.raises(UnknownPlayer):
        await unmerge(pool, "MJ-7K3Q9XZM", IDS_AND_TIMES)
    assert await all_on_record(pool) == before


@pytest.mark.parametrize("status", ["voided", "corrected"])
async def test_whoever_met_is_not_merged_until_that_session_no_longer_counts(
    pool: asyncpg.Pool, ids: dict[str, str], status: str
) -> None:
    met = a_session(a_round(cy=1, dee=0), a_round(ada=1, bo=0), game_type="social")
    await submit(pool, 1, met, IDS_AND_TIMES)
    before = await all_on_record(pool)
    for player_id, into in ((ids["ada"], ids["bo"]), (ids["bo"], ids["ada"])):
        with pytest.raises(PlayersMet) as refused:
            await merge(pool, player_id, into, IDS_AND_TIMES)
        assert refused.value.extra == {"session_ids": [session(1)], "has_more": False}
        assert (refused.value.code, refused.value.status) == ("players_met", 409)
    assert await all_on_record(pool) == before
    await void(pool, 1, status)
    assert not (await merge(pool, ids["ada"], ids["bo"], IDS_AND_TIMES)).is_replayed
    await check_prints(pool)


async def test_who_sat_in_one_session_and_at_no_table_together_has_not_met(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    await submit(pool, 1, a_session(a_round(ada=1, cy=0), a_round(bo=1, cy=0)), IDS_AND_TIMES)
    await merge(pool, ids["ada"], ids["bo"], IDS_AND_TIMES)
    await check_prints(pool)


@pytest.mark.parametrize("turned", [False, True])
async def test_groups_have_met_when_any_of_their_members_have(
    pool: asyncpg.Pool, ids: dict[str, str], turned: bool
) -> None:
    await submit(pool, 1, a_session(a_round(bo=1, dee=0)), IDS_AND_TIMES)
    await merge(pool, ids["bo"], ids["ada"], IDS_AND_TIMES)
    await merge(pool, ids["dee"], ids["cy"], IDS_AND_TIMES)
    both = (ids["cy"], ids["ada"]) if turned else (ids["ada"], ids["cy"])
    with pytest.raises(PlayersMet):
        await merge(pool, *both, IDS_AND_TIMES)
    await unmerge(pool, ids["dee"], IDS_AND_TIMES)
    await merge(pool, *both, IDS_AND_TIMES)
    await check_links(pool)


async def test_of_many_sessions_in_which_they_met_the_first_are_named(
    pool: asyncpg.Pool, ids: dict[str, str]
) -> None:
    played = [
        a_submission(number, a_session(a_round(ada=1, bo=0), on=f"{1900 + number}-01-01"))
        for number in range(120)
    ]
    await record(pool, played, IDS_AND_TIMES)
    with pytest.raises(PlayersMet) as refused:
        await merge(pool, ids["ada"], ids["bo"], IDS_AND_TIMES)
    assert refused.value.extra == {
        "session_ids": [session(number) for number in range(100)],
        "has_more": True,
    }


@pytest.mark.parametrize("more", [0, 1])
async def test_a_first_group_in_which_they_met_as_often_as_is_named_tells_whether_there_are_more(
    pool: asyncpg.Pool, ids: dict[str, str], more: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups, "SESSIONS_AT_ONCE", MET_SESSIONS_MAX)
    played = [
        a_submission(number, a_session(a_round(ada=1, bo=0), on=f"{1900 + number}-01-01"))
        for number in range(MET_SESSIONS_MAX + more)
    ]
    await record(pool, played, IDS_AND_TIMES)
    with pytest.raises(PlayersMet) as refused:
        await merge(pool, ids["ada"], ids["bo"], IDS_AND_TIMES)
    assert refused.value.extra == {
        "session_ids": [session(number) for number in range(MET_SESSIONS_MAX)],
        "has_more": bool(more),
    }
