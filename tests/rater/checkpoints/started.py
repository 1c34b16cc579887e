"""A rater that starts beside a folder of its own, watched while it rates a history."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from services.rater.manifest import read_manifest
from services.rater.saving import Pace
from services.rater.worker import Progress, run_rater
from shared.events.facts import FactEvent
from shared.log.port import FactLog, Position, Record
from tests.log.adapters import Logs, TheseLogs
from tests.log.deadlines import until
from tests.rater.running import canceled
from tests.rater.stories import ENGINE, a_round, a_session

# Everything is saved at once, and checkpoints lie as near to each other as can be.
EAGER = Pace(save_facts=1, gap_facts=1, saving_share=1.0)
STEPS = 120


@dataclass(slots=True)
class Started:
    """A rater that was started, and what it told of its progress."""

    logs: Logs
    folder: Path | None
    pace: Pace = EAGER
    engine: str = ENGINE
    told: list[Progress] = field(default_factory=list)
    task: "asyncio.Task[Any]" = field(init=False)

    def __post_init__(self) -> None:
        self.task = asyncio.create_task(
            run_rater(
                self.logs.facts,
                self.logs.verdicts,
                holder="one",
                engine=self.engine,
                folder=self.folder,
                pace=self.pace,
                tell=self.told.append,
            )
        )

    async def until_rated(self, fact_seq: int) -> None:
        async def is_rated() -> bool:
            if self.task.done():
                await self.task  # It left, and says why.
            return bool(self.told) and self.told[-1].fact_seq == fact_seq

        await until(is_rated)

    async def until_saved(self, fact_seq: int) -> None:
        assert self.folder is not None
        folder = self.folder

        async def is_saved() -> bool:
            manifest = read_manifest(folder)
            return manifest is not None and manifest.seq == fact_seq

        await until(is_saved)


async def rated(
    logs: Logs, bodies: Sequence[bytes], folder: Path | None, *, pace: Pace = EAGER
) -> None:
    """Append facts, and let a rater answer all that are there and save what it knows."""
    if bodies:
        await logs.facts.append(bodies)
    end = (await logs.facts.tail()).seq
    rater = Started(logs, folder, pace)
    try:
        await rater.until_rated(end)
        if folder is not None and pace is EAGER:
            await rater.until_saved(end)
    finally:
        await canceled(rater.task)


def warnings(logged: Sequence[Any]) -> str:
    return " ".join(
        f"{each['event']}: {each['reason']}" for each in logged if each["log_level"] == "warning"
    )


class CountedFacts:
    """A log of facts that counts what is read from it."""

    def __init__(self, log: FactLog) -> None:
        self._log = log
        self.read_seqs: list[int] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    async def read(self, after: Position, records_max: int) -> list[Record]:
        records = await self._log.read(after, records_max)
        self.read_seqs += [record.seq for record in records]
        return records


def counting(logs: Logs) -> tuple[Logs, list[int]]:
    facts = CountedFacts(logs.facts)
    return TheseLogs(facts, logs.verdicts, logs.harm), facts.read_seqs


def sessions(count: int) -> list[FactEvent]:
    """Return sessions s-0, s-1 ..., in which everybody meets everybody."""
    players = ("MJ-ADA", "MJ-BO", "MJ-CLEO", "MJ-DREW", "MJ-EVE")
    return [
        a_session(
            a_round({players[number % 5]: 2, players[(number + 1 + number // 5 % 4) % 5]: 1}),
            name=f"s-{number}",
        )
        for number in range(count)
    ]
