"""A page of many changes looks each record up once, however many rounds of it there are."""

from dataclasses import dataclass, field

from services.projections.history.reads import HistoryRequest
from services.projections.log.routes import Logs
from services.transparency.proving.proofs import Prover, prove_changes
from services.transparency.public_logs import PublicLogs
from shared.log.port import Log, Position, Record
from tests.projections.season import Round
from tests.transparency.proving.signed_world import SignedWorld

ROUNDS = 40


@dataclass
class CountedLog:
    """A log that counts how often it is read."""

    log: Log
    reads: list[int] = field(default_factory=list)

    async def beginning(self) -> Position:
        return await self.log.beginning()

    async def tail(self) -> Position:
        return await self.log.tail()

    async def last(self) -> Record | None:
        return await self.log.last()

    async def at(self, seq: int) -> Position | None:
        return await self.log.at(seq)

    async def read(self, after: Position, records_max: int) -> list[Record]:
        self.reads.append(after.seq + 1)
        return await self.log.read(after, records_max)

    async def wait_beyond(self, seq: int, wait_s: float) -> None:
        await self.log.wait_beyond(seq, wait_s)


async def test_the_record_of_a_session_is_proved_once_for_all_its_rounds(
    signed: SignedWorld,
) -> None:
    season = signed.season
    club = await season.source("club")
    people = [await season.player(number, source=club) for number in range(1, 4)]
    rounds = [Round({people[0]: 2, people[1]: 1, people[2]: 0}) for _ in range(ROUNDS)]
    _, fact = await season.play(club, *rounds)
    await signed.follow()
    facts, verdicts = CountedLog(season.facts), CountedLog(season.log)
    logs = Logs(facts=facts, verdicts=verdicts)
    prover = Prover(signed.world.reader, logs, PublicLogs(signed.folder))
    page = await prove_changes(prover, people[0], HistoryRequest(limit=50), None)
    assert len(page["changes"]) == ROUNDS
    assert facts.reads == [fact]
    assert len(verdicts.reads) <= 3
    (night,) = page["records"]["facts"]
    (verdict,) = page["records"]["verdicts"]
    assert night["record"] is not None
    assert verdict["record"] is not None
    behind = {(each["fact_seq"], each["verdict_seq"]) for each in page["changes"]}
    assert behind == {(night["seq"], verdict["seq"])}
