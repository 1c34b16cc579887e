"""Whom a source has met is written once, whoever wrote it, and its name whenever it comes."""

import random
from typing import Any

import asyncpg

from services.ingest.players.acts import forget
from services.ingest.record.known import acquaintances
from services.ingest.record.known.acquaintances import MET_MAX, MetBefore
from services.ingest.record.waterline import Waterline
from tests.conftest import Database
from tests.ingest.claims import Claim, a_round, a_session
from tests.ingest.office import SOURCES, a_submission, ids_and_times_of, recording

READ = """
SELECT source, email, known.name FROM mahjic.acquaintances AS known JOIN mahjic.people
USING (player_id)
"""


def a_night(day: int, **names: str | None) -> Claim:
    played = a_round({name: won for won, name in enumerate(names)})
    for seat, name in zip(played["players"], names.values(), strict=True):
        if name is not None:
            seat["name"] = name
    return a_session(played, on=f"2026-01-{day:02d}")


async def known(pool: asyncpg.Pool) -> dict[Any, str | None]:
    rows = await pool.fetch(READ)
    return {(row["source"], row["email"].partition("@")[0]): row["name"] for row in rows}


async def test_two_processes_write_whom_each_source_met_and_the_name_it_sent_last(
    database: Database, pool: asyncpg.Pool
) -> None:
    dsn = database.dsn
    ids_and_times = ids_and_times_of(random.Random(2))
    home, away = SOURCES
    async with recording(dsn, ids_and_times) as one, recording(dsn, ids_and_times) as other:
        nights = [
            (one, home, a_night(1, ada=None, bo="Bo")),
            (other, home, a_night(2, ada="Ada", bo=None)),
            (one, home, a_night(3, ada=None, bo="Bobby")),
            (other, away, a_night(4, ada="Auntie", cy=None)),
            (one, home, a_night(5, ada="Ada B.", bo="Bo")),
            (other, home, a_night(6, ada="Ada", bo=None)),
        ]
        for number, (recorder, source, claim) in enumerate(nights):
            await recorder.record(a_submission(number, claim, source=source))
        assert await known(pool) == {
            (home, "ada"): "Ada",
            (home, "bo"): "Bo",
            (away, "ada"): "Auntie",
            (away, "cy"): None,
        }
        # Who is forgotten and comes back is somebody else, of whom the names are new.
        ada = await pool.fetchval("SELECT player_id FROM mahjic.people WHERE email LIKE 'ada@%'")
        await forget(pool, Waterline(), ada, ids_and_times)
        await one.record(a_submission(7, a_night(7, ada=None, bo=None)))
        assert await known(pool) == {
            (home, "ada"): None,
            (home, "bo"): "Bo",
            (away, "cy"): None,
        }


def test_what_is_known_is_not_asked_for_again_but_a_name_is() -> None:
    met = MetBefore()
    met.note({("a", "MJ-1"): None, ("a", "MJ-2"): "Bo"})
    named = {("a", "MJ-1"): None, ("a", "MJ-2"): "Bo", ("b", "MJ-1"): None}
    assert met.news(named) == {("a", "MJ-2"): "Bo", ("b", "MJ-1"): None}


def test_what_is_kept_is_bounded() -> None:
    met = MetBefore()
    for number in range(0, 3 * MET_MAX, 1000):
        met.note({("a", str(each)): None for each in range(number, number + 1000)})
        assert len(met._met) <= acquaintances.MET_MAX
    assert met.news({("a", str(3 * MET_MAX - 1)): None}) == {}
