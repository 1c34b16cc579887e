"""Tries out a session: says what the answer would be, and records nothing. Read `Trials.run` first.

It reveals nothing new to a source (docs/decisions/0025). Anyone the source has never named is a
newcomer, whether Mahjic knows them or not. For hidden or merged people, it shows what the source's
own sessions last said. And it compares only the source's own sessions.
"""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import asyncpg

from services.ingest.claim.checks import CheckedSession
from services.ingest.record.judging.identified import Submission, identify, submitted_as
from services.ingest.record.judging.judge import judge
from services.ingest.record.judging.judgment import Accepted, Judgment, Replayed
from services.ingest.record.judging.similar import similar_warnings
from services.ingest.record.known.nights_on_record import read_nights
from services.ingest.record.known.own_record import OwnPeople, read_own_people, read_own_sessions
from services.ingest.record.known.points_sums import fitting_warnings
from services.ingest.who.look_up import last_standing
from services.ingest.who.queries import last_sessions
from shared.answers.sessions import WarningAnswer
from shared.answers.shown import warning_of
from shared.answers.trials import TrialAnswer, trial_answer
from shared.db.away import DATABASE_AWAY
from shared.errors import MahjicError, ServiceUnavailable
from shared.events.verdicts import SessionRated
from shared.log.postgres import Connection
from shared.rating.registry import Formula, formula_named
from shared.replay.session_rating import NEWCOMER, Standing, rate_session
from shared.request_counts import RequestCounts

READ_FORMULA: Final = "SELECT formula FROM mahjic.formulas ORDER BY fact_seq DESC LIMIT 1"


class TooManyTrials(MahjicError):
    """The source has made more dry runs in the last minute than it may."""

    code = "too_many_dry_runs"
    title = "Too many dry runs in one minute"
    status = 429

    def __init__(self, limit_per_minute: int, retry_after_s: int) -> None:
        super().__init__(
            f"A source may make {limit_per_minute} dry runs a minute. Try again in "
            f"{retry_after_s} s; real submissions are not limited by this.",
            headers={"Retry-After": str(retry_after_s)},
        )


@dataclass(frozen=True, slots=True)
class Ratings:
    """Where ratings come from. They are read on the trial's connection, so all show one moment.

    `standings` returns the current standings of the players who have played, and the fact they are
    as of. `rated` returns the verdicts on the sessions that are rated.
    """

    standings: Callable[[Connection, Sequence[str]], Awaitable[tuple[int, Mapping[str, Standing]]]]
    rated: Callable[[Connection, Sequence[str]], Awaitable[Mapping[str, SessionRated]]]


@dataclass(frozen=True, slots=True)
class _Known:
    """What a trial knows about the people named: their standings, and who has no id to show."""

    seq: int
    standings: Mapping[str, Standing]
    nameless: frozenset[str]


class Trials:
    """Tries out sessions, up to a limit per source."""

    def __init__(
        self,
        pool: asyncpg.Pool,
        ratings: Ratings,
        *,
        limit_per_minute: int,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._pool = pool
        self._ratings = ratings
        self._limit = limit_per_minute
        self._counts = RequestCounts()
        self._now_s = now_s

    def count(self, source: str) -> None:
        """Count a request to try something out. Raises TooManyTrials."""
        allowance = self._counts.take(source, self._limit, self._now_s())
        if not allowance.is_granted:
            raise TooManyTrials(self._limit, allowance.window_s)

    async def run(self, session: CheckedSession, *, source: str) -> TrialAnswer:
        """Return the answer that a session would get, as of one moment.

        Raises the refusal it would get, as far as the source's own sessions show.
        """
        # Read-only, and without the lock on the head: no one waits for it, and it waits for no one.
        try:
            async with (
                self._pool.acquire() as connection,
                connection.transaction(isolation="repeatable_read", readonly=True),
            ):
                people = await read_own_people(connection, session, source=source)
                (submission,) = await fitting_warnings(
                    connection, [Submission("", source, session, None)]
                )
                identified = identify(submission, people.by_key)
                known = await self._known(connection, people, source)
                record = await read_own_sessions(connection, identified, people)
                await read_nights(connection, [identified], record, by_address=True)
                formula = formula_named(await connection.fetchval(READ_FORMULA))
        except (*DATABASE_AWAY, asyncpg.InFailedSQLTransactionError) as error:
            # A view that was swapped in the meantime breaks the transaction too.
            raise ServiceUnavailable from error
        judgment = judge(identified, record, record.fact_seq_next)
        return _answer(judgment, known, formula)

    async def _known(self, connection: Connection, people: OwnPeople, source: str) -> _Known:
        """Return everyone's standing, as far as the source may know."""
        seq, standings = await self._ratings.standings(connection, people.shown)
        told: dict[str, Standing] = {}
        if people.hidden:
            sessions = await last_sessions(connection, people.hidden, source=source)
            asked = {session_id for last in sessions.values() for session_id, _ in last}
            rated = await self._ratings.rated(connection, sorted(asked)) if asked else {}
            for player_id, last in sessions.items():
                found = next((rated[each] for each, _ in last if each in rated), None)
                standing = None if found is None else last_standing(found, player_id)
                if standing is not None:
                    told[player_id] = standing
        return _Known(seq, {**standings, **told}, people.nameless)


def _answer(judgment: Judgment, known: _Known, formula: Formula) -> TrialAnswer:
    if isinstance(judgment, MahjicError):
        raise judgment
    session = judgment.submission.session
    warnings = [
        *map(warning_of, session.warnings),
        *similar_warnings(judgment.similar),
    ]
    if isinstance(judgment, Replayed):
        warnings.append(_already(judgment))
        rated = None
    else:
        rated = _rated(judgment, known, formula)
    return trial_answer(
        rated,
        seq=known.seq,
        submitted_as=submitted_as(judgment.submission, judgment.identified.survivor_ids),
        warnings=warnings,
        on_record=judgment.on_record,
        nameless=known.nameless,
    )


def _rated(accepted: Accepted, known: _Known, formula: Formula) -> SessionRated:
    """Return the verdict that would come, computed by the rater's own code."""
    return rate_session(
        accepted.fact,
        formula,
        lambda player_id: known.standings.get(player_id, NEWCOMER),
        lambda players: players,
    )


def _already(replayed: Replayed) -> WarningAnswer:
    """Return what to say about a session that the source already has on record unchanged."""
    how = {"accepted": "counts already", "voided": "was voided", "corrected": "was corrected"}
    code = {"accepted": "already_recorded", "voided": "session_voided"}
    again = "Sending it again unchanged changes nothing."
    if replayed.status == "voided":
        again += ' To bring it back, send it again with "allow_duplicate": true, or correct it.'
    return {
        "pointer": "",
        "code": code.get(replayed.status, "session_corrected"),
        "message": f"This is your session {replayed.session_id}, which {how[replayed.status]}. "
        f"{again}",
        "session_id": replayed.session_id,
    }
