"""Someone who does not want to wait for ratings is answered 202, however soon the ratings come."""

import asyncio
from typing import Any, cast

import pytest

from services.ingest.record.judging.judgment import Accepted
from services.ingest.submit import Ports, answer_to
from services.ingest.waiting import Expected
from shared.events.verdicts import SessionRated, VerdictEvent
from tests.ingest.claims import a_round, a_session
from tests.ingest.record.judging.desk import Desk

NOTHING = cast("Ports", None)


@pytest.mark.parametrize(("wait_s", "status"), [(0, 202), (-1, 202), (10, 201)])
async def test_a_verdict_that_is_there_already_is_told_only_to_those_who_wait(
    wait_s: float, status: int
) -> None:
    judgment = Desk().judge(a_session(a_round(ada=1, bo=0)))
    assert isinstance(judgment, Accepted)
    loop = asyncio.get_running_loop()
    future: asyncio.Future[VerdictEvent] = loop.create_future()
    future.set_result(rated(judgment))
    answer = await answer_to(judgment, Expected(future), loop.time() + wait_s, NOTHING)
    assert (answer.status, answer.body["status"]) == (
        status,
        "rated" if status == 201 else "accepted",
    )


def rated(judgment: Accepted) -> SessionRated:
    fact: Any = judgment.fact
    return SessionRated(fact.session_id, fact.source, fact.session_date, fact.game_type, (), ())
