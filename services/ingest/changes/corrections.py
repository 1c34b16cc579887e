"""Corrects a session: a new one takes its place in the order of the log. Read `correct_session`.

The new session is judged as any submission is, but that the rounds of the old one are no
duplicates of its own. A correction that comes again is answered as the first time.
"""

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from services.ingest.changes.answering import (
    ChangeAnswer,
    ChangePorts,
    effect_of,
    taken,
    verdict_on,
)
from services.ingest.changes.changeable import (
    AlreadyCorrected,
    ChangeableSession,
    check_age,
    find_session,
    newest_of,
)
from services.ingest.changes.notes import write_note
from services.ingest.record.ids_and_times import timestamp_of
from services.ingest.record.judging.judge import (
    Accepted,
    IdempotencyKeyReused,
    Identified,
    Judgement,
    Replayed,
    Submission,
    judge,
)
from services.ingest.record.judging.on_record import OnRecord
from services.ingest.record.known.acquaintances import write_acquaintances
from services.ingest.record.known.whole_record import read_record
from services.ingest.record.transaction import (
    write_keys,
    write_people,
    write_private_words,
    write_sessions,
)
from services.ingest.record.waterline import Writing
from services.ingest.submit import answer_again, first_answer
from shared.errors import ClaimRefused, MahjicError
from shared.events.facts import Reason, SessionCorrected
from shared.log.postgres import Connection
from shared.seated import read_sight

TAKE_PLACE: Final = """
WITH old AS (
    UPDATE mahjic.submissions
    SET status = 'corrected', corrected_by = $2, ended_fact_seq = $3, end_reason = $4
    WHERE session_id = $1 RETURNING place_seq
)
UPDATE mahjic.submissions
SET corrects = $1, place_seq = (SELECT place_seq FROM old), is_by_operator = $5
WHERE session_id = $2
"""


@dataclass(frozen=True, slots=True)
class Correction:
    """What somebody asks for: `by` is a source, or None for the operator.

    The submission is the new session, in the name of the old one's source.
    """

    corrects: str
    submission: Submission
    reason: Reason
    note: str | None
    by: str | None


@dataclass(frozen=True, slots=True)
class Corrected:
    """What is so now, and the fact that says so.

    `shown_to` are the players whom the source may see; None shows all.
    """

    fact_seq: int
    reason: Reason
    judgement: Accepted | Replayed
    shown_to: frozenset[str] | None = None

    @property
    def session_id(self) -> str:
        """The new session."""
        if isinstance(self.judgement, Accepted):
            return self.judgement.fact.session_id
        return self.judgement.session_id


async def correct_session(
    correction: Correction, *, wait_s: float, ports: ChangePorts
) -> ChangeAnswer:
    """Put a session in the place of another, and answer with what that did if known in time.

    Raises all that a submission is refused with, UnknownSession, AlreadyCorrected or
    TooLateToChange, and then nothing is changed.
    """

    async def decide(connection: Connection, writing: Writing) -> Corrected:
        corrected = await _decide(connection, writing, correction, ports)
        both = [correction.corrects, corrected.session_id]
        sight = await read_sight(connection.fetch, both, by=correction.by)
        return replace(corrected, shown_to=sight.ids)

    deadline_s = asyncio.get_running_loop().time() + wait_s
    with await taken(correction.submission.key_print, deadline_s, ports):
        corrected = await ports.recorder.decide(decide)
        verdict = await verdict_on(corrected.fact_seq, deadline_s, ports)
    if isinstance(corrected.judgement, Accepted):
        answer = first_answer(corrected.judgement, verdict)
    else:
        answer = await answer_again(corrected.judgement, verdict, ports.seats)
    body = {
        **answer.body,
        "corrects": correction.corrects,
        "reason": corrected.reason,
        "fact_seq": corrected.fact_seq,
        "effect": effect_of(corrected.fact_seq, verdict, shown_to=corrected.shown_to),
    }
    return ChangeAnswer(body, answer.is_final, answer.is_replayed, answer.by_key)


async def _decide(
    connection: Connection, writing: Writing, correction: Correction, ports: ChangePorts
) -> Corrected:
    old = await find_session(connection, correction.corrects, by=correction.by)
    refusals = ports.recorder.refusals
    (identified,), record = await read_record(
        connection,
        [correction.submission],
        ports.ids_and_times,
        refusals=refusals,
        corrects=old.session_id,
        is_limited=correction.by is not None,
    )
    if correction.by is None:
        record.trust(old.source, identified.player_ids)
    judgement = _judge(identified, record, old, writing.next_seq)
    await _check_changeable(connection, correction, old, judgement, ports)
    if isinstance(judgement, MahjicError):
        if correction.by is not None:
            await refusals.count(connection, record.foreign_refusals, now=ports.ids_and_times.now())
        raise judgement
    if isinstance(judgement, Replayed):
        corrected = _as_before(judgement, correction, record, old)
    else:
        now = ports.ids_and_times.now()
        await write_sessions(connection, writing.head, [judgement], now)
        corrected = await _take_place(connection, writing, correction, judgement, now)
    if record.changed_people:
        await write_people(connection, writing.head, record, [correction.submission])
    if correction.by is not None:
        await write_private_words(connection, record)
        await write_acquaintances(connection, record.named_now)
    if record.kept_keys:
        await write_keys(connection, record, ports.ids_and_times.now())
    return corrected


async def _check_changeable(
    connection: Connection,
    correction: Correction,
    old: ChangeableSession,
    judgement: Judgement,
    ports: ChangePorts,
) -> None:
    """Check that the session may be changed before anything is told of what others hold.

    A correction that stands already is told again, however old. Raises AlreadyCorrected or
    TooLateToChange.
    """
    if isinstance(judgement, Replayed | IdempotencyKeyReused | ClaimRefused):
        return
    if old.status == "corrected":
        raise AlreadyCorrected(await newest_of(connection, [old.session_id]))
    now = ports.ids_and_times.now()
    check_age(old, by=correction.by, now=now, days_max=ports.days_max)


def _judge(
    identified: Identified, record: OnRecord, old: ChangeableSession, fact_seq: int
) -> Judgement:
    """Judge the new session as a submission, with the old one out of the way.

    What it repeats as a whole is only what corrects the same session already; a session elsewhere
    that is the same is a duplicate.
    """
    record.leave_out(old.session_id)
    content, key_print = identified.content_print, identified.submission.key_print
    first = [
        replace(each, allowed_duplicate=True)
        for each in record.by_content.get(content, ())
        if each.session_id == old.corrected_by
    ]
    record.by_content[content] = first
    if first and key_print is not None and key_print not in record.keys:
        # Under a key of its own, too, it can be nothing but the correction that stands already.
        submission = replace(identified.submission, key_print=None)
        identified = replace(identified, submission=submission)
    return judge(identified, record, fact_seq)


def _as_before(
    replayed: Replayed, correction: Correction, record: OnRecord, old: ChangeableSession
) -> Corrected:
    assert replayed.session_id == old.corrected_by, "A session is corrected once."
    assert old.end_reason is not None, "A correction has a reason."
    if replayed.by_key and old.end_reason != correction.reason:
        raise IdempotencyKeyReused(
            f"This Idempotency-Key came before with the reason {old.end_reason}; nothing was "
            "changed. Use a new key for a new request."
        )
    fact_seq = record.sessions[replayed.session_id].fact_seq
    return Corrected(fact_seq, old.end_reason, replayed)


async def _take_place(
    connection: Connection,
    writing: Writing,
    correction: Correction,
    accepted: Accepted,
    now: datetime,
) -> Corrected:
    fact = SessionCorrected(correction.corrects, correction.reason, accepted.fact)
    fact_seq = await writing.append_fact(fact, timestamp_of(now))
    new = accepted.fact.session_id
    await connection.execute(
        TAKE_PLACE, correction.corrects, new, fact_seq, correction.reason, correction.by is None
    )
    await write_note(connection, fact_seq, correction.note)
    return Corrected(fact_seq, correction.reason, accepted)
