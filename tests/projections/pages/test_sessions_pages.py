"""A player's history by session: its pages up and down, and what is on them."""

import itertools
from typing import Any

import pytest

from services.projections.answering.cursors import WrongCursor, write_cursor
from services.projections.history.session_queries import PAGE_ENTRIES_MAX, PAGE_SESSIONS
from services.site.reads import SiteReads
from tests.conftest import Database
from tests.projections.conftest import World
from tests.projections.pages.conftest import reads_of
from tests.projections.season import Round, mj
from tests.projections.told_history import a_told_season

ADA, BO, CY = mj(1), mj(2), mj(3)


async def pages_down(pages: SiteReads, who: str) -> list[Any]:
    """Return all pages of a player, from the newest down."""
    found = [await pages.players.sessions(who)]
    while (cursor := found[-1]["older_cursor"]) is not None:
        found.append(await pages.players.sessions(who, cursor=cursor))
    return found


async def pages_up(pages: SiteReads, who: str, cursor: str) -> list[Any]:
    """Return all pages from one up to the newest."""
    found = [await pages.players.sessions(who, cursor=cursor)]
    while not found[-1]["is_newest"]:
        found.append(await pages.players.sessions(who, cursor=found[-1]["newer_cursor"]))
    return found


@pytest.mark.parametrize("count", [0, 1, PAGE_SESSIONS, PAGE_SESSIONS + 1, 2 * PAGE_SESSIONS + 10])
async def test_pages_lead_down_and_up_again(world: World, pages: SiteReads, count: int) -> None:
    club = await world.season.source("club")
    ada, bo = await world.season.player(1), await world.season.player(2)
    played = [await world.season.play(club, Round({ada: 1, bo: 0}, 1)) for _ in range(count)]
    await world.follow()
    down = await pages_down(pages, ada)
    told = [item["session_id"] for page in down for item in page["items"]]
    assert told == [session for session, _ in reversed(played)]
    sizes = [len(page["items"]) for page in down]
    assert all(size == PAGE_SESSIONS for size in sizes[:-1])
    assert [page["is_newest"] for page in down] == [True] + [False] * (len(down) - 1)
    # The first page has one address, without a cursor.
    assert [page["newer_cursor"] for page in down[:2]] == [None] * len(down[:2])
    if len(down) > 1:
        up = await pages_up(pages, ada, down[-2]["older_cursor"])
        assert [page["items"] for page in up] == [page["items"] for page in reversed(down)]


async def test_a_page_ends_early_when_its_sessions_are_long(world: World, pages: SiteReads) -> None:
    club = await world.season.source("club")
    ada, bo = await world.season.player(1), await world.season.player(2)
    for _ in range(7):
        await world.season.play(club, *[Round({ada: 1, bo: 0})] * 100)
    await world.follow()
    down = await pages_down(pages, ada)
    assert [len(page["items"]) for page in down] == [3, 3, 1]
    assert all(
        sum(len(item["rounds"]) for item in page["items"]) <= PAGE_ENTRIES_MAX for page in down
    )
    seqs = [item["fact_seq"] for page in down for item in page["items"]]
    assert seqs == sorted(seqs, reverse=True)
    up = await pages_up(pages, ada, down[-2]["older_cursor"])
    assert {item["fact_seq"] for page in up for item in page["items"]} == set(seqs)


async def test_a_session_tells_what_its_rounds_did_together(world: World, pages: SiteReads) -> None:
    club = await world.season.source("club")
    ada, bo = await world.season.player(1, name="Ada"), await world.season.player(2)
    cy = await world.season.player(3, is_private=True)
    session, fact = await world.season.play(
        club,
        Round({ada: 3, bo: 1}, 2),
        Round({bo: 1, cy: 1}, 1),
        Round({ada: 0, cy: 4}, 1),
        on="2026-01-30",
        game_type="social",
    )
    await world.follow()
    (item,) = (await pages.players.sessions(ada))["items"]
    assert item["type"] == "session"
    first, last = item["rounds"]
    assert item["mahjic"] == {
        "rating_before": 1500.0,
        "rating_change": round(
            first["mahjic"]["rating_change"] + last["mahjic"]["rating_change"], 2
        ),
        "rating_after": last["mahjic"]["rating_after"],
        "games_before": 0,
        "games_after": 11,
    }
    assert first["mahjic"]["rating_change"] == 16.0
    assert (item["session_id"], item["fact_seq"]) == (session, fact)
    assert (item["games_played"], item["mahjongs"], item["wall_games"]) == (11, 3, 3)
    assert [each["round_number"] for each in item["rounds"]] == [1, 3]
    (opponent,) = last["opponents"]
    assert (opponent["player_id"], opponent["player"]) == (None, "a private player")


async def test_voided_and_corrected_sessions_are_marked_and_corrections_are_entries(
    database: Database,
) -> None:
    async with a_told_season(database) as told:
        voided, _ = await told.season.play("club", Round({ADA: 1, BO: 0}))
        corrected, _ = await told.season.play("club", Round({ADA: 1, BO: 0}))
        void = await told.void(voided)
        new, correction = await told.correct(corrected, Round({ADA: 0, BO: 1}))
        await told.world.follow()
        items: list[Any] = (await reads_of(told.world).players.sessions(ADA))["items"]
        assert [(each["type"], each["fact_seq"]) for each in items] == [
            ("correction", correction),
            ("correction", void),
            ("session", 3),
            ("session", 2),
        ]
        assert [(each["voided"], each["superseded_by"]) for each in items[2:]] == [
            (False, new),
            (True, None),
        ]


async def test_a_cursor_of_another_list_is_refused(world: World, pages: SiteReads) -> None:
    club = await world.season.source("club")
    ada, bo = await world.season.player(1), await world.season.player(2)
    for _ in range(PAGE_SESSIONS + 1):
        await world.season.play(club, Round({ada: 1, bo: 0}))
    await world.follow()
    of_ada = (await pages.players.sessions(ada))["older_cursor"]
    of_rounds = (await world.get(f"/v1/players/{ada}/history", limit=1))["next_cursor"]
    together = (await pages.players.comparison(ada, bo))["together"]
    assert together is not None
    cursors = [of_ada, of_rounds, together["older_cursor"]]
    made_up = [
        "",
        "%00",
        "é",
        "x" * 10_000,
        write_cursor("by session", bo, 0),
        write_cursor("by session", bo, -1),
        write_cursor("by session", bo, (1 << 63) - 1),
        write_cursor("by session", bo, "1"),
        write_cursor(ada, bo, -1, 1),
        write_cursor(ada, bo, 1),
    ]
    for cursor in itertools.chain(cursors, made_up):
        assert cursor is not None
        with pytest.raises(WrongCursor):
            await pages.players.sessions(bo, cursor=cursor)
        with pytest.raises(WrongCursor):
            await pages.players.comparison(bo, ada, cursor=cursor)
