"""Sees a submission the way its source does: round by round, with people as the source knows them.

Pure. A source is not told who a player is merged with, unless it has named that player itself.
"""

from collections.abc import Set as AbstractSet

from services.ingest.record.judging.identified import Identified, submitted_as
from services.ingest.record.judging.known_night import Night
from services.ingest.record.judging.nights import KnownNight, compared, night_of
from services.ingest.record.judging.on_record import OnRecord, SeatIds


def night_on_record(
    identified: Identified, record: OnRecord, acquainted: AbstractSet[tuple[str, str]]
) -> Night | None:
    """Return the source's night that a submission repeats, if the source has part of it on record.

    A submission that is not a whole night is compared only with sessions that hold one of its
    rounds. Others may be known because of other submissions in the transaction.
    """
    submission = identified.submission
    known = record.nights_of(submission.source, submission.session.session_date)
    if not submission.session.is_whole_night:
        known = known.among(record.holding(submission.source, identified.round_prints))
    return compared(as_night(identified, acquainted), known, names_in(identified, acquainted))


def as_night(identified: Identified, acquainted: AbstractSet[tuple[str, str]]) -> KnownNight:
    """Return a submission round by round, with people as its source knows them."""
    submission = identified.submission
    return night_of(
        submission.session,
        _known_ids(identified, acquainted),
        identified.round_prints,
        session_id=submission.session_id,
        source=submission.source,
    )


def names_in(identified: Identified, acquainted: AbstractSet[tuple[str, str]]) -> dict[str, str]:
    """Return what the submission calls each player of `as_night`."""
    return submitted_as(identified.submission, _known_ids(identified, acquainted))


def _known_ids(identified: Identified, acquainted: AbstractSet[tuple[str, str]]) -> SeatIds:
    """Return who each seat is read as, as far as the source knows."""
    source = identified.submission.source
    return tuple(
        tuple(
            survivor if (source, own) in acquainted else own
            for own, survivor in zip(ids, survivors, strict=True)
        )
        for ids, survivors in zip(identified.player_ids, identified.survivor_ids, strict=True)
    )
