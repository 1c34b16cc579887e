"""What people read about themselves is what everyone would read of them if they were public."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from services.projections.answering.people import NoPublicPlayer
from services.projections.history.reads import Histories, UnknownChange
from services.projections.history.replays import BeingComputed
from services.projections.pages.player_pages import OwnRatingPages, PlayerPages
from tests.conftest import Database
from tests.projections.conftest import ROUNDS_MAX
from tests.projections.patience import patient_replays
from tests.projections.season import Round, mj
from tests.projections.told_history import Told, a_told_season

ALICE, BO, CARL, DEE, OLD = (mj(number) for number in range(1, 6))
UNKNOWN = mj(99)


@pytest.fixture
async def told(database: Database) -> AsyncIterator[Told]:
    """Two sessions, one of them corrected, and a merge; Alice and Carl are private."""
    async with a_told_season(database) as told:
        season = told.season
        for who in (ALICE, BO, DEE):
            await season.verify(who)
        await season.play("club", Round({ALICE: 2, BO: 1, CARL: 3, DEE: 0}))
        session, _ = await season.play("club", Round({OLD: 2, BO: 1, DEE: 0, CARL: 1}))
        await told.correct(session, Round({OLD: 0, BO: 3, DEE: 0, CARL: 1}))
        await season.merge(OLD, ALICE)
        await season.change(ALICE, name="Alice")
        for who in (ALICE, CARL):
            await season.change(who, is_private=True)
        await told.world.follow()
        yield told


def own_pages(told: Told) -> OwnRatingPages:
    return OwnRatingPages(_histories(told))


def _histories(told: Told) -> Histories:
    replays = patient_replays(told.season.facts, rounds_max=ROUNDS_MAX)
    return Histories(told.world.reader, replays)


async def everything(pages: PlayerPages, who: str) -> dict[str, Any]:
    """Return all that the pages read about one player."""
    sessions = await pages.sessions(who)
    ids = [
        each["change_id"]
        for item in sessions["items"]
        for each in (item["rounds"] if item["type"] == "session" else [item])
    ]
    return {
        "profile": await pages.profile(who),
        "chart": await pages.chart(who),
        "sessions": sessions,
        "met": await pages.head_to_head(who),
        **{change_id: await reason(pages, who, change_id) for change_id in ids},
    }


async def reason(pages: PlayerPages, who: str, change_id: str) -> Any:
    """Return the reason for a change, once it is computed."""
    async with asyncio.timeout(60):
        while True:
            try:
                return await pages.change(who, change_id)
            except BeingComputed:
                await asyncio.sleep(0.05)


async def test_a_private_player_reads_what_everyone_would_read(told: Told) -> None:
    own = await everything(own_pages(told).of(ALICE), ALICE)
    assert len(own) == 4 + 5
    await told.season.change(ALICE, is_private=False)
    await told.world.follow()
    public = await everything(PlayerPages(_histories(told)), ALICE)
    # Only a place on the board is for those whom everyone sees.
    assert own["profile"]["global_rank"] is None
    assert public["profile"]["global_rank"] is not None
    own["profile"]["global_rank"] = public["profile"]["global_rank"]
    assert own == public


async def test_others_who_are_private_stay_hidden(told: Told) -> None:
    own = repr(await everything(own_pages(told).of(ALICE), ALICE))
    assert CARL not in own
    assert "a private player" in own
    assert BO in own


async def test_everyone_else_still_reads_nothing(told: Told) -> None:
    await everything(own_pages(told).of(ALICE), ALICE)
    public = PlayerPages(_histories(told))
    for who in (ALICE, OLD, CARL, UNKNOWN):
        for read in (public.profile, public.chart, public.sessions, public.head_to_head):
            with pytest.raises(NoPublicPlayer):
                await read(who)
        with pytest.raises(NoPublicPlayer):
            await public.change(who, f"{who}.5.1")
    assert await public.merged_into(OLD) is None


async def test_a_change_of_somebody_else_is_none_of_ones_own(told: Told) -> None:
    for moved in (BO, CARL):
        with pytest.raises(UnknownChange):
            await own_pages(told).of(ALICE).change(ALICE, f"{moved}.5.1")


async def test_somebody_who_never_played_reads_that_they_begin(told: Told) -> None:
    new = await told.season.player(7, is_private=True)
    await told.world.follow()
    reads = own_pages(told).of(new)
    assert (await reads.profile(new))["games"] == 0
    assert (await reads.sessions(new))["items"] == []
    assert (await reads.chart(new))["points"] == []


async def test_a_forgotten_player_has_nothing_to_read(told: Told) -> None:
    await told.season.erase(CARL)
    await told.world.follow()
    with pytest.raises(NoPublicPlayer):
        await own_pages(told).of(CARL).profile(CARL)
