"""Says what happened to a session that is sent again: that nothing new counts, and what to do.

Pure. By its numbers, a voided or corrected session looks just like one that counts. So each repeat
says in words whether it counts.
"""

from datetime import UTC, datetime
from typing import Final

from services.ingest.record.judging.judgment import Replayed
from services.ingest.record.judging.on_record import Ended
from shared.errors import Mistake

WHOLE: Final = ""


def told_again(replayed: Replayed) -> Mistake:
    """Return what to tell a source that repeats a session, as a warning about all of it."""
    session_id, ended = replayed.session_id, replayed.earlier.ended
    if replayed.status == "accepted":
        since = _when("since", replayed.earlier.submitted_at)
        message = f"{session_id} is on record{since or ' already'}; nothing new was counted."
        return Mistake(WHOLE, "already_recorded", message)
    assert ended is not None, "What no longer counts was ended by a fact."
    what = f"{session_id} was {replayed.status}{_when('on', ended.at)} ({ended.reason})"
    message = f"{what}; nothing was counted. {_way_on(replayed, ended)}"
    return Mistake(WHOLE, f"session_{replayed.status}", message)


def _way_on(replayed: Replayed, ended: Ended) -> str:
    """Say which session counts, or how to bring back what none does."""
    newest = ended.newest or replayed.session_id
    if ended.newest_counts:
        return f"{newest} counts instead. To change what counts, correct that one."
    if replayed.counting is not None:
        return f"{replayed.counting} has the same content, and counts."
    voided = "" if ended.newest is None else f"{newest}, which replaced it, is voided too. "
    again = 'send it again with "allow_duplicate": true'
    if replayed.submission.session.allow_duplicate:
        again = "send it again with a new Idempotency-Key"
    return f"{voided}To bring it back, {again}, or correct {newest}."


def _when(word: str, moment: datetime | None) -> str:
    if moment is None:
        return ""
    return f" {word} {moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
