"""Profiles, boards and sources after corrections, merges and voids, however the verdicts come."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import asyncpg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.projections.building.builds import create_build
from services.projections.building.digest import view_digest
from services.projections.common.tables import AttestedView
from services.projections.common.totals import ControlTotals
from services.projections.leaderboards.boards import BoardRow as BoardStanding
from services.projections.leaderboards.boards import deltas_of
from services.projections.leaderboards.project import LeaderboardsView
from services.projections.profiles.project import ProfilesView
from services.projections.sources.project import SourcesView
from services.projections.views import all_views
from shared.db.server.embedded import EmbeddedServer
from shared.events.codec import encode_verdict
from shared.events.facts import (
    FactEvent,
    PlayersMerged,
    SeatsReassigned,
    SessionCorrected,
    SessionSubmitted,
    SessionsVoided,
)
from shared.events.verdicts import Answers
from shared.feed.advancing import advance
from shared.feed.views import Build, Connection, VerdictBatch
from shared.log.memory import MemoryVerdictLog
from tests.conftest import TEMPLATE, fresh_database
from tests.corrections.histories import PLAYERS, STRANGERS, a_long_history, histories
from tests.projections.corrected_by_definition import Expected, counted, expected_after
from tests.projections.season import LOG_ID, TIME
from tests.projections.told import verdicts_of
from tests.replay_by_hand.history import merges
from tests.replay_by_hand.replay import Standing, replay

SOURCES = ("a-club", "b-league", "c-platform")
PRIVATE = {"MJ-EVE", "MJ-BO-2"}
# Somebody can be merged into one who never played.
REGISTERED = (*PLAYERS, STRANGERS[1])
# Of these seeds, each of which has every kind of correction in it.
LONG_HISTORIES = (4, 5, 12)


class Killed(Exception):
    """The process ends within the transaction of a batch."""


class Mortal:
    """A view whose process may be killed after it has written a batch and before it commits."""

    def __init__(self, view: AttestedView, chance: random.Random) -> None:
        self._view, self._chance = view, chance
        self.name, self.version, self.schema_sql = view.name, view.version, view.schema_sql

    async def apply(self, connection: Connection, schema: str, batch: VerdictBatch) -> None:
        await self._view.apply(connection, schema, batch)
        if self._chance.random() < 0.2:
            raise Killed


class History:
    """Facts, what is to be expected after each, and the verdicts on them in small parts."""

    def __init__(self, facts: Sequence[FactEvent]) -> None:
        self.facts = [elsewhere(fact, seq) for seq, fact in enumerate(facts)]
        self.answers = replay(enumerate(self.facts, start=1))
        self.so_far = list(counted(self.facts, self.answers))
        self.log = MemoryVerdictLog(LOG_ID)

    async def tell(self, players_in_part: int) -> None:
        writer = await self.log.open_writer("test")
        for fact, answer in zip(self.facts, self.answers, strict=True):
            verdicts = list(verdicts_of(fact, answer, players_in_part))
            bodies = [
                encode_verdict(
                    verdict,
                    Answers(answer.seq, bytes(32), part, len(verdicts), answer.formula, "by hand"),
                    log_id=LOG_ID,
                    time=TIME,
                    subject=fact.subject,
                )
                for part, verdict in enumerate(verdicts, start=1)
            ]
            await writer.append(bodies, fact_seq=answer.seq)

    def expected(self, fact_seq: int, public: set[str]) -> Expected:
        if fact_seq == 0:
            return Expected({}, {}, {})
        return expected_after(
            self.so_far[fact_seq - 1], self.answers[fact_seq - 1].standings, public
        )


def elsewhere(fact: FactEvent, seq: int) -> FactEvent:
    """Let a session be another source's, on another day: the histories have but one of each."""
    if isinstance(fact, SessionCorrected):
        session = elsewhere(fact.session, seq)
        assert isinstance(session, SessionSubmitted)
        return replace(fact, session=session)
    if not isinstance(fact, SessionSubmitted):
        return fact
    chance = random.Random(f"{seq} {fact.session_id}")
    day = f"2026-01-{chance.randint(1, 28):02}"
    return replace(fact, source=chance.choice(SOURCES), session_date=day)


async def register(pool: asyncpg.Pool, history: History) -> set[str]:
    """Register everybody as ingest leaves them at the end; return whom everybody may see."""
    links = merges(history.so_far[-1])
    await pool.executemany(
        "INSERT INTO mahjic.players (player_id) VALUES ($1)", [(each,) for each in REGISTERED]
    )
    await pool.executemany(
        "UPDATE mahjic.players SET merged_into = $2 WHERE player_id = $1", list(links.items())
    )
    await pool.execute(
        """INSERT INTO mahjic.sources (slug, name, type, created_at)
        SELECT slug, slug, 'club', now() FROM unnest($1::text[]) AS s (slug)""",
        list(SOURCES),
    )
    await pool.executemany(
        """INSERT INTO mahjic.people (
            player_id, email, nickname, nickname_key, nickname_source, is_private, privacy_by
        ) VALUES ($1, $2, $3, $3, $4, $5, 'source')""",
        [
            (each, None, each, "a-club", False)
            if each.startswith("AN-")
            else (each, f"{each}@example.com", None, None, each in PRIVATE)
            for each in REGISTERED
        ],
    )
    rows = await pool.fetch("SELECT player_id FROM mahjic.public_players")
    return {row["player_id"] for row in rows}


async def a_build(pool: asyncpg.Pool, view: AttestedView, history: History) -> Build:
    return await create_build(pool, view, await history.log.beginning())


async def taken_in(
    pool: asyncpg.Pool, view: AttestedView, history: History, *, seq_max: int
) -> Build:
    """Build a view in batches as large as may be, as a rebuild does."""
    build = await a_build(pool, view, history)
    totals = ControlTotals()
    while True:
        done = await advance(pool, history.log, [build], {view.name: view}, seq_max=seq_max)
        if not done.entries:
            break
        (build,) = done.builds
        totals.take_in(each.verdict for each in done.entries)
    async with pool.acquire() as connection:
        totals.check(view.name, await view.attest(connection, build.schema))
    return build


async def digest(pool: asyncpg.Pool, build: Build) -> Any:
    async with pool.acquire() as connection:
        return await view_digest(connection, build.schema)


@settings(max_examples=6, suppress_health_check=list(HealthCheck))
@given(histories(), st.integers(1, 4), st.integers(0, 2**32 - 1))
async def test_verdicts_taken_in_anyhow_leave_what_a_rebuild_leaves(
    postgres_server: EmbeddedServer, facts: list[FactEvent], players_in_part: int, seed: int
) -> None:
    """In batches of any size, killed at any batch, and at any place between."""
    chance = random.Random(seed)
    history = History(facts[:40])
    await history.tell(players_in_part)
    end = (await history.log.tail()).seq
    places = {chance.randint(1, end), chance.randint(1, end), end}
    async with fresh_database(postgres_server, template=TEMPLATE) as database:
        pool = database.pool
        await register(pool, history)
        for view in all_views():
            build = await a_build(pool, view, history)
            mortal = {view.name: Mortal(view, chance)}
            for place in sorted(places):
                while build.position.seq < place:
                    try:
                        done = await advance(
                            pool,
                            history.log,
                            [build],
                            mortal,
                            records_max=chance.choice((1, 2, 3, 8, 500)),
                            seq_max=place,
                        )
                    except Killed:
                        continue
                    (build,) = done.builds
                again = await taken_in(pool, view, history, seq_max=place)
                assert (again.position, again.fact_seq, again.correcting) == (
                    build.position,
                    build.fact_seq,
                    build.correcting,
                )
                assert await digest(pool, again) == await digest(pool, build), (view.name, place)


@pytest.mark.parametrize("seed", LONG_HISTORIES)
@pytest.mark.parametrize("players_in_part", [1, 2, 5])
async def test_no_row_ever_mixes_what_was_before_a_correction_with_what_is_after_it(
    database: Any, seed: int, players_in_part: int
) -> None:
    """After every single record; and between verdicts all rows are those by definition."""
    history = History(a_long_history(random.Random(seed), 60))
    await history.tell(players_in_part)
    pool: asyncpg.Pool = database.pool
    public = await register(pool, history)
    views: list[AttestedView] = [ProfilesView(), LeaderboardsView(), SourcesView()]
    builds = [await a_build(pool, view, history) for view in views]
    parts_seen = 0
    while True:
        done = await advance(
            pool, history.log, builds, {view.name: view for view in views}, records_max=1
        )
        if not done.entries:
            break
        builds = list(done.builds)
        (build,) = {(each.fact_seq, each.correcting) for each in builds}
        before = history.expected(build[0], public)
        after = before if build[1] is None else history.expected(build[0] + 1, public)
        parts_seen += build[1] is not None
        schemas = [each.schema for each in builds]
        await assert_rows_are_of_one_version(pool, schemas, before, after)
    assert build == (len(history.facts), None)
    assert parts_seen > 3, "A history without parts proves nothing."


async def assert_rows_are_of_one_version(
    pool: asyncpg.Pool, schemas: Sequence[str], before: Expected, after: Expected
) -> None:
    profiles, leaderboards, sources = schemas
    shown = {}
    for row in await pool.fetch(f"SELECT * FROM {profiles}.profiles"):
        standing = Standing(
            row["rating_centi"],
            row["games"],
            row["verified_rating_centi"],
            row["verified_games"],
        )
        who = row["player_id"]
        shown[who] = (
            standing,
            row["is_verified"],
            row["sessions"],
            row["mahjongs"],
            row["wall_games"],
            row["last_session_date"],
        )
    for who in shown.keys() | before.profiles.keys() & after.profiles.keys():
        versions = (before.profile(who), after.profile(who))
        assert shown.get(who, (Standing(), False, 0, 0, 0, None)) in versions, who
    await assert_boards_are_of_one_version(pool, leaderboards, before, after)
    counts = {
        row["source"]: (
            row["sessions"],
            row["rounds"],
            row["games"],
            row["players"],
            row["sessions_voided"],
            row["last_session_date"],
        )
        for row in await pool.fetch(f"SELECT * FROM {sources}.sources")
    }
    for slug in counts.keys() | before.sources.keys():
        assert counts[slug] in (before.sources.get(slug), after.sources.get(slug)), slug


async def assert_boards_are_of_one_version(
    pool: asyncpg.Pool, schema: str, before: Expected, after: Expected
) -> None:
    """Check each player's rows on all boards together, and the counts kept of them."""
    held = [
        BoardStanding(
            row["player_id"],
            row["board"],
            row["rating_centi"],
            row["verified_games"],
            row["last_session_date"],
        )
        for row in await pool.fetch(f"SELECT * FROM {schema}.standings")
    ]
    rows = {
        (each.board, each.player_id): (
            each.rating_centi,
            each.verified_games,
            each.last_session_date,
        )
        for each in held
    }
    for who in {player for _, player in rows.keys() | before.boards.keys() | after.boards.keys()}:
        mine, *versions = (
            {board: row for (board, player), row in boards.items() if player == who}
            for boards in (rows, before.boards, after.boards)
        )
        assert mine in versions, who
    deltas = deltas_of([], held)
    counts = await pool.fetch(f"SELECT board, point, members FROM {schema}.counts")
    assert {(r["board"], r["point"]): r["members"] for r in counts} == dict(deltas.members_at)
    boards = await pool.fetch(f"SELECT board, members, fingerprint FROM {schema}.boards")
    assert {r["board"]: (r["members"], r["fingerprint"]) for r in boards} == {
        board: (deltas.members[board], deltas.fingerprint[board]) for board in deltas.members
    }


def test_the_long_histories_merge_void_correct_and_reseat() -> None:
    for seed in LONG_HISTORIES:
        history = History(a_long_history(random.Random(seed), 60))
        kinds = {type(fact) for _, fact in history.so_far[-1]}
        assert {PlayersMerged, SeatsReassigned, SessionCorrected, SessionsVoided} <= kinds
