"""Corrects a session: a new one takes its place in log order. Read `correct_session` first.

The new session is judged like any submission, except that the rounds of the old one do not count as
duplicates. A correction that is sent again gets the same answer as the first time.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

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
    newest_of,
)
from services.ingest.changes.notes import write_note
from services.ingest.record.ids_and_times import timestamp_of
from services.ingest.record.judging.identified import Submission
from services.ingest.record.judging.judge import Replaced, judge
from services.ingest.record.judging.judgment import (
    Accepted,
    IdempotencyKeyReused,
    Judgment,
    Replayed,
)
from services.ingest.record.judging.on_record import OnRecord
from services.ingest.record.judging.taking_in import take_in
from services.ingest.record.known.returning import returned_seats
from services.ingest.record.known.whole_record import read_record
from services.ingest.record.transaction import (
    write_keys,
    write_people,
    write_private_words,
    write_sessions,
)
from services.ingest.record.waterline import Writing
from services.ingest.submit import answer_again, first_answer
from shared.answers.effects import CorrectionAnswer
from shared.answers.sessions import WarningAnswer
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
class AskedCorrection:
    """A request to correct: `by` is a source, or None for the operator.

    The submission is the new session, on behalf of the old one's source.
    """

    corrects: str
    submission: Submission
    reason: Reason
    note: str | None
    by: str | None
    beside: Beside | None = None

    @property
    def is_by_operator(self) -> bool:
        """Whether the operator asks, instead of the source."""
        return self.by is None


@dataclass(frozen=True, slots=True)
class Corrected:
    """The session that counts now, and the fact that says so.

    `shown_to` holds the players that the source may see. None shows all of them. `warnings` tell of
    seats that it gives back.
    """

    fact_seq: int
    reason: Reason
    judgment: Accepted | Replayed
    shown_to: frozenset[str] | None = None
    warnings: Sequence[WarningAnswer] = ()

    @property
    def session_id(self) -> str:
        """The new session."""
        if isinstance(self.judgment, Accepted):
            return self.judgment.fact.session_id
        return self.judgment.session_id


async def correct_session(
    correction: AskedCorrection, *, wait_s: float, ports: ChangePorts
) -> ChangeAnswer[CorrectionAnswer]:
    """Replace a session with another. The answer says what that did, if it is known in time.

    Raises every refusal of a submission, UnknownSession, AlreadyCorrected or TooLateToChange, and
    then changes nothing.
    """

    async def decide(connection: Connection, writing: Writing) -> Corrected:
        corrected = await _decide(connection, writing, correction, ports)
        both = [correction.corrects, corrected.session_id]
        sight = await read_sight(connection.fetch, both, by=correction.by)
        return replace(corrected, shown_to=sight.ids)

    deadline_s = asyncio.get_running_loop().time() + wait_s
    with await holding_key(correction.submission.key_print, deadline_s, ports):
        corrected = await ports.recorder.decide(decide)
        verdict = await verdict_on(corrected.fact_seq, deadline_s, ports)
    if isinstance(corrected.judgment, Accepted):
        answer = first_answer(corrected.judgment, verdict)
    else:
        answer = await answer_again(corrected.judgment, verdict, ports.seats)
    body: CorrectionAnswer = {
        **answer.body,
        "warnings": [*answer.body["warnings"], *corrected.warnings],
        "corrects": correction.corrects,
        "reason": corrected.reason,
        "fact_seq": corrected.fact_seq,
        "effect": effect_of(corrected.fact_seq, verdict, shown_to=corrected.shown_to),
    }
    return ChangeAnswer(body, answer.is_final, answer.is_replayed, answer.by_key)


async def _decide(
    connection: Connection, writing: Writing, correction: AskedCorrection, ports: ChangePorts
) -> Corrected:
    old = await find_session(connection, correction.corrects, by=correction.by)
    replaces = Replaced(old.session_id, old.corrected_by)
    (identified,), record = await read_record(
        connection,
        [correction.submission],
        ports.ids_and_times,
        refusals=ports.recorder.refusals,
        replaces=replaces,
        is_limited=not correction.is_by_operator,
    )
    judgment = judge(
        identified,
        record,
        writing.next_seq,
        replaces=replaces,
        knows_all=correction.is_by_operator,
    )
    take_in(identified, judgment, record)
    await _check_changeable(connection, correction, old, judgment, ports)
    if isinstance(judgment, MahjicError):
        await _count_refusal(connection, correction, record, ports)
        raise judgment
    if isinstance(judgment, Replayed):
        corrected = _as_before(judgment, correction, old)
    else:
        corrected = await _take_place(
            connection, writing, correction, judgment, record=record, ports=ports
        )
    await _write_people(connection, writing, correction, record)
    await write_keys(connection, record, ports.ids_and_times.now())
    warnings = await returned_seats(connection, old.session_id, identified.player_ids)
    return replace(corrected, warnings=warnings)


async def _count_refusal(
    connection: Connection, correction: AskedCorrection, record: OnRecord, ports: ChangePorts
) -> None:
    """Count what the refusal told the source about others. The operator may know everything."""
    if not correction.is_by_operator:
        refusals = ports.recorder.refusals
        now = ports.ids_and_times.now()
        await refusals.count(connection, record.foreign_refusals, now=now)


async def _write_people(
    connection: Connection, writing: Writing, correction: AskedCorrection, record: OnRecord
) -> None:
    """Write down the people that the correction introduces, and what its source says about them."""
    await write_people(connection, writing.head, record, [correction.submission])
    if not correction.is_by_operator:
        await write_private_words(connection, record)


async def _check_changeable(
    connection: Connection,
    correction: AskedCorrection,
    old: ChangeableSession,
    judgment: Judgment,
    ports: ChangePorts,
) -> None:
    """Check that the session may be changed, before revealing anything that others have on record.

    A correction that is already in force is answered again, however old. Raises AlreadyCorrected or
    TooLateToChange.
    """
    if isinstance(judgment, Replayed | IdempotencyKeyReused | ClaimRefused):
        return
    if old.status == "corrected":
        raise AlreadyCorrected(await newest_of(connection, [old.session_id]))
    now = ports.ids_and_times.now()
    check_age(old, by=correction.by, now=now, days_max=ports.days_max)


def _as_before(
    replayed: Replayed, correction: AskedCorrection, old: ChangeableSession
) -> Corrected:
    assert replayed.session_id == old.corrected_by, "A session is corrected once."
    assert old.end_reason is not None, "A correction has a reason."
    if replayed.by_key and old.end_reason != correction.reason:
        raise IdempotencyKeyReused(
            f"This Idempotency-Key was used before with the reason {old.end_reason}; nothing "
            "was changed. Use a new key for a new request."
        )
    return Corrected(replayed.earlier.fact_seq, old.end_reason, replayed)


async def _take_place(
    connection: Connection,
    writing: Writing,
    correction: AskedCorrection,
    accepted: Accepted,
    *,
    record: OnRecord,
    ports: ChangePorts,
) -> Corrected:
    now = ports.ids_and_times.now()
    # People that the operator names for a source do not count as named by that source.
    named = {} if correction.is_by_operator else record.named_now
    await write_sessions(connection, writing.head, [accepted], named, now)
    fact = SessionCorrected(correction.corrects, correction.reason, accepted.fact)
    fact_seq = await writing.append_fact(fact, timestamp_of(now))
    await connection.execute(
        TAKE_PLACE,
        correction.corrects,
        accepted.fact.session_id,
        fact_seq,
        correction.reason,
        correction.is_by_operator,
    )
    await write_note(connection, fact_seq, correction.note)
    if correction.beside is not None:
        await correction.beside(connection)
    return Corrected(fact_seq, correction.reason, accepted)
