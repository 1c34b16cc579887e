"""Reads what happened to a session, and what a change to the past did."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

import orjson

from services.projections.answering.reading import ViewBeingBuilt, ViewReader
from shared.answers import SessionStatus
from shared.errors import ServiceUnavailable
from shared.events.codec import decode_session, decode_verdict
from shared.events.verdicts import READ_VERDICT, RatingsCorrected, SessionRated, VerdictEvent
from shared.feed.views import Connection

# Each session is looked up separately, by its key.
READ_RATED: Final = """
SELECT live.seq, s.session_id, s.is_rated, s.verdict, made.type, made.data
FROM {live} AS live
CROSS JOIN unnest($1::text[]) AS asked (session_id)
LEFT JOIN LATERAL (
    SELECT * FROM {sessions}.sessions AS s WHERE s.session_id = asked.session_id OFFSET 0
) AS s ON true
LEFT JOIN {sessions}.changes AS made ON s.verdict IS NULL AND made.fact_seq = s.fact_seq
"""
READ_CHANGE: Final = """
SELECT live.seq, change.type, change.data
FROM {live} AS live LEFT JOIN {sessions}.changes AS change ON change.fact_seq = $1
"""
READ_SESSION: Final = """
SELECT live.seq, live.correcting, own.source, own.status, own.fact_seq, own.place_seq,
    own.submitted_at, own.corrects, own.corrected_by, own.ended_fact_seq, own.end_reason,
    beside.note, beside_end.note AS end_note, s.is_rated, s.verdict, made.type, made.data,
    ending.type AS end_type, ending.data AS end_data, reseated.fact_seq AS reseated_fact_seq,
    CASE WHEN s.is_rated IS NOT TRUE THEN facts.body END AS fact
FROM {live} AS live
LEFT JOIN mahjic.recorded_sessions AS own ON own.session_id = $1
LEFT JOIN mahjic.facts AS facts ON facts.seq = own.fact_seq
LEFT JOIN mahjic.notes AS beside ON beside.fact_seq = own.fact_seq
LEFT JOIN mahjic.notes AS beside_end ON beside_end.fact_seq = own.ended_fact_seq
LEFT JOIN {sessions}.sessions AS s ON s.session_id = own.session_id
LEFT JOIN {sessions}.changes AS made
    ON own.corrects IS NOT NULL AND made.fact_seq = own.fact_seq
LEFT JOIN {sessions}.changes AS ending ON ending.fact_seq = own.ended_fact_seq
LEFT JOIN mahjic.reseated_sessions AS reseated ON reseated.session_id = own.session_id
"""
# Each player is looked up separately, by the whole key.
READ_MOVED: Final = """
SELECT live.seq, moved.player_id, moved.rating_before, moved.change_centi, moved.games_before,
    moved.games_after, moved.verified_rating_before, moved.verified_change_centi,
    moved.verified_games_before, moved.verified_games_after
FROM {live} AS live
LEFT JOIN (
    SELECT c.player_id, c.rating_before, c.change_centi, c.games_before, c.games_after,
        c.verified_rating_before, c.verified_change_centi, c.verified_games_before,
        c.verified_games_after
    FROM unnest($2::text[]) AS asked (player_id)
    CROSS JOIN LATERAL (
        SELECT * FROM {history}.changes AS c
        WHERE c.player_id = asked.player_id AND c.fact_seq = $1 AND c.round_no = 0 OFFSET 0
    ) AS c
) AS moved ON true
ORDER BY moved.player_id
"""


@dataclass(frozen=True, slots=True)
class SessionEnd:
    """What voided or corrected a session. `verdict` is None while it is not known here."""

    fact_seq: int
    reason: str
    note: str | None
    verdict: VerdictEvent | None


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session as it is today, for its source. `made` is the verdict if it corrects another.

    The notes are only for its source and the operator. `named` are the players of a session that is
    not rated, by the ids in its fact.
    """

    source: str
    status: SessionStatus
    fact_seq: int
    place_seq: int
    submitted_at: datetime
    rated: SessionRated | None
    corrects: str | None
    corrected_by: str | None
    note: str | None
    made: VerdictEvent | None
    ended: SessionEnd | None
    named: Sequence[str]
    reseated_fact_seq: int | None
    # The last fact whose verdict the view shows, at least its first part, which has everything
    # about a session. Then the last fact about this session.
    begun_seq: int
    last_fact_seq: int

    def concerned(self, session_id: str) -> list[str]:
        """Return this session, the one it replaced, and the one that replaced it."""
        ids = (self.corrects, session_id, self.corrected_by)
        return [each for each in ids if each is not None]


async def rated_sessions(reader: ViewReader, session_ids: Sequence[str]) -> dict[str, SessionRated]:
    """Return the verdicts on those sessions that the view already shows as rated."""
    assert session_ids, "No session would give no row, which would mean that there is no view."
    rows = await reader.fetch(READ_RATED, session_ids)
    return {row["session_id"]: _session_rated(row) for row in rows if row["is_rated"]}


async def rated_on(
    reader: ViewReader, connection: Connection, session_ids: Sequence[str]
) -> dict[str, SessionRated]:
    """Return the same on a connection that others use in the same transaction."""
    return await rated_sessions(reader.on(connection), session_ids)


async def stored_change(
    reader: ViewReader, fact_seq: int, players: AbstractSet[str] | None
) -> VerdictEvent | None:
    """Return the verdict on a change to the past, unless a view is behind, being built or down.

    If many players moved, it has the first ones, or those of the given ones who moved. Otherwise
    callers are told to wait for it: the change is already in force.
    """
    try:
        verdict = await verdict_on_change(reader, fact_seq)
        if players is None:
            return verdict
        return await verdict_about(reader, fact_seq, verdict, players)
    except (ViewBeingBuilt, ServiceUnavailable):
        return None


async def verdict_on_change(reader: ViewReader, fact_seq: int) -> VerdictEvent | None:
    """Return the verdict on a change to the past, if the view already shows it.

    It lists no more players than an answer can show.
    """
    row = await reader.fetchrow(READ_CHANGE, fact_seq)
    return _verdict(row["type"], row["data"])


async def verdict_about(
    reader: ViewReader, fact_seq: int, verdict: VerdictEvent | None, players: AbstractSet[str]
) -> VerdictEvent | None:
    """Return a verdict with everything it says about some players, or None while that is unknown.

    The sessions view keeps the first players. Everyone who sat in an affected session is among
    them, unless thousands of sessions were voided in one fact.
    """
    if not isinstance(verdict, RatingsCorrected) or len(verdict.players) == verdict.moved:
        return verdict
    if len(verdict.data.get("session_ids", ())) <= 1:
        return verdict
    rows = await reader.fetch(READ_MOVED, fact_seq, sorted(players))
    if rows[0]["seq"] < fact_seq:
        return None
    moved = [row for row in rows if row["player_id"] is not None]

    def column(name: str) -> tuple[Any, ...]:
        return tuple(row[name] for row in moved)

    return replace(
        verdict,
        players=column("player_id"),
        rating_before=column("rating_before"),
        rating_change=column("change_centi"),
        games_before=column("games_before"),
        games_after=column("games_after"),
        verified_rating_before=column("verified_rating_before"),
        verified_rating_change=column("verified_change_centi"),
        verified_games_before=column("verified_games_before"),
        verified_games_after=column("verified_games_after"),
    )


async def read_session(reader: ViewReader, session_id: str) -> StoredSession | None:
    """Return what happened to a submission, or None if there is no such session."""
    row = await reader.fetchrow(READ_SESSION, session_id)
    if row["source"] is None:
        return None
    # A session voided or corrected since then says so, whatever its first verdict was.
    status: SessionStatus = row["status"]
    if status == "accepted" and row["is_rated"] is not None:
        status = "rated" if row["is_rated"] else "refused"
    return StoredSession(
        source=row["source"],
        status=status,
        fact_seq=row["fact_seq"],
        place_seq=row["place_seq"],
        submitted_at=row["submitted_at"],
        rated=_session_rated(row) if row["is_rated"] else None,
        corrects=row["corrects"],
        corrected_by=row["corrected_by"],
        note=row["note"],
        made=_verdict(row["type"], row["data"]),
        ended=None if row["ended_fact_seq"] is None else _ended(row),
        named=_named(row["fact"]),
        reseated_fact_seq=row["reseated_fact_seq"],
        begun_seq=row["seq"] + (row["correcting"] is not None),
        last_fact_seq=max(row["fact_seq"], row["ended_fact_seq"] or 0),
    )


def _named(fact: bytes | None) -> Sequence[str]:
    session = None if fact is None else decode_session(fact)
    if session is None:
        return ()
    return list(dict.fromkeys(player for played in session.rounds for player in played.players))


def _ended(row: Any) -> SessionEnd:  # noqa: ANN401 - A row of the query.
    verdict = _verdict(row["end_type"], row["end_data"])
    return SessionEnd(row["ended_fact_seq"], row["end_reason"], row["end_note"], verdict)


def _session_rated(row: Any) -> SessionRated:  # noqa: ANN401 - A row of either query.
    if row["verdict"] is None:
        event = _verdict(row["type"], row["data"])
        assert isinstance(event, RatingsCorrected), "It took the place of another session."
        assert event.session is not None, "The first part says how it was rated there."
        return event.session
    event = decode_verdict(row["verdict"]).event
    assert isinstance(event, SessionRated), "The view marks rated sessions as such."
    return event


def _verdict(event_type: str | None, data: bytes) -> VerdictEvent | None:
    return None if event_type is None else READ_VERDICT[event_type](orjson.loads(data))
