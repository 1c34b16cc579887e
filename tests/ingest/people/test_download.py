"""Everything that is stored about a player, as one document: all of it, and nothing of others."""

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import asyncpg
import pytest

from services.ingest.people import download
from services.ingest.people.choices import Choices, choose
from services.ingest.people.disputes import dispute
from services.ingest.people.download import Section, everything_about
from services.ingest.people.own_merges import merge_own
from services.ingest.players.acts import forget
from services.ingest.players.grouped import WholePerson, find_person
from services.ingest.record.ids_and_times import timestamp_of
from services.ingest.record.waterline import Waterline
from shared.errors import UnknownPlayer
from shared.log.postgres import Connection
from tests.ingest.changes.linking.merges import (
    all_on_record,
    id_of,
    merge,
    session,
    submit,
    void,
)
from tests.ingest.claims import a_round, a_session
from tests.ingest.office import NOW, SOURCES
from tests.ingest.people.asking import IDS_AND_TIMES, written


class Logins:
    """What another room may have stored."""

    name = "logins"

    async def about(self, person: WholePerson) -> AsyncIterator[Any]:
        for each in person.addresses:
            yield {"address": each}


async def pieces_of(
    pool: asyncpg.Pool, player_ids: Sequence[str], sections: Sequence[Section] = ()
) -> list[bytes]:
    """Return the document in the pieces that it comes in."""
    async with pool.acquire() as connection:
        groups = [await find_person(connection, each) for each in player_ids]
        members = [each for group in groups for each in group.members]
        emails = [await email_of(connection, each) for each in members]
    document = await everything_about(
        pool, player_ids, now=NOW, addresses=emails, sections=sections
    )
    return [piece async for piece in document]


async def email_of(connection: Connection, player_id: str) -> str:
    return str(
        await connection.fetchval("SELECT email FROM mahjic.people WHERE player_id = $1", player_id)
    )


async def downloaded(
    pool: asyncpg.Pool, player_id: str, sections: Sequence[Section] = ()
) -> tuple[dict[str, Any], list[bytes]]:
    """Return what is told of a player and in the lists beside, and the pieces of the document."""
    pieces = await pieces_of(pool, [player_id], sections)
    document = json.loads(b"".join(pieces))
    (player,) = document.pop("players")
    assert document.keys() == {"made_at"} | {section.name for section in sections}
    return {**player, **document}, pieces


async def some_history(pool: asyncpg.Pool) -> str:
    """Let Ada play under two addresses, beside people of every kind, and say things about it."""
    played = a_round(
        {"ada": 2, "bo": 1, "PRIVATE:hidden@example.com": 0, "ANON:Lucky": 0},
        wall_games=1,
        points=[125.5, -25.5, -50, -50],
    )
    played["players"][0]["name"] = "Ada L."
    played["players"][1]["name"] = "Bo's name"
    apart = a_round({"bo": 1, "cy": 0}, points=[25, -25])
    night = a_session(played, apart, on="2026-01-01", game_type="league")
    await submit(pool, 1, night, IDS_AND_TIMES)
    social = a_session(a_round({"PRIVATE:ada@work.example": 1, "bob@mahjic.org": 0, "dee": 1}))
    await submit(pool, 2, social, IDS_AND_TIMES, source=SOURCES[1])
    ada = await id_of(pool, "ada@example.com")
    other = await id_of(pool, "ada@work.example")
    # Dee is read as Bo, whom everybody may see.
    bo = await id_of(pool, "bo@example.com")
    await merge(pool, await id_of(pool, "dee@example.com"), bo, IDS_AND_TIMES)
    await written(pool, lambda c, w: merge_own(c, w, other, ada, IDS_AND_TIMES, is_private=True))
    await written(pool, lambda c, w: choose(c, w, ada, Choices("Ada", "west")))
    async with pool.acquire() as connection, connection.transaction():
        await dispute(connection, ada, session(1), "Not me.", now=NOW)
        await dispute(connection, bo, session(1), "Not Bo either.", now=NOW)
    await void(pool, 2)
    return ada


async def test_it_is_all_there(pool: asyncpg.Pool) -> None:
    ada = await some_history(pool)
    other = await id_of(pool, "ada@work.example")
    told, _ = await downloaded(pool, other, [Logins()])
    assert told["mahjic_id"] == ada
    assert (told["name"], told["region"], told["privacy"], told["privacy_by"]) == (
        "Ada",
        "west",
        "private",
        "player",
    )
    assert {each["player_id"]: each["address"] for each in told["ids"]} == {
        ada: "ada@example.com",
        other: "ada@work.example",
    }
    assert told["offered_names"] == [
        {"name": "Ada L.", "source": "a-club", "source_name": "A-Club"}
    ]
    assert {(each["source"], each["name"]) for each in told["sources"]} == {
        ("a-club", "Ada L."),
        ("b-club", None),
    }
    assert told["said_private_by"] == [{"player_id": other, "source": "b-club"}]
    assert [
        (each["player_id"], each["merged_into"], each["by_yourself"]) for each in told["merges"]
    ] == [(other, ada, True)]
    assert [(each["session_id"], each["said"], each["state"]) for each in told["disputes"]] == [
        (session(1), "Not me.", "open")
    ]
    assert {each["address"] for each in told["logins"]} == {"ada@example.com", "ada@work.example"}


async def test_every_session_is_there_with_the_own_seat_and_those_whom_everybody_may_see(
    pool: asyncpg.Pool,
) -> None:
    ada = await some_history(pool)
    bo = await id_of(pool, "bo@example.com")
    told, _ = await downloaded(pool, ada)
    league, social = told["sessions"]
    assert (league["session_id"], league["status"], league["game_type"]) == (
        session(1),
        "accepted",
        "league",
    )
    # The round without Ada is left out, and of the table only Bo shows to everybody.
    assert league["rounds"] == [
        {
            "round": 1,
            "games_played": 4,
            "wall_games": 1,
            "mahjongs": 2,
            "points": 125.5,
            "with": [bo],
            "with_others": 2,
        }
    ]
    assert (social["status"], social["source"]) == ("voided", "b-club")
    assert social["rounds"][0] == {
        "round": 1,
        "games_played": 2,
        "wall_games": 0,
        "mahjongs": 1,
        "points": None,
        "with": [bo],
        "with_others": 1,
    }


async def test_nothing_of_others_is_in_it(pool: asyncpg.Pool) -> None:
    ada = await some_history(pool)
    _, pieces = await downloaded(pool, ada)
    text = b"".join(pieces).decode()
    rows = await pool.fetch("SELECT player_id, email, nickname FROM mahjic.people")
    shown = {ada, await id_of(pool, "ada@work.example"), await id_of(pool, "bo@example.com")}
    for row in rows:
        if row["player_id"] not in shown:
            assert row["player_id"] not in text
    for secret in ("bo@", "hidden@", "Lucky", "Bo's", "Not Bo", "cy@", "dee@"):
        assert secret not in text


async def test_nothing_about_the_person_is_left_out(pool: asyncpg.Pool) -> None:
    """Every text in every table that is in a row about the person is in the document."""
    ada = await some_history(pool)
    ids = {ada, await id_of(pool, "ada@work.example")}
    told, _ = await downloaded(pool, ada)
    text = json.dumps(told, ensure_ascii=False)
    tables = await all_on_record(pool)
    kept_elsewhere = {"players", "people_changes", "seats"}  # The ids themselves, and sessions.
    for table, rows in tables.items():
        for row in rows if table not in kept_elsewhere else ():
            if ids & {each for each in row if isinstance(each, str)}:
                for each in row:
                    if isinstance(each, str):
                        assert each in text, f"{each} of {table} is not in the download."


async def test_a_long_history_comes_in_pieces_and_whole(
    pool: asyncpg.Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "SESSIONS_AT_ONCE", 3)
    for number in range(10):
        night = a_session(a_round({"ada": 1, f"x{number}": 0}), on=f"2026-01-{number + 1:02}")
        await submit(pool, number, night, IDS_AND_TIMES)
    told, pieces = await downloaded(pool, await id_of(pool, "ada@example.com"))
    assert [each["session_id"] for each in told["sessions"]] == [session(n) for n in range(10)]
    assert max(map(len, pieces)) < len(b"".join(pieces)) / 3


async def test_no_connection_is_held_while_the_reader_is_slow(pool: asyncpg.Pool) -> None:
    ada = await some_history(pool)
    async for _ in await everything_about(pool, [ada], now=NOW):
        assert pool.get_size() == pool.get_idle_size()


async def test_there_is_nothing_about_the_unknown_the_anonymous_and_the_forgotten(
    pool: asyncpg.Pool,
) -> None:
    ada = await some_history(pool)
    lucky = await pool.fetchval("SELECT player_id FROM mahjic.people WHERE nickname IS NOT NULL")
    await forget(pool, Waterline(), ada, IDS_AND_TIMES)
    for each in (ada, lucky, "MJ-7K3Q9XZM", "BOB"):
        with pytest.raises(UnknownPlayer):
            await everything_about(pool, [each], now=NOW)


async def test_somebody_of_two_players_or_of_none_gets_one_document_too(
    pool: asyncpg.Pool,
) -> None:
    ada = await some_history(pool)
    cy = await id_of(pool, "cy@example.com")
    document = json.loads(b"".join(await pieces_of(pool, [ada, cy], [Logins()])))
    assert [each["mahjic_id"] for each in document["players"]] == [ada, cy]
    assert [len(each["sessions"]) for each in document["players"]] == [2, 1]
    assert len(document["logins"]) == 3
    assert json.loads(b"".join(await pieces_of(pool, []))) == {
        "made_at": timestamp_of(NOW),
        "players": [],
    }
