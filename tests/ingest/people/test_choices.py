"""Names, regions and privacy that people choose, and the addresses by which they are known."""

from typing import Any

import asyncpg
import pytest

from services.ingest.claim.people import read_person
from services.ingest.people.about_oneself import OfferedName
from services.ingest.people.choices import NOTHING, Choices, UnfitRegion, choose
from services.ingest.people.own_addresses import CannotBeClaimed, claim, detach, player_of
from services.ingest.players.acts import register, set_privacy
from services.ingest.record.waterline import Waterline
from shared.db.erasing import clean_erased
from shared.errors import UnknownPlayer
from shared.own_words.public_names import UnfitName
from tests.ingest.changes.linking.merges import all_on_record, id_of, merge, submit, unmerge
from tests.ingest.claims import a_round, a_session
from tests.ingest.office import SOURCES
from tests.ingest.people.asking import (
    IDS_AND_TIMES,
    changed_since,
    own,
    people_seq,
    public,
    written,
)


@pytest.fixture
async def ada(pool: asyncpg.Pool) -> str:
    """Return the id of Ada, whom two clubs have named, after she played with Bo."""
    for number, (source, name) in enumerate(zip(SOURCES, ("Ada L.", "ada@home"), strict=True)):
        played = a_round(ada=1, bo=0)
        played["players"][0]["name"] = name
        day = f"2026-01-{10 + number}"
        await submit(pool, number, a_session(played, on=day), IDS_AND_TIMES, source=source)
    return await id_of(pool, "ada@example.com")


async def say(pool: asyncpg.Pool, player_id: str, **choices: Any) -> None:
    await written(pool, lambda c, w: choose(c, w, player_id, Choices(**choices)))


async def test_a_name_and_region_are_shown_to_everybody_from_the_same_moment(
    pool: asyncpg.Pool, ada: str
) -> None:
    bo = await id_of(pool, "bo@example.com")
    seq = await people_seq(pool)
    await say(pool, ada, name="  Ada   Lovelace ", region="west")
    assert await public(pool) == {ada: ("Ada Lovelace", "west"), bo: (None, None)}
    assert await changed_since(pool, seq) == [ada]
    seq = await people_seq(pool)
    await say(pool, ada, name="Ada Lovelace", region="west")
    assert await changed_since(pool, seq) == []
    await say(pool, ada, region=NOTHING)
    assert (await public(pool))[ada] == ("Ada Lovelace", None)
    await say(pool, ada, name=NOTHING)
    assert (await public(pool))[ada] == (None, None)
    assert "people" in {
        row[0] for row in await pool.fetch("SELECT table_name FROM mahjic.erasures")
    }


async def test_names_are_offered_with_the_source_that_sent_them(
    pool: asyncpg.Pool, ada: str
) -> None:
    told = await own(pool, ada)
    assert list(told.offered_names) == [
        OfferedName("Ada L.", "a-club", "A-Club"),
        OfferedName("ada@home", "b-club", "B-Club"),
    ]
    assert (told.name, told.region, told.is_private, told.privacy_by) == (
        None,
        None,
        False,
        "source",
    )
    # A name of old times no longer has a source; it is offered all the same.
    await pool.execute("UPDATE mahjic.people SET offered_name = 'A. L.' WHERE player_id = $1", ada)
    assert (await own(pool, ada)).offered_names[-1] == OfferedName("A. L.")


@pytest.mark.parametrize(
    ("choices", "refused"),
    [
        ({"name": "MJ-7K3Q9XZM", "is_private": True}, UnfitName),
        ({"name": "A"}, UnfitName),
        ({"name": "Ada", "region": "ohio"}, UnfitRegion),
        ({"name": "Ada", "region": "West"}, UnfitRegion),
    ],
)
async def test_a_refusal_writes_nothing_of_what_was_chosen(
    pool: asyncpg.Pool, ada: str, choices: dict[str, Any], refused: type[Exception]
) -> None:
    before = await all_on_record(pool)
    with pytest.raises(refused):
        await say(pool, ada, **choices)
    assert await all_on_record(pool) == before


async def test_nobody_chooses_for_an_anonymous_an_unknown_or_a_forgotten_player(
    pool: asyncpg.Pool,
) -> None:
    await submit(pool, 1, a_session(a_round({"ANON:Lucky": 1, "bo": 0})), IDS_AND_TIMES)
    lucky = await pool.fetchval("SELECT player_id FROM mahjic.people WHERE nickname IS NOT NULL")
    for each in (lucky, "MJ-7K3Q9XZM", "BOB"):
        with pytest.raises(UnknownPlayer):
            await say(pool, each, name="Somebody")


@pytest.mark.parametrize("said_before", ["normal", "private", None])
async def test_the_players_word_on_privacy_stands_against_every_source(
    pool: asyncpg.Pool, ada: str, said_before: Any
) -> None:
    if said_before is not None:
        await set_privacy(pool, Waterline(), ada, said_before)
    for number, is_private in enumerate((True, False)):
        await say(pool, ada, is_private=is_private)
        day = f"2026-02-{10 + number}"
        for source in SOURCES:
            played = a_session(a_round({"PRIVATE:ada@example.com": 1, f"{source}": 0}), on=day)
            number_of = 10 * number + SOURCES.index(source) + 10
            await submit(pool, number_of, played, IDS_AND_TIMES, source=source)
        told = await own(pool, ada)
        assert (told.is_private, told.privacy_by) == (is_private, "player")
        assert (ada in await public(pool)) is not is_private


async def test_all_ids_of_a_person_are_hidden_at_once_and_one_private_id_hides_all(
    pool: asyncpg.Pool, ada: str
) -> None:
    other = (
        await register(pool, Waterline(), read_person("PRIVATE:a@work.example"), IDS_AND_TIMES)
    ).player_id
    await merge(pool, other, ada, IDS_AND_TIMES)
    told = await own(pool, other)
    assert (told.player_id, told.merged, told.is_private) == (ada, [other], True)
    seq = await people_seq(pool)
    await say(pool, other, name="Ada", is_private=False)
    assert (await public(pool))[ada][0] == "Ada"
    assert set(await changed_since(pool, seq)) == {ada, other}
    # What the survivor chose is not the other's, should they be two people again.
    await unmerge(pool, other, IDS_AND_TIMES)
    assert (await public(pool))[other] == (None, None)


async def test_an_address_that_nobody_sent_has_a_player_once_it_is_claimed_and_is_found_later(
    pool: asyncpg.Pool,
) -> None:
    address = "new@example.com"
    async with pool.acquire() as connection:
        assert await player_of(connection, address) is None
    first, again = [
        await written(pool, lambda c, w: claim(c, w, address, IDS_AND_TIMES)) for _ in range(2)
    ]
    assert (first.is_new, again.is_new, again.player_id) == (True, False, first.player_id)
    await say(pool, first.player_id, name="Newt", is_private=True)
    await submit(pool, 1, a_session(a_round(new=1, bo=0)), IDS_AND_TIMES)
    assert await id_of(pool, address) == first.player_id
    async with pool.acquire() as connection:
        assert await player_of(connection, "NEW@Example.com") == first.player_id
    assert (await own(pool, first.player_id)).privacy_by == "player"


async def test_a_merged_address_is_its_survivor(pool: asyncpg.Pool, ada: str) -> None:
    eve = await written(pool, lambda c, w: claim(c, w, "eve@example.com", IDS_AND_TIMES))
    await merge(pool, ada, eve.player_id, IDS_AND_TIMES)
    again = await written(pool, lambda c, w: claim(c, w, "ada@example.com", IDS_AND_TIMES))
    assert (again.player_id, again.is_new) == (eve.player_id, False)


async def test_bob_is_claimed_by_nobody(pool: asyncpg.Pool) -> None:
    with pytest.raises(CannotBeClaimed):
        await written(pool, lambda c, w: claim(c, w, "bob@mahjic.org", IDS_AND_TIMES))
    assert await pool.fetchval("SELECT count(*) FROM mahjic.players") == 0


async def test_a_detached_address_leaves_the_player_and_is_somebody_new_later(
    pool: asyncpg.Pool, ada: str
) -> None:
    await say(pool, ada, name="Ada", is_private=False)
    seq = await people_seq(pool)
    await written(pool, lambda c, w: detach(c, w, "Ada@example.com"))
    assert await changed_since(pool, seq) == [ada]
    assert (await public(pool))[ada] == ("Ada", None)
    await say(pool, ada, region="west")
    assert (await public(pool))[ada] == ("Ada", "west")
    await submit(pool, 9, a_session(a_round(ada=1, cy=0), on="2026-01-20"), IDS_AND_TIMES)
    assert await id_of(pool, "ada@example.com") != ada
    before = await all_on_record(pool)
    await written(pool, lambda c, w: detach(c, w, "nobody@example.com"))
    assert await all_on_record(pool) == before


async def test_a_detached_address_is_in_no_file_of_the_table(pool: asyncpg.Pool, ada: str) -> None:
    await clean_erased(pool)
    await written(pool, lambda c, w: detach(c, w, "ada@example.com"))
    cleaned, _ = await clean_erased(pool)
    assert cleaned == ["people"]
    assert not [
        row for row in await pool.fetch("SELECT * FROM mahjic.people") if "ada@" in str(row)
    ]


async def test_claiming_and_choosing_in_one_transaction_tells_the_views_of_both(
    pool: asyncpg.Pool,
) -> None:
    seq = await people_seq(pool)

    async def both(connection: Any, writing: Any) -> str:
        found = await claim(connection, writing, "new@example.com", IDS_AND_TIMES)
        await choose(connection, writing, found.player_id, Choices("Newt", "west", is_private=True))
        return found.player_id

    newt = await written(pool, both)
    assert await changed_since(pool, seq) == [newt, newt, newt]
