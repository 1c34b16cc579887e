"""Whatever message between us and PostgreSQL is lost, a change is written once and answered."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from services.ingest.changes.adoptions import adopt_formula
from services.ingest.changes.answering import ChangeAnswer, ChangePorts
from services.ingest.changes.corrections import AskedCorrection, correct_session
from services.ingest.changes.voids import Voiding, void_session, void_sessions
from services.ingest.record.judging.judgment import Accepted
from shared.errors import ServiceUnavailable
from tests.conftest import Database
from tests.ingest.changes.asking import ports_on
from tests.ingest.claims import a_round, a_session
from tests.ingest.office import a_submission, ids_and_times_of, recorder_of, recording
from tests.log.deadlines import deadline
from tests.log.postgres.broken_line import BrokenLine, Loss, broken_line

# More messages than a change takes, from its connection to its commit.
MESSAGES = 30
IDS_AND_TIMES = ids_and_times_of(random.Random(1))

Act = Callable[[int, str, ChangePorts], Awaitable[ChangeAnswer[Any]]]


@asynccontextmanager
async def breaking_office(
    office: Database, folder: Path, *, wait_s_max: float = 60.0
) -> AsyncIterator[tuple[BrokenLine, ChangePorts]]:
    """Give what changes need, on a recorder whose line breaks as planned."""
    async with (
        broken_line(office.dsn, folder) as (line, dsn),
        recording(dsn, IDS_AND_TIMES, wait_s_max=wait_s_max) as recorder,
        deadline(),
    ):
        yield line, ports_on(recorder, IDS_AND_TIMES)


async def void(number: int, session_id: str, ports: ChangePorts) -> ChangeAnswer[Any]:
    voiding = Voiding((session_id,), "other", f"Note {number}.", "a-club", b"key %d" % number)
    return await void_session(voiding, wait_s=0, ports=ports)


async def void_by_operator(_: int, session_id: str, ports: ChangePorts) -> ChangeAnswer[Any]:
    voiding = Voiding((session_id,), "other", None, None)
    return await void_sessions(voiding, wait_s=0, ports=ports)


async def correct(number: int, session_id: str, ports: ChangePorts) -> ChangeAnswer[Any]:
    claim = a_session(a_round({"ada": 0, f"PRIVATE:p{number}@x.org": 1, "ANON:Cy": 0}))
    submission = a_submission(1000 + number, claim, key=f"{number}")
    correction = AskedCorrection(session_id, submission, "other", f"Note {number}.", "a-club")
    return await correct_session(correction, wait_s=0, ports=ports)


async def adopt(number: int, _: str, ports: ChangePorts) -> ChangeAnswer[Any]:
    name = ("mahjic-elo/1", "mahjic-elo/2-scaled")[number % 2]
    return await adopt_formula(name, "beginning", wait_s=0, ports=ports)


@pytest.mark.parametrize("loss", [Loss.REQUEST, Loss.ANSWER])
@pytest.mark.parametrize("act", [void, void_by_operator, correct, adopt])
async def test_whatever_message_is_lost_a_change_is_written_once_and_is_no_replay(
    office: Database, line_folder: Path, act: Act, loss: Loss
) -> None:
    losses: list[int] = []
    answers: list[ChangeAnswer[Any]] = []
    async with breaking_office(office, line_folder) as (line, ports):
        for number in range(MESSAGES):
            day = f"2026-01-{number + 1:02}"
            submission = a_submission(number, a_session(a_round(ada=1, bo=0), on=day))
            assert isinstance(await recorder_of(ports).record(submission), Accepted)
            lost_before = line.losses
            line.plan((number, loss))
            answers.append(await act(number, submission.session_id, ports))
            line.plan()
            losses.append(line.losses - lost_before)
    # Each message was lost once, the one that commits too: the last ones were never sent.
    assert losses == sorted(losses, reverse=True)
    assert (losses[4], losses[-1]) == (1, 0)
    assert not any(each.is_replayed for each in answers)
    # One fact each, at the place that the answer tells.
    seqs = await office.pool.fetch("SELECT seq FROM mahjic.facts ORDER BY seq")
    assert [row["seq"] for row in seqs] == list(range(1, 2 * MESSAGES + 2))
    assert [each.body["fact_seq"] for each in answers] == list(range(3, 2 * MESSAGES + 2, 2))
    kept = await counts(office.pool)
    assert kept["notes"] == (MESSAGES if act in {void, correct} else 0)
    assert kept["keys"] == (MESSAGES if act in {void, correct} else 0)
    assert kept["live"] == (0 if act in {void, void_by_operator} else MESSAGES)


async def test_while_the_database_is_away_the_limit_passes_and_nothing_is_changed(
    office: Database, line_folder: Path
) -> None:
    async with breaking_office(office, line_folder, wait_s_max=0.5) as (line, ports):
        submission = a_submission(1, a_session(a_round(ada=1, bo=0)))
        await recorder_of(ports).record(submission)
        line.plan(*[(0, Loss.REQUEST)] * 1000)
        with pytest.raises(ServiceUnavailable):
            await void(1, submission.session_id, ports)
        line.plan()
        assert (await counts(office.pool))["live"] == 1
        answer = await void(1, submission.session_id, ports)
        assert (answer.is_replayed, answer.body["fact_seq"]) == (False, 3)


async def test_a_change_that_is_refused_fails_none_beside_it(
    office: Database, line_folder: Path
) -> None:
    async with breaking_office(office, line_folder) as (_, ports):
        submissions = [
            a_submission(number, a_session(a_round(ada=number + 1, bo=0))) for number in range(8)
        ]
        for each in submissions[:4]:
            await recorder_of(ports).record(each)
        ends = await asyncio.gather(
            *(void(number, each.session_id, ports) for number, each in enumerate(submissions)),
            *(recorder_of(ports).record(each) for each in submissions[4:]),
            return_exceptions=True,
        )
    voided = ends[:8]
    assert [isinstance(each, ChangeAnswer) for each in voided] == [True] * 4 + [False] * 4
    assert all(isinstance(each, Accepted) for each in ends[8:])
    assert (await counts(office.pool))["live"] == 4


async def counts(pool: asyncpg.Pool) -> dict[str, int]:
    """Return how many notes, keys and sessions that count there are."""
    row = await pool.fetchrow(
        """SELECT (SELECT count(*) FROM mahjic.notes) AS notes,
            (SELECT count(*) FROM mahjic.idempotency_keys) AS keys,
            (SELECT count(*) FROM mahjic.submissions WHERE status = 'accepted') AS live"""
    )
    assert row is not None
    return dict(row)
