"""Works out all ratings again from the facts, and compares every verdict with what comes out."""

from dataclasses import dataclass

from services.cli.checking.found import Findings
from services.cli.checking.kept_records import KeptLog
from services.operating.as_it_is import LogsToRead
from services.operating.proofs import replaying, verifying
from services.rater.engine import engine_digest
from services.transparency.proving.finding import VerdictPart
from shared.errors import MahjicError
from shared.log.pages import records_of
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
    verdicts_end = await _last_whole_answer(verdicts, facts_end.seq)
    logs = LogsToRead(facts, verdicts, facts_end, verdicts_end)
    try:
        await verifying.verify(logs, progress)
        replayed = await replaying.replay(logs, engine_digest(), progress)
    except MahjicError as error:
        findings.add("ratings", error.detail)
        return None
    return RatedAgain(replayed.facts, replayed.verdicts)


async def _last_whole_answer(verdicts: KeptLog, fact_seq: int) -> Position:
    """Return the last verdict on one of the facts; both logs are signed on their own."""
    beginning = await verdicts.beginning()
    end = beginning
    async for record in records_of(verdicts, beginning, len(verdicts.records.ends)):
        part = VerdictPart.of(record)
        if part.fact_seq > fact_seq:
            break
        if part.part == part.parts:
            end = Position(verdicts.log_id, record.seq, record.chain)
    return end
