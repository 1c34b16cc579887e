"""Voids sessions: one of a source's own, or many at once for the operator.

A void that is sent again gets the same answer as the first time. So does a void of many sessions
when all of them are voided already.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from operator import not_
from typing import Final, Literal

from services.ingest.changes.answering import (
    Beside,
    ChangeAnswer,
    ChangePorts,
    effect_of,
    holding_key,
    verdict_on,
)
from services.ingest.changes.changeable import (
    AlreadyCorrected,
    ChangeableSession,
    check_age,
    find_session,
    find_sessions,
    newest_of,
)
from services.ingest.changes.kept_keys import keep_key, kept_fact
from services.ingest.changes.notes import write_note
from services.ingest.record.judging.prints import void_print
from services.ingest.record.waterline import Writing
from shared.answers.effects import VoidAnswer, VoidsAnswer
from shared.errors import UnknownSession
from shared.events.facts import Reason, SessionsVoided
from shared.log.postgres import Connection
from shared.seated import read_sight

END_SESSIONS: Final = """
UPDATE mahjic.submissions SET status = 'voided', ended_fact_seq = $2, end_reason = $3
WHERE session_id = ANY($1)
"""


@dataclass(frozen=True, slots=True)
class Voiding:
    """A request to void: `by` is a source, or None for the operator."""

    session_ids: tuple[str, ...]
    reason: Reason
    note: str | None
    by: str | None
    key_print: bytes | None = None
    beside: Beside | None = None


@dataclass(frozen=True, slots=True)
class Voided:
    """The fact, the sessions that it left out, and those that were left out before it.

    `shown_to` holds the players that the source may see. None shows all of them. A session that was
    voided with a key may have been corrected since.
    """

    fact_seq: int
    reason: Reason
    session_ids: tuple[str, ...]
    skipped: tuple[str, ...] = ()
    status: Literal["voided", "corrected"] = "voided"
    shown_to: frozenset[str] | None = None
    is_replayed: bool = False
    by_key: bool = False


async def void_session(
    voiding: Voiding, *, wait_s: float, ports: ChangePorts
) -> ChangeAnswer[VoidAnswer]:
    """Leave a session out. The answer says what that did, if it is known in time.

    Raises UnknownSession, AlreadyCorrected, TooLateToChange, IdempotencyKeyReused or
    RequestInProgress, and then nothing is changed.
    """
    (session_id,) = voiding.session_ids

    async def decide(connection: Connection, writing: Writing) -> Voided:
        voided = await _decide_one(connection, writing, voiding, ports)
        sight = await read_sight(connection.fetch, [session_id], by=voiding.by)
        return replace(voided, shown_to=sight.ids)

    deadline_s = asyncio.get_running_loop().time() + wait_s
    with await holding_key(voiding.key_print, deadline_s, ports):
        voided = await ports.recorder.decide(decide)
        verdict = await verdict_on(voided.fact_seq, deadline_s, ports, shown_to=voided.shown_to)
    body: VoidAnswer = {
        "session_id": session_id,
        "status": voided.status,
        "reason": voided.reason,
        "fact_seq": voided.fact_seq,
        "seq": voided.fact_seq,
        "effect": effect_of(voided.fact_seq, verdict, shown_to=voided.shown_to),
    }
    return ChangeAnswer(body, verdict is not None, voided.is_replayed, voided.by_key)


async def void_sessions(
    voiding: Voiding, *, wait_s: float, ports: ChangePorts
) -> ChangeAnswer[VoidsAnswer]:
    """Leave out many sessions in one fact, or none of them. For the operator.

    Raises UnknownSession or AlreadyCorrected. They name every session they are about.
    """
    assert voiding.by is None, "Many sessions are of many sources."

    async def decide(connection: Connection, writing: Writing) -> Voided:
        return await _decide_many(connection, writing, voiding, ports)

    deadline_s = asyncio.get_running_loop().time() + wait_s
    voided = await ports.recorder.decide(decide)
    verdict = await verdict_on(voided.fact_seq, deadline_s, ports)
    body: VoidsAnswer = {
        "session_ids": voided.session_ids,
        "skipped": voided.skipped,
        "status": "voided",
        "reason": voided.reason,
        "fact_seq": voided.fact_seq,
        "seq": voided.fact_seq,
        "effect": effect_of(voided.fact_seq, verdict, shown_to=None),
    }
    return ChangeAnswer(body, verdict is not None, voided.is_replayed)


async def _decide_one(
    connection: Connection, writing: Writing, voiding: Voiding, ports: ChangePorts
) -> Voided:
    (session_id,) = voiding.session_ids
    session = await find_session(connection, session_id, by=voiding.by)
    asked, now = void_print(session_id, voiding.reason), ports.ids_and_times.now()
    kept_seq = await kept_fact(connection, voiding.key_print, asked)
    if kept_seq is not None:
        is_still_so = session.ended_fact_seq == kept_seq
        return Voided(
            kept_seq,
            (is_still_so and session.end_reason) or voiding.reason,
            voiding.session_ids,
            status="corrected" if session.status == "corrected" else "voided",
            is_replayed=True,
            by_key=True,
        )
    if session.status == "corrected":
        raise AlreadyCorrected(await newest_of(connection, [session_id]))
    if session.status == "voided":
        voided = _as_before([session])
    else:
        check_age(session, by=voiding.by, now=now, days_max=ports.days_max)
        voided = await _void(connection, writing, voiding, voiding.session_ids, ports)
    await keep_key(
        connection,
        voiding.key_print,
        asked,
        session_id=session_id,
        fact_seq=voided.fact_seq,
        now=now,
    )
    return voided


async def _decide_many(
    connection: Connection, writing: Writing, voiding: Voiding, ports: ChangePorts
) -> Voided:
    found = await find_sessions(connection, voiding.session_ids)
    if unknown := [each for each in voiding.session_ids if each not in found]:
        raise UnknownSession(unknown)
    sessions = [found[each] for each in voiding.session_ids]
    corrected = [each.session_id for each in sessions if each.status == "corrected"]
    if corrected:
        raise AlreadyCorrected(await newest_of(connection, corrected))
    live = tuple(each.session_id for each in sessions if each.status == "accepted")
    if not live:
        return _as_before(sessions)
    return await _void(connection, writing, voiding, live, ports)


async def _void(
    connection: Connection,
    writing: Writing,
    voiding: Voiding,
    live: tuple[str, ...],
    ports: ChangePorts,
) -> Voided:
    fact = SessionsVoided(live, voiding.reason)
    fact_seq = await writing.append_fact(fact, ports.ids_and_times.timestamp())
    await connection.execute(END_SESSIONS, live, fact_seq, voiding.reason)
    await write_note(connection, fact_seq, voiding.note)
    if voiding.beside is not None:
        await voiding.beside(connection)
    ended = frozenset(live)
    skipped = tuple(each for each in voiding.session_ids if each not in ended)
    return Voided(fact_seq, voiding.reason, live, skipped)


def _as_before(sessions: Sequence[ChangeableSession]) -> Voided:
    """Return what the last fact that voided any of these sessions did."""
    newest = max(sessions, key=lambda each: each.ended_fact_seq or 0)
    assert newest.ended_fact_seq is not None, "A fact voided it."
    assert newest.end_reason is not None, "A void has a reason."
    is_of_it = [each.ended_fact_seq == newest.ended_fact_seq for each in sessions]
    session_ids = [each.session_id for each in sessions]
    return Voided(
        newest.ended_fact_seq,
        newest.end_reason,
        tuple(compress(session_ids, is_of_it)),
        tuple(compress(session_ids, map(not_, is_of_it))),
        is_replayed=True,
    )
