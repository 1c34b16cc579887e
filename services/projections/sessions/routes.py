"""The route that lets a source look up its session."""

from dataclasses import dataclass, replace
from typing import Annotated, Final

from fastapi import Depends
from starlette.responses import Response

from services.projections.answering.parameters import MinSeq
from services.projections.answering.reading import ViewReader
from services.projections.sessions.answers import StoredSessionAnswer
from services.projections.sessions.queries import StoredSession, verdict_about
from services.projections.sessions.told import LastAnswered, read_told_session
from shared.answers import session_answer
from shared.answers.effects import EffectAnswer, effect_answer
from shared.answers.seen import Sight
from shared.errors import UnknownSession
from shared.events.verdicts import VerdictEvent
from shared.http.callers import Caller, require
from shared.http.conditional import private_json
from shared.http.responses import problem_responses
from shared.http.routes import Route, handed_in
from shared.http.session_ids import SessionIdPath
from shared.ids import is_session_id
from shared.seated import read_sight


@dataclass(frozen=True, slots=True)
class StoredSessions:
    """Where to look up a session, and how to find out how far the facts are answered."""

    reader: ViewReader
    last_answered: LastAnswered


async def get_session(
    session_id: SessionIdPath,
    caller: Annotated[Caller, Depends(require("source", "operator", "auditor"))],
    sessions: Annotated[StoredSessions, handed_in(StoredSessions)],
    min_seq: MinSeq = None,
) -> Response:
    """Show a source its own session, with the ratings once they are there.

    It is never older than the answer to submitting, voiding or correcting the session.

    If the session was voided or corrected since, it says so, and what that did. Sessions that
    correct each other name each other.
    """
    return private_json(
        await tell_session(
            sessions,
            session_id,
            by=caller.source,
            with_notes=caller.kind != "auditor",
            min_seq=min_seq,
        )
    )


async def tell_session(
    sessions: StoredSessions,
    session_id: str,
    *,
    by: str | None,
    with_notes: bool = True,
    min_seq: int | None = None,
) -> StoredSessionAnswer:
    """Return a session as its source may see it, None being the operator. Raises UnknownSession."""
    reader = sessions.reader
    stored = None
    if is_session_id(session_id):
        fresh = reader.since(min_seq)
        stored = await read_told_session(fresh, session_id, sessions.last_answered)
    is_own = stored is not None and by in {None, stored.source}
    if stored is None or not is_own:
        raise UnknownSession
    concerned = stored.concerned(session_id)
    sight = await read_sight(reader.fetch_plain, concerned, by=by)
    if sight.ids is not None and (ended := stored.ended) is not None:
        verdict = await verdict_about(reader, ended.fact_seq, ended.verdict, sight.ids)
        stored = replace(stored, ended=replace(ended, verdict=verdict))
    return _shown(session_id, stored, sight, with_notes=with_notes)


def _shown(
    session_id: str,
    stored: StoredSession,
    sight: Sight,
    *,
    with_notes: bool,
) -> StoredSessionAnswer:
    def effect(fact_seq: int, verdict: VerdictEvent | None) -> EffectAnswer | None:
        return None if verdict is None else effect_answer(fact_seq, verdict, shown_to=sight.ids)

    ended = stored.ended
    named = [(sight.read_as(each), sight.called(each)) for each in stored.named if sight.sees(each)]
    return {
        **session_answer(
            session_id,
            stored.status,
            stored.rated,
            seq=stored.begun_seq,
            sight=sight,
            players=named,
        ),
        "fact_seq": stored.fact_seq,
        "place_seq": stored.place_seq,
        "submitted_at": stored.submitted_at,
        "corrects": stored.corrects,
        "corrected_by": stored.corrected_by,
        "note": stored.note if with_notes else None,
        "effect": effect(stored.fact_seq, stored.made),
        "ended": None
        if ended is None
        else {
            "fact_seq": ended.fact_seq,
            "reason": ended.reason,
            "note": ended.note if with_notes else None,
            "effect": effect(ended.fact_seq, ended.verdict),
        },
        "reseated_fact_seq": stored.reseated_fact_seq,
    }


SESSION_ROUTES: Final = (
    Route(
        "GET",
        "/v1/sessions/{session_id}",
        get_session,
        "Look up a session",
        tag="submit",
        operation_id="get_session",
        responses={
            200: {"model": StoredSessionAnswer},
            **problem_responses(401, 403, 404, 422, 429, 503),
        },
    ),
)
