"""Works out all ratings again from the facts, and compares every verdict with what comes out."""

from dataclasses import dataclass

from services.cli.checking.found import Findings
from services.cli.checking.kept_records import KeptLog
from services.operating.as_it_is import LogsToRead
from services.operating.proofs import replaying, verifying
from services.rater.engine import engine_digest
from shared.errors import MahjicError
from shared.events.codec import decode_verdict
from shared.log.port import Position


@dataclass(frozen=True, slots=True)
class RatedAgain:
    """How many facts were rated again, and how many verdicts came out as they were published."""

    facts: int
    verdicts: int


async def rate_again(
    facts: KeptLog, verdicts: KeptLog, findings: Findings, progress: replaying.Progress
) -> RatedAgain | None:
    """Rate all facts again, and add everything up; None if that ended at something wrong."""
    facts_end = Position(facts.log_id, len(facts.records.ends), b"")
    try:
        verdicts_end = Position(verdicts.log_id, _whole_answers(verdicts), b"")
        logs = LogsToRead(facts, verdicts, facts_end, verdicts_end)
        await verifying.verify(logs, progress)
        replayed = await replaying.replay(logs, engine_digest(), progress)
    except MahjicError as error:
        findings.add("ratings", error.detail)
        return None
    if count := replayed.facts_unanswered:
        findings.note(
            f"Facts at the end that have no whole verdict yet: {count}. What they do to ratings "
            "could not be checked."
        )
    return RatedAgain(replayed.facts, replayed.verdicts)


def _whole_answers(verdicts: KeptLog) -> int:
    """Return how many verdicts there are without the last answer, if that was cut off.

    A long answer is of many parts, and may be signed in the middle. Only one can be cut off.
    """
    count = len(verdicts.records.ends)
    if not count:
        return 0
    last = decode_verdict(verdicts.records.bodies(count - 1, 1)[0]).answers
    return count if last.part == last.parts else max(0, count - last.part)
