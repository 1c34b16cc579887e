"""Asks a service to change the past, as sources and the operator do."""

from typing import Any, TypeVar

import httpx

from services.ingest.changes.answering import ChangePorts
from services.ingest.record.ids_and_times import IdsAndTimes
from services.ingest.record.recorder import Recorder
from services.ingest.submit import RunningKeys
from services.ingest.waiting import Verdicts
from shared.events.codec import decode_fact
from shared.events.facts import FactEvent
from shared.log.memory import MemoryVerdictLog
from tests.ingest.claims import Claim, a_round, a_session
from tests.log.deadlines import until
from tests.service import RunningService, bearer

Event = TypeVar("Event", bound=FactEvent)

BEHIND = """
SELECT count(*) FROM mahjic.view_builds AS b, mahjic.head WHERE b.fact_seq < head.fact_seq
"""


async def ask(
    service: RunningService, path: str, body: dict[str, Any], key: str, **headers: str
) -> httpx.Response:
    """Post to a path; `idempotency_key="k"` becomes the header Idempotency-Key."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await service.client.post(path, json=body, headers={**named, **bearer(key)})


async def void(
    service: RunningService,
    session_id: str,
    key: str,
    *,
    reason: str = "entered_twice",
    note: str | None = None,
    **headers: str,
) -> httpx.Response:
    """Void a session."""
    body = {"reason": reason, **({} if note is None else {"note": note})}
    return await ask(service, f"/v1/sessions/{session_id}/void", body, key, **headers)


async def correct(
    service: RunningService, session_id: str, claim: Claim, key: str, **headers: str
) -> httpx.Response:
    """Correct a session."""
    return await ask(service, f"/v1/sessions/{session_id}/corrections", claim, key, **headers)


async def void_all(
    service: RunningService, session_ids: list[str], key: str, *, reason: str = "test_entry"
) -> httpx.Response:
    """Void many sessions."""
    body = {"session_ids": session_ids, "reason": reason}
    return await ask(service, "/v1/admin/sessions/void", body, key)


async def played(
    service: RunningService, key: str, *, on: str = "2026-01-31", prefer: str = "", **won: int
) -> str:
    """Submit a session of one round, and return its id: `played(service, key, ada=3, bo=1)`."""
    answer = await service.submit(a_session(a_round(won), on=on), key, prefer=prefer)
    assert answer.status_code in {201, 202}
    session_id = answer.json()["session_id"]
    assert isinstance(session_id, str)
    return session_id


async def look(service: RunningService, session_id: str, key: str) -> dict[str, Any]:
    """Return a session as the owner of the key sees it."""
    answer = await service.client.get(f"/v1/sessions/{session_id}", headers=bearer(key))
    assert answer.status_code == 200
    body: dict[str, Any] = answer.json()
    return body


def ports_on(recorder: Recorder, ids_and_times: IdsAndTimes) -> ChangePorts:
    """Return what changes need, on a recorder of a test; nobody rates."""

    async def nothing_yet(*_: object) -> None:
        return None

    async def no_seats(_: str) -> tuple[tuple[str, ...], ...]:
        return ()

    return ChangePorts(
        recorder=recorder,
        verdicts=Verdicts(MemoryVerdictLog("log_of_a_test")),
        running=RunningKeys(),
        stored=nothing_yet,
        seats=no_seats,
        ids_and_times=ids_and_times,
        days_max=90,
    )


async def caught_up(service: RunningService) -> None:
    """Wait until every view shows all that is on the log."""

    async def is_so() -> bool:
        return not await service.pool.fetchval(BEHIND)

    await until(is_so)


async def facts_of(service: RunningService, event_type: type[Event]) -> list[Event]:
    """Return the facts of a type, in the order of the log."""
    rows = await service.pool.fetch("SELECT body FROM mahjic.facts ORDER BY seq")
    events = [decode_fact(row["body"]).event for row in rows]
    return [event for event in events if isinstance(event, event_type)]


async def player_ids(service: RunningService) -> dict[str, str]:
    """Return the id of everybody with an address, by the address."""
    rows = await service.pool.fetch("SELECT email, player_id FROM mahjic.people")
    return {row["email"].removesuffix("@example.com"): row["player_id"] for row in rows if row[0]}
