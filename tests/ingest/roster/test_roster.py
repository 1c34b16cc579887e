"""A roster holds whom its source knows, as it calls them, and tells other sources nothing."""

import random
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeVar

import asyncpg
import pytest

from services.ingest.people.choices import Choices, choose
from services.ingest.people.own_addresses import detach
from services.ingest.players.forgetting import forget_person
from services.ingest.players.grouped import WholePerson
from services.ingest.record.waterline import Waterline
from services.ingest.roster.downloaded import RosterSection
from services.ingest.roster.finding import (
    BEGINNING,
    RosterEntry,
    RosterPage,
    RosterPlace,
    find_on_roster,
)
from services.ingest.roster.keeping import (
    ADDED_MAX,
    KEPT_FOR,
    RosterFull,
    UnfitEntry,
    UnknownEntry,
    add_to_roster,
    erase_from_rosters,
    rename_on_roster,
    take_off_roster,
    tidy_rosters,
)
from shared.log.postgres import Connection
from tests.ingest.changes.linking.merges import id_of, merge, submit
from tests.ingest.claims import a_round, a_session
from tests.ingest.office import NOW, SOURCES, ids_and_times_of

T = TypeVar("T")
OURS, THEIRS = SOURCES
IDS_AND_TIMES = ids_and_times_of(random.Random(16))
NAMES = {"ada": "Ada Lovelace", "bo": None, "ann": "Zoë O’Neil"}


async def done(pool: asyncpg.Pool, act: Callable[[Connection], Awaitable[T]]) -> T:
    """Return what an act gives in a transaction of its own."""
    async with pool.acquire() as connection, connection.transaction():
        return await act(connection)


async def found(pool: asyncpg.Pool, typed: str = "", source: str = OURS) -> list[RosterEntry]:
    return list((await done(pool, lambda c: find_on_roster(c, source, typed))).entries)


async def named(pool: asyncpg.Pool, typed: str = "", source: str = OURS) -> list[str | None]:
    return [each.name for each in await found(pool, typed, source)]


async def add(pool: asyncpg.Pool, typed: str, name: str, source: str = OURS) -> None:
    await done(pool, lambda c: add_to_roster(c, source, typed, name, now=NOW))


async def rename(pool: asyncpg.Pool, entry: str, name: str, source: str = OURS) -> None:
    await done(pool, lambda c: rename_on_roster(c, source, entry, name, now=NOW))


async def take_off(pool: asyncpg.Pool, entry: str, source: str = OURS) -> None:
    await done(pool, lambda c: take_off_roster(c, source, entry, now=NOW))


async def play(pool: asyncpg.Pool, number: int, source: str, **named: str | None) -> None:
    """Record a night on which these people play, under these names or none."""
    played = a_round(dict.fromkeys(named, 1))
    for seat, name in zip(played["players"], named.values(), strict=True):
        if name is not None:
            seat["name"] = name
    day = f"2026-01-{10 + number}"
    await submit(pool, number, a_session(played, on=day), IDS_AND_TIMES, source=source)


@pytest.fixture
async def club(pool: asyncpg.Pool) -> asyncpg.Pool:
    """Return a database on which one source had a night of three, and another one of its own."""
    await play(pool, 1, OURS, **NAMES)
    await play(pool, 2, THEIRS, ada="Countess", cy="Cy Young", dee=None)
    return pool


async def forget(pool: asyncpg.Pool, player_id: str) -> None:
    async with pool.acquire() as connection, connection.transaction():
        writing = await Waterline().joining(connection)
        await forget_person(connection, writing, player_id, IDS_AND_TIMES)


async def test_it_is_filled_by_what_the_source_itself_sends(club: asyncpg.Pool) -> None:
    ours = {each.name: each for each in await found(club)}
    assert ours.keys() == {"Ada Lovelace", None, "Zoë O’Neil"}
    ada = await id_of(club, "ada@example.com")
    assert ours["Ada Lovelace"] == RosterEntry(ada, "Ada Lovelace", "ada@example.com", ada)
    assert ours[None].called == "bo@example.com"
    assert await named(club, source=THEIRS) == ["Countess", "Cy Young", None]
    await play(club, 3, OURS, ada="Ada L.", bo="Bo")
    assert set(await named(club)) == {"Ada L.", "Bo", "Zoë O’Neil"}


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("ad", ["Ada Lovelace"]),
        ("ADA LO", ["Ada Lovelace"]),
        ("love", ["Ada Lovelace"]),
        ("ada  lovelace", ["Ada Lovelace"]),
        ("zoe", ["Zoë O’Neil"]),
        ("Zoë o'n", ["Zoë O’Neil"]),
        ("oneil", ["Zoë O’Neil"]),
        ("bo", [None]),
        ("da", []),
        ("countess", []),
        ("cy", []),
        ("%", ["Ada Lovelace", None, "Zoë O’Neil"]),
        ("ada%", ["Ada Lovelace"]),
        ("a_a", []),
        ("\x00", []),
        ("\ud800", []),
        ("x" * 100_000, []),
    ],
)
async def test_it_is_searched_by_the_beginning_of_any_word_of_a_name(
    club: asyncpg.Pool, typed: str, names: list[str | None]
) -> None:
    assert sorted(await named(club, typed), key=str) == sorted(names, key=str)


async def page_after(pool: asyncpg.Pool, place: RosterPlace) -> RosterPage:
    return await done(pool, lambda c: find_on_roster(c, OURS, "", after=place, limit=3))


async def test_names_that_begin_so_come_first_and_pages_go_on(club: asyncpg.Pool) -> None:
    for number in range(5):
        await add(club, f"p{number}@example.com", f"Zed Ada {number}")
    assert (await named(club, "ada"))[0] == "Ada Lovelace"
    pages = [await page_after(club, BEGINNING)]
    while (place := pages[-1].next_place) is not None:
        pages.append(await page_after(club, place))
    seen = [each.name for page in pages for each in page.entries]
    assert [len(page.entries) for page in pages] == [3, 3, 2]
    assert seen == await named(club)


async def test_an_address_is_on_it_before_it_was_played_and_says_nothing_of_who_it_is(
    club: asyncpg.Pool,
) -> None:
    # One that another source knows, and one that nobody does, look the same.
    await add(club, "cy@example.com", "Cyrus")
    await add(club, " NEW@Example.com", "Newcomer")
    await add(club, "PRIVATE:shy@example.com", "Shy")
    ours = {each.name: each for each in await found(club)}
    assert [(ours[name].called, ours[name].player_id) for name in ("Cyrus", "Newcomer", "Shy")] == [
        ("cy@example.com", None),
        ("new@example.com", None),
        ("PRIVATE:shy@example.com", None),
    ]
    assert not {"Cyrus", "Newcomer"} & set(await named(club, source=THEIRS))
    await add(club, "new@example.com", "Nelly")
    assert (await named(club)).count("Nelly") == 1
    assert "Newcomer" not in await named(club)


async def test_once_it_is_sent_it_is_known_by_its_id_under_the_name_that_was_typed(
    club: asyncpg.Pool,
) -> None:
    await add(club, "new@example.com", "Nelly")
    await play(club, 3, OURS, new="Eleanor", ada=None)
    # It is there once, also before somebody tidies.
    assert await named(club, "nelly") == ["Nelly"]
    assert await named(club, "eleanor") == []
    await done(club, lambda c: tidy_rosters(c, now=NOW))
    (nelly,) = await found(club, "nelly")
    assert nelly.player_id == await id_of(club, "new@example.com")
    kept = await club.fetch("SELECT * FROM mahjic.roster")
    assert "new@example.com" not in repr([tuple(row) for row in kept])
    await play(club, 4, OURS, new="Eleanor Again", ada=None)
    assert await named(club, "nelly") == ["Nelly"]


async def test_an_address_that_nobody_sends_is_gone_after_thirty_days(club: asyncpg.Pool) -> None:
    await add(club, "new@example.com", "Nelly")
    await done(club, lambda c: tidy_rosters(c, now=NOW + KEPT_FOR - timedelta(seconds=1)))
    assert await named(club, "nelly") == ["Nelly"]
    await club.execute("DELETE FROM mahjic.erasures")
    await done(club, lambda c: tidy_rosters(c, now=NOW + KEPT_FOR))
    assert await named(club, "nelly") == []
    assert await club.fetchval("SELECT table_name FROM mahjic.erasures") == "roster"


async def test_renamed_and_taken_off_by_its_own_source_alone(club: asyncpg.Pool) -> None:
    ada = await id_of(club, "ada@example.com")
    await rename(club, ada, "  Countess of L. ")
    assert await named(club, "count") == ["Countess of L."]
    await play(club, 3, OURS, ada="Ada Again", bo=None)
    assert await named(club, "ada") == []
    await take_off(club, ada)
    assert await named(club, "count") == []
    assert await named(club, "count", source=THEIRS) == ["Countess"]
    await play(club, 4, OURS, ada="Ada Again", bo=None)
    assert await named(club, "ada") == []
    await add(club, "ada@example.com", "Ada, back")
    assert await named(club, "ada") == ["Ada, back"]
    await add(club, "new@example.com", "Nelly")
    (new,) = await found(club, "nelly")
    await rename(club, new.entry, "Nell")
    (new,) = await found(club, "nell")
    cy = await id_of(club, "cy@example.com")
    for source, entry in (
        (THEIRS, new.entry),
        (OURS, cy),
        (OURS, "MJ-ZZZZZZZZ"),
        (OURS, "new-999999"),
        (OURS, "new-9999999999999999999999"),
        (OURS, "new-x"),
        (OURS, "new-"),
        (OURS, "\x00"),
        (OURS, ""),
    ):
        with pytest.raises(UnknownEntry):
            await rename(club, entry, "Mine", source)
        with pytest.raises(UnknownEntry):
            await take_off(club, entry, source)
    await take_off(club, new.entry)
    assert await named(club, "nell") == []
    assert await named(club, "", THEIRS) == ["Countess", "Cy Young", None]


async def test_what_is_no_address_or_no_name_is_told_at_its_field(club: asyncpg.Pool) -> None:
    for typed, name, pointer in (
        ("nobody", "Nelly", "/email"),
        ("ANON:Nelly", "Nelly", "/email"),
        ("bob@mahjic.org", "Bob", "/email"),
        ("x" * 100_000, "Nelly", "/email"),
        ("a@example.com\x00", "Nelly", "/email"),
        ("a@example.com", "", "/name"),
        ("a@example.com", "x" * 100_000, "/name"),
        ("a@example.com", "a\u202eb", "/name"),
    ):
        with pytest.raises(UnfitEntry) as refused:
            await add(club, typed, name)
        assert [each.pointer for each in refused.value.mistakes] == [pointer]
    assert not await club.fetchval("SELECT count(*) FROM mahjic.roster")


async def test_it_holds_so_many_who_never_played(club: asyncpg.Pool) -> None:
    await club.execute(
        "INSERT INTO mahjic.roster (source, address, name, written_at)"
        " SELECT $1, n || '@example.com', 'N', $2 FROM generate_series(2, $3) AS n",
        OURS,
        NOW,
        ADDED_MAX,
    )
    await add(club, "1@example.com", "One")
    with pytest.raises(RosterFull):
        await add(club, "more@example.com", "More")
    await add(club, "more@example.com", "More", THEIRS)
    await add(club, "ada@example.com", "Ada")


async def test_private_anonymous_and_merged_people_are_there_as_the_source_knows_them(
    club: asyncpg.Pool,
) -> None:
    night = a_round({"PRIVATE:shy@example.com": 1, "ANON:Red Hat": 1, "ada": 0})
    await submit(club, 3, a_session(night, on="2026-01-20"), IDS_AND_TIMES, source=OURS)
    called = {each.called for each in await found(club)}
    assert {"PRIVATE:shy@example.com", "ANON:Red Hat"} <= called
    assert await named(club, "hat") == ["Red Hat"]
    await play(club, 4, OURS, fay="Fay", hal=None)
    await play(club, 5, THEIRS, gil="Gil", ivy=None)
    ada, fay, gil = [await id_of(club, f"{each}@example.com") for each in ("ada", "fay", "gil")]
    await merge(club, fay, ada, IDS_AND_TIMES)
    await merge(club, gil, ada, IDS_AND_TIMES)
    ours = {each.entry: each for each in await found(club)}
    assert ours[fay].player_id == ours[ada].player_id == ada
    assert gil not in ours


async def say(connection: Connection, player_id: str, choices: Choices) -> None:
    await choose(connection, await Waterline().joining(connection), player_id, choices)


async def test_a_name_that_everybody_sees_stands_where_the_source_sent_none(
    club: asyncpg.Pool,
) -> None:
    bo = await id_of(club, "bo@example.com")

    await done(club, lambda c: say(c, bo, Choices(name="Bo Derek", is_private=False)))
    assert await named(club, "derek") == ["Bo Derek"]
    await done(club, lambda c: say(c, bo, Choices(is_private=True)))
    assert await named(club, "derek") == []
    assert await named(club, "bo") == [None]


async def test_nothing_is_left_of_somebody_who_is_forgotten(club: asyncpg.Pool) -> None:
    ada = await id_of(club, "ada@example.com")
    await rename(club, ada, "Secret Countess")
    # The other source has added the address of somebody that only we sent.
    await add(club, "ann@example.com", "Secret Ann", THEIRS)
    ann = await id_of(club, "ann@example.com")
    section = RosterSection(club)
    person = WholePerson([ann], ["ann@example.com"])
    (row,) = [each async for each in section.about(person)]
    assert (row["source"], row["name"]) == (THEIRS, "Secret Ann")
    await club.execute("DELETE FROM mahjic.erasures")
    for player_id in (ada, ann):
        await forget(club, player_id)
    kept = repr([tuple(row) for row in await club.fetch("SELECT * FROM mahjic.roster")])
    assert kept == "[]"
    assert "roster" in {
        row[0] for row in await club.fetch("SELECT table_name FROM mahjic.erasures")
    }
    assert await named(club) == [None]
    with pytest.raises(UnknownEntry):
        await rename(club, ada, "Countess")


async def test_an_address_without_a_player_is_erased_by_itself(club: asyncpg.Pool) -> None:
    await add(club, "new@example.com", "Nelly")
    await done(club, lambda c: erase_from_rosters(c, (), ["new@example.com"]))
    assert await named(club, "nelly") == []


async def test_whoever_takes_their_address_away_is_not_on_it_any_more(club: asyncpg.Pool) -> None:
    async def take_away(connection: Connection) -> None:
        await detach(connection, await Waterline().joining(connection), "ada@example.com")

    await done(club, take_away)
    assert await named(club, "ada") == []
