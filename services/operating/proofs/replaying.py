"""Replays the facts from nothing, and compares the result with everything published.

It uses the rater's own code, so it shows that the published ratings follow from the facts;
verifying.py shows without that code that they add up.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import Final

import orjson

from services.operating.as_it_is import LogsToRead
from services.operating.checkpoints import MemoryCheckpoints
from services.rater.answering import Rater, is_about_the_past, read_fact
from services.rater.threads import in_a_thread
from shared.errors import MahjicError
from shared.events.codec import decode_verdict
from shared.log.pages import records_of
from shared.log.port import Position, Record
from shared.replay.chronicle import Chronicle
from shared.replay.files import StoredColumns

# The engine names the program that wrote a verdict, and says nothing about the ratings.
NOT_COMPARED: Final = ("data", "engine")

Path = tuple[str | int, ...]
Progress = Callable[[str, int, int], None]


class ReplayDiffers(MahjicError):
    """The facts give a different verdict than the one that was published."""

    code = "replay_differs"
    title = "The published verdicts do not follow from the facts"


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """What was replayed: facts answered, verdicts compared, and how many matched to the byte.

    `facts_unanswered` came in later than the last verdict, and wait for the rater.
    """

    facts: int
    verdicts: int
    same_bytes: int
    facts_unanswered: int
    verdicts_end: Position


async def replay(logs: LogsToRead, engine: str, progress: Progress) -> ReplayResult:
    """Answer every fact again, and compare each number with what was published.

    The chains of both logs are proved by reading them. Raises ReplayDiffers at the first
    difference, LogGap and HistorySplit.
    """
    beginning = await logs.facts.beginning()
    rater = Rater(beginning, engine, Chronicle(StoredColumns()), MemoryCheckpoints())
    published = records_of(logs.verdicts, await logs.verdicts.beginning(), logs.verdicts_end.seq)
    counts = _Counts(logs.verdicts_end.seq)
    async for fact in records_of(logs.facts, beginning, logs.facts_end.seq):
        if counts.verdicts == logs.verdicts_end.seq:
            break
        for body in await _answers(rater, fact):
            await counts.compare(fact, body, published)
        counts.facts += 1
        progress(f"fact {fact.seq}", fact.seq, logs.facts_end.seq)
    left = logs.verdicts_end.seq - counts.verdicts
    if left:
        raise ReplayDiffers(
            f"The facts end at {logs.facts_end.seq}, and {left} more verdicts were published "
            "than these facts give. See docs/operations.md on repairing a log."
        )
    return ReplayResult(
        facts=counts.facts,
        verdicts=counts.verdicts,
        same_bytes=counts.same_bytes,
        facts_unanswered=logs.facts_end.seq - counts.facts,
        verdicts_end=logs.verdicts_end,
    )


async def _answers(rater: Rater, fact: Record) -> list[bytes]:
    """Return the verdicts on a fact; one about the past takes long, and can be stopped."""
    read = read_fact(fact)
    if is_about_the_past(read):
        return await in_a_thread(partial(rater.answer_fact, fact, read))
    return rater.answer_fact(fact, read)


@dataclass(slots=True)
class _Counts:
    verdicts_max: int
    facts: int = 0
    verdicts: int = 0
    same_bytes: int = 0

    async def compare(self, fact: Record, body: bytes, published: AsyncIterator[Record]) -> None:
        record = await anext(published, None)
        if record is None:
            raise ReplayDiffers(
                f"For fact {fact.seq}, a replay gives more verdicts than the "
                f"{self.verdicts_max} that were published. See docs/operations.md on repairing "
                "a log."
            )
        self.verdicts += 1
        if record.body == body:
            self.same_bytes += 1
        else:
            check_same_numbers(fact, record, body)


def check_same_numbers(fact: Record, published: Record, replayed: bytes) -> None:
    """Check that two verdicts say the same, apart from their engine. Raises ReplayDiffers."""
    decode_verdict(published.body)  # Raises if it is not a verdict at all.
    theirs, ours = orjson.loads(published.body), orjson.loads(replayed)
    for path, was, comes in differences(theirs, ours):
        if path == NOT_COMPARED:
            continue
        where = ".".join(map(str, path[1:] if path[0] == "data" else path))
        raise ReplayDiffers(
            f"Verdict {published.seq} on fact {fact.seq} ({theirs['type']}, {theirs['subject']}): "
            f"{where} was published as {was}, and comes out as {comes}. Verdicts are never "
            "changed: run the program that wrote it, and report this.",
            extra={"verdict_seq": published.seq, "fact_seq": fact.seq, "field": where},
        )


def differences(theirs: object, ours: object, path: Path = ()) -> Iterator[tuple[Path, str, str]]:
    """Yield where two JSON values differ: the path, and both as JSON; `nothing` for none."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for name in theirs | ours:
            both = theirs.get(name, _NOTHING), ours.get(name, _NOTHING)
            yield from differences(*both, (*path, name))
    elif isinstance(theirs, list) and isinstance(ours, list):
        for place, both in enumerate(zip_longest(theirs, ours, fillvalue=_NOTHING)):
            yield from differences(*both, (*path, place))
    elif theirs != ours or type(theirs) is not type(ours):
        yield path, _shown(theirs), _shown(ours)


_NOTHING: Final = object()


def _shown(value: object) -> str:
    return "nothing" if value is _NOTHING else orjson.dumps(value).decode()


def told(replayed: ReplayResult) -> Sequence[str]:
    """Return what a replay without a difference has shown, in sentences."""
    same = replayed.same_bytes == replayed.verdicts
    bytes_told = "all of them to the byte" if same else f"{replayed.same_bytes} to the byte"
    sentences = [
        f"{replayed.facts} facts give the {replayed.verdicts} verdicts published, {bytes_told}.",
        f"The chain of the verdicts ends with {replayed.verdicts_end.chain.hex()}.",
    ]
    if not same:
        sentences.append("The others name another engine, and are otherwise the same.")
    if replayed.facts_unanswered:
        sentences.append(f"{replayed.facts_unanswered} newer facts have not been answered yet.")
    return sentences
