"""A correction that lasts holds up neither another rater nor whoever wants this one to end."""

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from services.rater import answering
from services.rater.correct import correct
from services.rater.worker import run_rater
from shared.db.bell import Bell
from shared.db.pool import open_pool
from shared.events.facts import FactEvent, SessionsVoided
from shared.log.port import WriterReplaced
from shared.log.postgres import PostgresVerdictLog
from shared.log.right import RatingTakenOver
from tests.conftest import Database
from tests.log.adapters import Logs
from tests.log.deadlines import deadline, until
from tests.rater.running import all_bodies, canceled, error_of, until_answered
from tests.rater.stories import ADOPTED, ENGINE, a_round, a_session, answered, fact_bodies

FACTS: list[FactEvent] = [
    ADOPTED,
    a_session(a_round({"MJ-ADA": 2, "MJ-BO": 1}), name="s-1"),
    a_session(a_round({"MJ-BO": 2, "MJ-CLEO": 1}), name="s-2"),
    SessionsVoided(("s-1",), "not_played"),
]
VICTIM = "mahjic with a long correction"


class EndlessOnce:
    """The correction, but for the first one, which lasts until somebody stops it."""

    def __init__(self) -> None:
        self.has_begun = threading.Event()
        self.was_stopped = threading.Event()

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if self.has_begun.is_set():
            return correct(*arguments, **named)
        self.has_begun.set()
        check_stopped: Callable[[], None] = arguments[-1]
        try:
            while True:
                check_stopped()
                time.sleep(0.001)  # In the thread of the correction, in place of work.
        finally:
            self.was_stopped.set()


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> EndlessOnce:
    endless = EndlessOnce()
    monkeypatch.setattr(answering, correct.__name__, endless)
    return endless


def started(logs: Logs, folder: Path, holder: str = "one") -> asyncio.Task[None]:
    running = run_rater(logs.facts, logs.verdicts, holder=holder, engine=ENGINE, folder=folder)
    return asyncio.create_task(running)


async def until_begun(endless: EndlessOnce) -> None:
    async def has_begun() -> bool:
        return endless.has_begun.is_set()

    await until(has_begun)


async def test_a_rater_replaced_in_a_long_correction_leaves_it_and_its_folder_to_the_next(
    logs: Logs, endless: EndlessOnce, tmp_path: Path
) -> None:
    await logs.facts.append(fact_bodies(FACTS))
    first = started(logs, tmp_path, "one")
    await until_begun(endless)
    with capture_logs() as logged:
        second = started(logs, tmp_path, "two")
        assert isinstance(await error_of(first), WriterReplaced)
        assert endless.was_stopped.is_set()
        await until_answered(logs, len(FACTS))
        await canceled(second)
    assert await all_bodies(logs.verdicts) == answered(FACTS)
    assert "rater_folder_in_use" not in {each["event"] for each in logged}


async def test_a_rater_that_is_to_end_leaves_a_long_correction_and_has_written_nothing_of_it(
    logs: Logs, endless: EndlessOnce, tmp_path: Path
) -> None:
    await logs.facts.append(fact_bodies(FACTS))
    rater = started(logs, tmp_path)
    await until_begun(endless)
    async with deadline():
        await canceled(rater)
    assert endless.was_stopped.is_set()
    assert (await logs.verdicts.tail()).seq == len(FACTS) - 1
    again = started(logs, tmp_path)
    await until_answered(logs, len(FACTS))
    await canceled(again)
    assert await all_bodies(logs.verdicts) == answered(FACTS)


async def test_a_rater_whose_connection_is_cut_in_a_long_correction_is_not_taken_for_dead(
    postgres_logs: Logs, database: Database, endless: EndlessOnce, tmp_path: Path
) -> None:
    await postgres_logs.facts.append(fact_bodies(FACTS))
    displaced = await postgres_logs.verdicts.open_writer("the one before")
    pool = await open_pool(database.dsn, application_name=VICTIM, size_max=5)
    verdicts = PostgresVerdictLog(pool, Bell())
    running = run_rater(postgres_logs.facts, verdicts, holder="one", engine=ENGINE, folder=tmp_path)
    rater = asyncio.create_task(running)
    await until_begun(endless)
    await displaced.close()
    cut = await database.pool.fetch(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", VICTIM
    )
    assert cut

    async def shows_life() -> bool:
        shown = await database.pool.fetchval(
            "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) "
            "WHERE locktype = 'advisory' AND application_name = $1",
            VICTIM,
        )
        return bool(shown)

    await until(shows_life)
    assert not endless.was_stopped.is_set()
    with pytest.raises(RatingTakenOver):
        await postgres_logs.verdicts.open_writer("the one before")
    await canceled(rater)
    pool.terminate()
