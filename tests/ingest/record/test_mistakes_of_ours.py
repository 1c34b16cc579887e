"""A mistake of ours costs the one request that meets it; everyone else is recorded as ever."""

import asyncio
import random
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any

import asyncpg
import pytest

from services.ingest.record.judging.identified import Submission
from services.ingest.record.known.acquaintances import MetBefore, Named
from services.ingest.record.recorder import Recorder
from services.ingest.record.waterline import Writing
from shared.log.postgres import Connection
from tests.conftest import Database
from tests.ingest.claims import a_round, a_session
from tests.ingest.office import a_submission, facts_on, ids_and_times_of, outcome_of, recording
from tests.log.deadlines import deadline

FITS_NO_COLUMN: Any = 7


def recording_for_long(office: Database) -> AbstractAsyncContextManager[Recorder]:
    """Run a recorder that would try again for longer than a test waits."""
    return recording(office.dsn, ids_and_times_of(random.Random(1)), wait_s_max=3600)


def played(number: int) -> Submission:
    return a_submission(number, a_session(a_round(ada=number + 1, bo=0)))


def without_a_session(number: int) -> Submission:
    nothing: Any = None
    return replace(played(number), session=nothing)


def with_an_id_that_fits_no_column(number: int) -> Submission:
    return replace(played(number), session_id=FITS_NO_COLUMN)


async def a_decision_that_fails(recorder: Recorder) -> None:
    async def change(_: Connection, writing: Writing) -> None:
        assert writing.head.fact_seq < 0, "A mistake of ours."

    await recorder.decide(change)


async def a_question_that_fits_no_column(recorder: Recorder) -> None:
    async def change(connection: Connection, _: Writing) -> None:
        await connection.fetch("SELECT 1 FROM mahjic.facts WHERE seq = $1", "one")

    await recorder.decide(change)


@pytest.mark.parametrize("spoiled", [without_a_session, with_an_id_that_fits_no_column])
async def test_a_submission_that_we_fail_at_harms_no_other(
    office: Database, spoiled: Callable[[int], Submission]
) -> None:
    sent = [*map(played, range(3)), spoiled(3), *map(played, range(4, 6))]
    async with recording_for_long(office) as recorder, deadline():
        judged = await asyncio.gather(*map(recorder.record, sent), return_exceptions=True)
        assert isinstance(judged[3], (AttributeError, asyncpg.DataError))
        good = [each for each in judged if not isinstance(each, BaseException)]
        later = await recorder.record(played(6))
    assert [outcome_of(each) for each in [*good, later]] == [
        f"accepted {played(number).session_id}" for number in (0, 1, 2, 4, 5, 6)
    ]
    assert len(await facts_on(office.pool)) == 6


@pytest.mark.parametrize("fail", [a_decision_that_fails, a_question_that_fits_no_column])
async def test_a_change_that_we_fail_at_is_told_at_once_and_the_next_request_is_recorded(
    office: Database, fail: Callable[[Recorder], Any]
) -> None:
    async with recording_for_long(office) as recorder, deadline():
        for _ in range(3):
            with pytest.raises((AssertionError, asyncpg.DataError)):
                await fail(recorder)
        assert outcome_of(await recorder.record(played(1))).startswith("accepted")
    assert len(await facts_on(office.pool)) == 1


@pytest.mark.parametrize("sent", [1, 4])
async def test_what_was_committed_when_we_failed_is_not_recorded_again(
    office: Database, monkeypatch: pytest.MonkeyPatch, sent: int
) -> None:
    note = MetBefore.note
    failures = 0

    def fail_once(self: MetBefore, named: Named) -> None:
        nonlocal failures
        failures += 1
        assert failures > 1, "A mistake of ours, after the commit."
        note(self, named)

    monkeypatch.setattr(MetBefore, "note", fail_once)
    submissions = [played(number) for number in range(sent)]
    async with recording_for_long(office) as recorder, deadline():
        judged = await asyncio.gather(*map(recorder.record, submissions), return_exceptions=True)
        told = [each for each in judged if not isinstance(each, BaseException)]
        assert [outcome_of(each) for each in told] == [
            f"accepted {each.session_id}" for each in submissions if sent > 1
        ]
        again = await recorder.record(a_submission(99, a_session(a_round(ada=1, bo=0))))
    assert outcome_of(again) == f"replayed {submissions[0].session_id} (accepted) by content"
    assert [fact.session_id for fact in await facts_on(office.pool)] == [
        each.session_id for each in submissions
    ]
