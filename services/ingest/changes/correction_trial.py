"""Tries out a correction: what would differ from the session on record. Records nothing.

It compares only with the source's own session, so it reveals nothing about other sources.
"""

from collections.abc import Mapping
from typing import Any

import asyncpg

from services.ingest.changes.changeable import AlreadyCorrected, find_session, newest_of
from services.ingest.record.ids_and_times import IdsAndTimes
from services.ingest.record.judging.identified import Identified, Submission, identify
from services.ingest.record.judging.nights import NightsOfDay, all_new, compared
from services.ingest.record.judging.own_night import as_night, names_in
from services.ingest.record.known.nights_on_record import read_session_night
from services.ingest.record.known.own_record import read_own_people
from services.ingest.record.known.points_sums import fitting_warnings
from services.ingest.record.known.returning import returned_seats
from services.ingest.record.known.whole_record import read_identified
from shared.answers.nights import CorrectionTrialAnswer
from shared.answers.shown import warning_of
from shared.db.away import DATABASE_AWAY
from shared.errors import ServiceUnavailable
from shared.log.postgres import Connection


async def try_correction(
    pool: asyncpg.Pool,
    ids_and_times: IdsAndTimes,
    submission: Submission,
    *,
    corrects: str,
    by: str | None,
    claim: Mapping[str, Any],
) -> CorrectionTrialAnswer:
    """Return what would change if a session replaced another.

    Raises UnknownSession, AlreadyCorrected or ServiceUnavailable.
    """
    try:
        async with (
            pool.acquire() as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            old = await find_session(connection, corrects, by=by)
            if old.status == "corrected":
                raise AlreadyCorrected(await newest_of(connection, [corrects]))
            identified = await _identified(connection, submission, ids_and_times, by=by)
            nights, acquainted = await read_session_night(
                connection, corrects, identified, is_for_operator=by is None
            )
            returned = await returned_seats(connection, corrects, identified.player_ids)
    except DATABASE_AWAY as error:
        raise ServiceUnavailable from error
    known = NightsOfDay()
    for night in nights:
        known.add(night)
    own = as_night(identified, acquainted)
    # Without a round in common, every round is different.
    tried = compared(own, known, names_in(identified, acquainted)) or all_new(own, known)
    return {
        "corrects": corrects,
        "status": "dry_run",
        "kind": tried.kind,
        "claim": claim,
        "rounds": [each.told() for each in tried.rounds],
        "warnings": [*map(warning_of, identified.submission.session.warnings), *returned],
    }


async def _identified(
    connection: Connection, submission: Submission, ids_and_times: IdsAndTimes, *, by: str | None
) -> Identified:
    """Return a submission with ids for people. A source gets them only for people it has named.

    For everyone else the work is the same, whether Mahjic knows them or not.
    """
    if by is None:
        return await read_identified(connection, submission, ids_and_times)
    (submission,) = await fitting_warnings(connection, [submission])
    people = await read_own_people(connection, submission.session, source=by)
    return identify(submission, people.by_key)
