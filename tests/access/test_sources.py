"""Sources: what may be said about them, and who is noted when one moves to another region."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import asyncpg
import pytest

from shared.access.sources import (
    InvalidSource,
    SourceDetails,
    SourceExists,
    UnknownSource,
    add_source,
    change_source,
    list_sources,
    resume_source,
    suspend_source,
)
from tests.conftest import Database

NOON = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
CLUB = SourceDetails("Columbus Mahjong", "club", "midwest")


async def test_a_source_added_is_listed_as_it_was_given(database: Database) -> None:
    platform = SourceDetails("BAM Good Time", "platform", None, 6000)
    await add_source(database.pool, "columbus", CLUB, now=NOON)
    await add_source(database.pool, "bam-good-time", platform, now=NOON)

    bam, columbus = await list_sources(database.pool)

    assert (bam.slug, bam.details) == ("bam-good-time", platform)
    assert (columbus.slug, columbus.details) == ("columbus", CLUB)
    assert not columbus.is_suspended
    assert columbus.created_at == NOON


async def test_a_slug_is_given_once(database: Database) -> None:
    await add_source(database.pool, "columbus", CLUB, now=NOON)
    with pytest.raises(SourceExists, match="columbus"):
        await add_source(database.pool, "columbus", replace(CLUB, name="Another"), now=NOON)
    assert [source.details.name for source in await list_sources(database.pool)] == [CLUB.name]


@pytest.mark.parametrize(
    "name",
    [
        "",
        "   ",
        "two\nlines",
        "a\ttab",
        "nul\0",
        "x" * 81,
        "\u202eturned round",
        "\x1b[31m",
        "\ud800",
    ],
    ids=["empty", "blank", "lines", "tab", "nul", "long", "direction", "escape", "surrogate"],
)
async def test_a_name_that_cannot_be_printed_is_refused(database: Database, name: str) -> None:
    with pytest.raises(InvalidSource) as refused:
        await add_source(database.pool, "columbus", replace(CLUB, name=name), now=NOON)
    assert [mistake.pointer for mistake in refused.value.mistakes] == ["/name"]
    assert await list_sources(database.pool) == []


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("麻雀クラブ", "麻雀クラブ"),
        ("  trimmed  ", "trimmed"),
        ("Cafe\u0301", "Café"),
        ('O\'Neill & "Sons"; DROP TABLE x; --', 'O\'Neill & "Sons"; DROP TABLE x; --'),
        ("x" * 80, "x" * 80),
    ],
)
async def test_an_odd_name_is_kept(database: Database, given: str, kept: str) -> None:
    added = await add_source(database.pool, "columbus", replace(CLUB, name=given), now=NOON)
    assert added.details.name == kept


async def test_all_mistakes_are_told_at_once(database: Database) -> None:
    wrong = SourceDetails("", "shop", "atlantis", 0)
    with pytest.raises(InvalidSource) as refused:
        await add_source(database.pool, "-Columbus", wrong, now=NOON)
    pointers = [mistake.pointer for mistake in refused.value.mistakes]
    assert pointers == ["/slug", "/name", "/type", "/region", "/limit_per_minute"]


@pytest.mark.parametrize("slug", ["nobody", "", "nul\0", "\udcff", "Columbus"])
async def test_a_source_that_is_not_there_cannot_be_changed(database: Database, slug: str) -> None:
    await add_source(database.pool, "columbus", CLUB, now=NOON)
    with pytest.raises(UnknownSource):
        await change_source(database.pool, slug, lambda details: details)
    with pytest.raises(UnknownSource):
        await suspend_source(database.pool, slug)
    with pytest.raises(UnknownSource):
        await resume_source(database.pool, slug)


async def test_a_change_that_breaks_a_rule_changes_nothing(database: Database) -> None:
    await add_source(database.pool, "columbus", CLUB, now=NOON)
    with pytest.raises(InvalidSource):
        await change_source(
            database.pool, "columbus", lambda d: replace(d, name="New", region="atlantis")
        )
    assert [source.details for source in await list_sources(database.pool)] == [CLUB]


async def test_a_suspended_source_can_be_resumed(database: Database) -> None:
    await add_source(database.pool, "columbus", CLUB, now=NOON)
    assert (await suspend_source(database.pool, "columbus")).is_suspended
    assert (await suspend_source(database.pool, "columbus")).is_suspended
    assert not (await resume_source(database.pool, "columbus")).is_suspended


async def test_a_new_region_notes_the_players_who_have_it_from_the_source(
    database: Database,
) -> None:
    await _two_sources_and_their_players(database.pool)

    await change_source(database.pool, "columbus", lambda d: replace(d, region="west"))

    # The head stood at 7. Cy chose a region, Di came by another source, Ed was forgotten.
    assert await _noted(database.pool) == [(8, "MJ-ADA"), (9, "MJ-BO")]
    assert await database.pool.fetchval("SELECT people_seq FROM mahjic.head") == 9


async def test_another_change_of_a_source_notes_nobody(database: Database) -> None:
    await _two_sources_and_their_players(database.pool)

    await change_source(
        database.pool, "columbus", lambda d: replace(d, name="New", limit_per_minute=9)
    )

    assert await _noted(database.pool) == []
    assert await database.pool.fetchval("SELECT people_seq FROM mahjic.head") == 7


async def test_a_new_region_waits_for_whoever_writes_people(database: Database) -> None:
    await _two_sources_and_their_players(database.pool)
    async with database.pool.acquire() as writer, writer.transaction():
        await writer.execute("SELECT people_seq FROM mahjic.head FOR UPDATE")
        change = asyncio.create_task(
            change_source(database.pool, "columbus", lambda d: replace(d, region="west"))
        )
        await _somebody_waits_for_a_lock(database.pool)
        await writer.execute("UPDATE mahjic.head SET people_seq = 8")
        await writer.execute("INSERT INTO mahjic.people_changes VALUES (8, 'MJ-DI')")
    await change

    assert await _noted(database.pool) == [(8, "MJ-DI"), (9, "MJ-ADA"), (10, "MJ-BO")]


async def _two_sources_and_their_players(pool: asyncpg.Pool) -> None:
    await add_source(pool, "columbus", CLUB, now=NOON)
    await add_source(pool, "bam", SourceDetails("BAM", "platform"), now=NOON)
    await pool.execute(
        "INSERT INTO mahjic.head (log_id, fact_seq, fact_chain, people_seq)"
        " VALUES ('log', 0, decode(repeat('00', 32), 'hex'), 7)"
    )
    for player_id, source, region, is_known in (
        ("MJ-BO", "columbus", None, True),
        ("MJ-ADA", "columbus", None, True),
        ("MJ-CY", "columbus", "northeast", True),
        ("MJ-DI", "bam", None, True),
        ("MJ-ED", "columbus", None, False),
    ):
        await pool.execute("INSERT INTO mahjic.players VALUES ($1, $2)", player_id, source)
        if is_known:
            await pool.execute(
                "INSERT INTO mahjic.people (player_id, email, is_private, privacy_by, region)"
                " VALUES ($1, $2, false, 'source', $3)",
                player_id,
                f"{player_id.lower()}@example.com",
                region,
            )


async def _noted(pool: asyncpg.Pool) -> Sequence[tuple[int, str]]:
    rows = await pool.fetch("SELECT seq, player_id FROM mahjic.people_changes ORDER BY seq")
    return [(row["seq"], row["player_id"]) for row in rows]


async def _somebody_waits_for_a_lock(pool: asyncpg.Pool) -> None:
    waiting = (
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE wait_event_type = 'Lock' AND datname = current_database()"
    )
    async with asyncio.timeout(10):
        while await pool.fetchval(waiting) == 0:
            await asyncio.sleep(0.01)
