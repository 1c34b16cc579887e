"""Recorders as in several processes on one database: parallel repeats, lost connections, limits."""

import asyncio
import contextlib
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import asyncpg
import pytest

from services.ingest.record import recorder as recorder_module
from services.ingest.record.judging.identified import Submission
from services.ingest.record.judging.judgment import Accepted, Judgment, Replayed
from services.ingest.record.recorder import QueueFull, Recorder
from services.ingest.record.waterline import Writing
from shared.errors import ServiceUnavailable
from shared.log.postgres import Connection
from tests.conftest import Database
from tests.ingest.claims import a_round, a_session
from tests.ingest.office import (
    RECORDER_NAME,
    a_submission,
    facts_on,
    ids_and_times_of,
    outcome_of,
    people_on,
    recorders_that_wait,
    recording,
    the_head_locked,
    until_recorders_wait,
)
from tests.log.chances import seeded_chance
from tests.log.deadlines import deadline
from tests.log.postgres.broken_line import Loss, broken_line

RECORDERS = """
SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1
"""
# Commits of facts wait for whoever holds this lock.
HOLD_COMMITS = """
CREATE FUNCTION wait_to_commit() RETURNS trigger LANGUAGE plpgsql
AS 'BEGIN PERFORM pg_advisory_xact_lock(0); RETURN NULL; END';
CREATE CONSTRAINT TRIGGER wait_to_commit AFTER INSERT ON mahjic.facts
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait_to_commit();
"""
COPIES = 8
PROCESSES = 4
# More messages than a recording takes, from its connection to its commit.
MESSAGES = 16


def a_season(rounds: int, chance: random.Random) -> list[Submission]:
    """Return as many one-round sessions, no two alike: who played tells them apart."""
    names = [f"p{number}" for number in range(40)]
    tables = {tuple(sorted(chance.sample(names, 4))) for _ in range(2 * rounds)}
    return [
        a_submission(
            number * COPIES, a_session(a_round(dict(zip(table, (2, 1, 0, 0), strict=True))))
        )
        for number, table in enumerate(sorted(tables)[:rounds])
    ]


async def test_200_rounds_sent_8_times_in_parallel_over_4_processes_are_200_sessions(
    office: Database,
) -> None:
    chance = seeded_chance()
    sent: list[Submission] = []
    for number, first in enumerate(a_season(200, chance)):
        for copy in range(COPIES):
            # A third with one key, a third without, a third with a key of its own each.
            key = (f"{number}", None, f"{number} {copy}")[number % 3]
            again = a_submission(number * COPIES + copy, a_session(a_round(ada=1, bo=0)), key=key)
            sent.append(replace(again, session=first.session))
    chance.shuffle(sent)
    judged: dict[str, Judgment] = {}

    async def send(recorder: Recorder, submission: Submission) -> None:
        judged[submission.session_id] = await recorder.record(submission)

    async with contextlib.AsyncExitStack() as processes, deadline():
        recorders = [
            await processes.enter_async_context(
                recording(office.dsn, ids_and_times_of(random.Random(number)), group_max=50)
            )
            for number in range(PROCESSES)
        ]
        await asyncio.gather(
            *(send(recorders[number % PROCESSES], each) for number, each in enumerate(sent))
        )
    facts = await facts_on(office.pool)
    accepted = {key for key, each in judged.items() if isinstance(each, Accepted)}
    assert len(facts) == len(accepted) == 200
    assert accepted == {fact.session_id for fact in facts}
    first_by_content = {
        each.submission.session: key for key, each in judged.items() if isinstance(each, Accepted)
    }
    for judgment in judged.values():
        if isinstance(judgment, Replayed):
            assert judgment.session_id == first_by_content[judgment.submission.session]
    assert Counter(type(each) for each in judged.values()) == {Accepted: 200, Replayed: 1400}
    assert sum(isinstance(each, Replayed) and each.by_key for each in judged.values()) == 67 * 7
    players = await people_on(office.pool)
    assert len(players) == len({fact.rounds[0].players[0] for fact in facts} | set(players)) <= 40


async def test_a_judgment_names_the_players_of_the_session_it_repeats(office: Database) -> None:
    claim = a_session(a_round({"ada": 1, "ANON:Bo": 0, "bob@mahjic.org": 0}))
    async with recording(office.dsn, ids_and_times_of(random.Random(1))) as recorder, deadline():
        first = await recorder.record(a_submission(1, claim))
        again = await recorder.record(a_submission(2, claim))
    assert isinstance(first, Accepted)
    assert isinstance(again, Replayed)
    assert again.identified.player_ids == tuple(played.players for played in first.fact.rounds)


@pytest.mark.parametrize("loss", [Loss.REQUEST, Loss.ANSWER])
async def test_whatever_message_is_lost_a_session_is_recorded_once_and_answered(
    office: Database, line_folder: Path, loss: Loss
) -> None:
    played = {"ada": 1, "PRIVATE:bo@x.org": 0, "ANON:Cy": 0}
    losses: list[int] = []
    async with (
        broken_line(office.dsn, line_folder) as (line, dsn),
        recording(dsn, ids_and_times_of(random.Random(1))) as recorder,
        deadline(),
    ):
        for message in range(MESSAGES):
            claim = a_session(a_round(played), on=f"2026-01-{message + 1:02}")
            lost_before = line.losses
            line.plan((message, loss))
            judgment = await recorder.record(a_submission(message, claim, key=f"{message}"))
            line.plan()
            assert outcome_of(judgment).startswith("accepted"), message
            losses.append(line.losses - lost_before)
    # Each message was lost once, the one that commits too: the last ones were never sent.
    assert losses == sorted(losses, reverse=True)
    assert (losses[7], losses[-1]) == (1, 0)
    assert [fact.session_id for fact in await facts_on(office.pool)] == [
        a_submission(message, a_session(a_round(ada=1, bo=0))).session_id
        for message in range(MESSAGES)
    ]
    assert await office.pool.fetchval("SELECT count(*) FROM mahjic.idempotency_keys") == MESSAGES
    assert len(await people_on(office.pool)) == 3


async def test_a_commit_in_flight_while_the_line_is_cut_is_waited_for_and_answered(
    office: Database, line_folder: Path
) -> None:
    await office.pool.execute(HOLD_COMMITS)
    claim = a_session(a_round(ada=1, bo=0))
    async with (
        broken_line(office.dsn, line_folder) as (line, dsn),
        recording(dsn, ids_and_times_of(random.Random(1))) as recorder,
        office.pool.acquire() as holder,
        deadline(),
    ):
        await holder.execute("SELECT pg_advisory_lock(0)")
        recording_it = asyncio.create_task(recorder.record(a_submission(1, claim)))
        await until_recorders_wait(office.pool, 1)
        line.cut()
        # It has come again, and stands behind the commit of before.
        await until_recorders_wait(office.pool, 2)
        await holder.execute("SELECT pg_advisory_unlock(0)")
        judgment = await recording_it
    assert isinstance(judgment, Accepted)
    assert [fact.session_id for fact in await facts_on(office.pool)] == [judgment.fact.session_id]


async def test_a_change_may_take_longer_than_a_submission_and_is_tried_once(
    office: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder_module, "ATTEMPT_S_MAX", 0.1)
    attempts = 0

    async def change(connection: Connection, writing: Writing) -> int:
        nonlocal attempts
        attempts += 1
        await connection.execute("SELECT pg_sleep(0.5)")
        return writing.head.fact_seq

    async with recording(office.dsn, ids_and_times_of(random.Random(1))) as recorder, deadline():
        assert await recorder.decide(change) == 1
    assert attempts == 1


async def test_connections_killed_at_random_instants_lose_nothing_and_double_nothing(
    office: Database,
) -> None:
    chance = seeded_chance()
    season = a_season(80, chance)
    kills = 0

    async def kill() -> None:
        nonlocal kills
        while True:
            # The first as soon as there is one to kill, the others at random instants.
            if rows := await office.pool.fetch(RECORDERS, RECORDER_NAME):
                victim = chance.choice(rows)["pid"]
                kills += await office.pool.fetchval("SELECT pg_terminate_backend($1)", victim)
                # Nothing is waited for. Were they much closer together, a slow machine would
                # come to no commit at all.
                await asyncio.sleep(chance.random() * 0.25)

    async with contextlib.AsyncExitStack() as processes, deadline():
        recorders = [
            await processes.enter_async_context(
                recording(office.dsn, ids_and_times_of(random.Random(number)), group_max=2)
            )
            for number in range(PROCESSES)
        ]
        killing = asyncio.create_task(kill())
        try:
            judged = await asyncio.gather(
                *(recorders[number % PROCESSES].record(each) for number, each in enumerate(season))
            )
        finally:
            killing.cancel()
            await asyncio.wait([killing])
    assert kills > 0
    assert [outcome_of(each) for each in judged] == [
        f"accepted {each.session_id}" for each in season
    ]
    facts = await facts_on(office.pool)
    assert sorted(fact.session_id for fact in facts) == [each.session_id for each in season]
    by_session = {fact.session_id: fact for fact in facts}
    for each in judged:
        assert isinstance(each, Accepted)
        assert by_session[each.submission.session_id] == each.fact
    seqs = await office.pool.fetch("SELECT seq FROM mahjic.facts ORDER BY seq")
    assert [row["seq"] for row in seqs] == list(range(1, 82))


async def test_while_the_database_is_away_the_limit_passes_and_nothing_is_half_done(
    office: Database, line_folder: Path
) -> None:
    claim = a_session(a_round(ada=1, bo=0))
    async with (
        broken_line(office.dsn, line_folder) as (line, dsn),
        recording(dsn, ids_and_times_of(random.Random(1)), wait_s_max=0.5) as recorder,
        deadline(),
    ):
        line.plan(*[(0, Loss.REQUEST)] * 1000)
        with pytest.raises(ServiceUnavailable) as away:
            await recorder.record(a_submission(1, claim, key="k"))
        assert away.value.status == 503
        assert int(away.value.headers["Retry-After"]) > 0
        assert await facts_on(office.pool) == []
        assert await people_on(office.pool) == {}
        line.plan()
        judgment = await recorder.record(a_submission(2, claim, key="k"))
        assert outcome_of(judgment).startswith("accepted")


async def test_a_queue_that_is_full_refuses_at_once_and_empties_when_it_can(
    office: Database,
) -> None:
    submissions = [
        a_submission(number, a_session(a_round(ada=number + 1, bo=0))) for number in range(6)
    ]

    async with (
        recording(
            office.dsn, ids_and_times_of(random.Random(1)), group_max=1, queue_max=3
        ) as recorder,
        deadline(),
    ):
        async with the_head_locked(office.pool):
            waiting = [asyncio.create_task(recorder.record(submissions[0]))]
            await until_recorders_wait(office.pool, 1)
            waiting += [asyncio.create_task(recorder.record(each)) for each in submissions[1:4]]
            await asyncio.sleep(0)  # Each has a turn, and stands in the queue.
            for late in submissions[4:]:
                with pytest.raises(QueueFull) as full:
                    await recorder.record(late)
                assert full.value.status == 503
                assert int(full.value.headers["Retry-After"]) > 0
        judged = await asyncio.gather(*waiting)
    assert [outcome_of(each) for each in judged] == [
        f"accepted {each.session_id}" for each in submissions[:4]
    ]
    assert len(await facts_on(office.pool)) == 4


async def test_a_submission_that_the_database_refuses_harms_no_other(office: Database) -> None:
    good = [a_submission(number, a_session(a_round(ada=number + 1, bo=0))) for number in range(5)]
    # A source that is not on record: its foreign key is refused.
    bad = a_submission(9, a_session(a_round(ada=9, bo=9)), source="nobody-knows")
    async with recording(office.dsn, ids_and_times_of(random.Random(1))) as recorder, deadline():
        judged = await asyncio.gather(
            *(recorder.record(each) for each in [*good[:3], bad, *good[3:]]), return_exceptions=True
        )
        assert isinstance(judged.pop(3), asyncpg.ForeignKeyViolationError)
        assert [outcome_of(each) for each in judged if not isinstance(each, BaseException)] == [
            f"accepted {each.session_id}" for each in good
        ]
        later = await recorder.record(a_submission(10, a_session(a_round(ada=10, bo=0))))
    assert outcome_of(later).startswith("accepted")
    assert len(await facts_on(office.pool)) == 6


async def test_who_waits_is_told_in_time_though_an_attempt_hangs_for_longer(
    office: Database,
) -> None:
    ids_and_times = ids_and_times_of(random.Random(1))
    async with (
        recording(office.dsn, ids_and_times, wait_s_max=0.2) as recorder,
        deadline(),
        the_head_locked(office.pool),
    ):
        with pytest.raises(ServiceUnavailable):
            await recorder.record(a_submission(1, a_session(a_round(ada=1, bo=0))))
        assert await recorders_that_wait(office.pool) == 1


async def test_somebody_who_no_longer_waits_is_not_recorded(office: Database) -> None:
    async with recording(office.dsn, ids_and_times_of(random.Random(1)), group_max=1) as recorder:
        async with deadline(), the_head_locked(office.pool):
            first = asyncio.create_task(
                recorder.record(a_submission(1, a_session(a_round(ada=1, bo=0))))
            )
            second = asyncio.create_task(
                recorder.record(a_submission(2, a_session(a_round(ada=2, bo=0))))
            )
            await asyncio.sleep(0)
            second.cancel()
        async with deadline():
            assert outcome_of(await first).startswith("accepted")
            await recorder.record(a_submission(3, a_session(a_round(ada=3, bo=0))))
    sessions = [fact.session_id for fact in await facts_on(office.pool)]
    assert len(sessions) == 2
    assert a_submission(2, a_session(a_round(ada=2, bo=0))).session_id not in sessions


async def test_a_recorder_that_stops_tells_everybody_who_waits(office: Database) -> None:
    async with the_head_locked(office.pool):
        async with recording(
            office.dsn, ids_and_times_of(random.Random(1)), group_max=1
        ) as recorder:
            waiting = [
                asyncio.create_task(
                    recorder.record(a_submission(number, a_session(a_round(ada=number + 1, bo=0))))
                )
                for number in range(3)
            ]
            await asyncio.sleep(0)
        async with deadline():
            ends = await asyncio.gather(*waiting, return_exceptions=True)
        with pytest.raises(ServiceUnavailable):
            await recorder.record(a_submission(4, a_session(a_round(ada=4, bo=0))))
    assert [type(each) for each in ends] == [ServiceUnavailable] * 3
    assert await facts_on(office.pool) == []
