"""A season whose verdicts are those of full replays by hand, with facts about the past too.

The tables of ingest are brought up with every fact: who is merged into whom, who sat where, and
what became of each submission.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import asyncpg

from shared.events.codec import encode_fact, encode_verdict
from shared.events.facts import (
    FactEvent,
    PlayersMerged,
    PlayersUnmerged,
    SeatsReassigned,
    SessionCorrected,
    SessionSubmitted,
    SessionsVoided,
)
from shared.events.verdicts import (
    Answers,
    FactNoted,
    FactRefused,
    RatedRound,
    RatingsCorrected,
    ReseatedSession,
    SessionRated,
    VerdictEvent,
)
from shared.ids import BOB
from tests.projections.season import LOG_ID, Season
from tests.replay_by_hand.history import Facts, Sessions, seated
from tests.replay_by_hand.replay import Answer, Moved, RoundRated, Standing, last_answer

TOLD_AT = datetime(2026, 2, 1, 12, tzinfo=UTC)
NOTE_SUBMISSION = """
INSERT INTO mahjic.submissions (
    session_id, source, status, fact_seq, place_seq, submitted_at, content_print,
    allowed_duplicate, corrects, session_date
)
SELECT $1, $2, 'accepted', $3, COALESCE(max(place_seq), $3), $4, 'print', false, $5, $6
FROM mahjic.submissions WHERE session_id = $5
"""
UNSEAT = "DELETE FROM mahjic.seats WHERE session_id = $1"
END_SUBMISSION = """
UPDATE mahjic.submissions
SET status = $2, ended_fact_seq = $3, end_reason = $4, corrected_by = $5
WHERE session_id = $1
"""


class ToldSeason(Season):
    """Every fact is answered by a replay of the whole history; verdicts may have many parts.

    Without players in a part, the rater answers, and `standings` are by hand all the same.
    """

    def __init__(self, pool: asyncpg.Pool, *, players_in_part: int | None = 3) -> None:
        super().__init__(pool)
        self._players_in_part = players_in_part
        self.counted: list[tuple[int, FactEvent]] = []
        self.standings: dict[str, Standing] = {}

    async def tell(self, event: FactEvent) -> int:
        """Put a fact on the log, its verdict on the other, and what ingest writes into tables."""
        seq = self._fact_seq + 1
        assert self._writer is not None
        (record,) = await self.facts.append(
            [encode_fact(event, log_id=LOG_ID, seq=seq, time=self.time)]
        )
        self._fact_seq = seq
        answer = last_answer([*self.counted, (seq, event)])
        if answer.refused is None:
            self.counted.append((seq, event))
            await self._note(seq, event)
        self.standings = answer.standings
        if self._players_in_part is None:
            bodies = list(self._rater.answer(record))
        else:
            verdicts = list(verdicts_of(event, answer, self._players_in_part))
            bodies = [
                encode_verdict(
                    verdict,
                    Answers(seq, record.chain, part, len(verdicts), answer.formula, "by hand"),
                    log_id=LOG_ID,
                    time=self.time,
                    subject=event.subject,
                )
                for part, verdict in enumerate(verdicts, start=1)
            ]
        await self._writer.append(bodies, fact_seq=seq)
        return seq

    async def _note(self, seq: int, event: FactEvent) -> None:
        """Write what ingest writes beside a fact."""
        if isinstance(event, PlayersMerged | PlayersUnmerged):
            into = event.into if isinstance(event, PlayersMerged) else None
            merged = ("UPDATE mahjic.players SET merged_into = $2 WHERE player_id = $1", into)
            await self._change_people(event.player_id, merged)
        elif isinstance(event, SessionsVoided):
            for session_id in event.session_ids:
                await self._end(session_id, "voided", seq, event.reason, None)
        elif isinstance(event, SessionCorrected):
            await self._submit(event.session, seq, event.corrects)
            new = event.session.session_id
            await self._end(event.corrects, "corrected", seq, event.reason, new)
        elif isinstance(event, SessionSubmitted):
            await self._submit(event, seq, None)
        elif isinstance(event, SeatsReassigned):
            sessions = Sessions(self.counted)
            for session_id in event.sessions:
                await self.pool.execute(UNSEAT, session_id)
                await self._seat(sessions.of[session_id])

    async def _submit(self, session: SessionSubmitted, seq: int, corrects: str | None) -> None:
        day = date.fromisoformat(session.session_date)
        told = (session.session_id, session.source, seq, TOLD_AT, corrects, day)
        await self.pool.execute(NOTE_SUBMISSION, *told)
        await self._seat(session)

    async def _seat(self, session: SessionSubmitted) -> None:
        day = date.fromisoformat(session.session_date)
        await self.pool.executemany(
            "INSERT INTO mahjic.seats (player_id, session_date, session_id) VALUES ($1, $2, $3)",
            [(player, day, session.session_id) for player in sorted({*seated(session)} - {BOB})],
        )

    async def _end(
        self, session_id: str, status: str, seq: int, reason: str, new: str | None
    ) -> None:
        await self.pool.execute(END_SUBMISSION, session_id, status, seq, reason, new)


def verdicts_of(event: FactEvent, answer: Answer, players_in_part: int) -> Iterator[VerdictEvent]:
    """Yield the parts of the verdict that an answer by hand stands for."""
    if answer.refused is not None:
        yield FactRefused(answer.refused, _session_about(event))
    elif answer.moved is not None:
        data = event.to_json()
        session = None
        if isinstance(event, SessionCorrected):
            del data["session"]
            session = rated(event.session, answer.rounds)
        moved = answer.moved
        for start in range(0, max(1, len(moved)), players_in_part):
            part = moved[start : start + players_in_part]
            is_first = start == 0
            verdict = corrected(
                event.TYPE, data if is_first else {}, session if is_first else None, part, moved
            )
            yield replace(verdict, reseated=reseated(answer) if is_first else None)
    elif isinstance(event, SessionSubmitted):
        yield rated(event, answer.rounds)
    else:
        yield FactNoted(event.TYPE, event.to_json())


def corrected(
    fact_type: str,
    data: dict[str, object],
    session: SessionRated | None,
    part: Sequence[Moved],
    moved: Sequence[Moved],
) -> RatingsCorrected:
    def changes(number: int) -> tuple[int, ...]:
        return tuple(each.after[number] - each.before[number] for each in part)

    return RatingsCorrected(
        fact_type=fact_type,
        data=data,
        session=session,
        moved=len(moved),
        players=tuple(each.player for each in part),
        rating_before=tuple(each.before.rating_centi for each in part),
        rating_change=changes(0),
        games_before=tuple(each.before.games for each in part),
        games_after=tuple(each.after.games for each in part),
        verified_rating_before=tuple(each.before.verified_rating_centi for each in part),
        verified_rating_change=changes(2),
        verified_games_before=tuple(each.before.verified_games for each in part),
        verified_games_after=tuple(each.after.verified_games for each in part),
    )


def reseated(answer: Answer) -> tuple[ReseatedSession, ...] | None:
    """Return every seat that has another id than before an answer, in order."""
    if not answer.reseated:
        return None
    sessions: list[ReseatedSession] = []
    for before, after in answer.reseated:
        moved = [
            (number, seat, one, other, old.mahjongs[seat], old.wall_games)
            for number, (old, new) in enumerate(zip(before.rounds, after.rounds, strict=True), 1)
            for seat, (one, other) in enumerate(zip(old.players, new.players, strict=True))
            if one != other
        ]
        sat, sitting = set(seated(before)), set(seated(after))
        left, joined = tuple(sorted(sat - sitting)), tuple(sorted(sitting - sat))
        told: tuple[Any, ...] = (before.session_id, *zip(*moved, strict=True), left, joined)
        sessions.append(ReseatedSession._make(told))
    return tuple(sessions)


def rated(session: SessionSubmitted, rounds: Sequence[RoundRated]) -> SessionRated:
    """Return a session with the numbers of its rounds."""
    is_social = session.game_type == "social"
    return SessionRated(
        session_id=session.session_id,
        source=session.source,
        session_date=session.session_date,
        game_type=session.game_type,
        rounds=tuple(
            RatedRound(
                games_played=played.games_played,
                wall_games=played.wall_games,
                players=tuple(seat.player for seat in seats),
                mahjongs=played.mahjongs,
                points_centi=None if is_social else played.points_centi,
                rating_before=tuple(seat.before.rating_centi for seat in seats),
                rating_change=tuple(s.after.rating_centi - s.before.rating_centi for s in seats),
                games_before=tuple(seat.before.games for seat in seats),
                games_after=tuple(seat.after.games for seat in seats),
                is_verified=tuple(int(seat.is_verified) for seat in seats),
                verified_rating_before=tuple(s.before.verified_rating_centi for s in seats),
                verified_rating_change=tuple(
                    s.after.verified_rating_centi - s.before.verified_rating_centi for s in seats
                ),
                verified_games_before=tuple(seat.before.verified_games for seat in seats),
                verified_games_after=tuple(seat.after.verified_games for seat in seats),
                played_as=None
                if tuple(seat.player for seat in seats) == played.players
                else played.players,
            )
            for played, seats in zip(session.rounds, rounds, strict=True)
        ),
        new_players=session.new_players,
    )


def facts_until(counted: Facts, seq: int) -> Facts:
    """Return those that count up to a fact."""
    return [(each, fact) for each, fact in counted if each <= seq]


def _session_about(event: FactEvent) -> str | None:
    if isinstance(event, SessionSubmitted):
        return event.session_id
    return event.session.session_id if isinstance(event, SessionCorrected) else None
