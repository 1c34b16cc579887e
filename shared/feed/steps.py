"""Works out what each build has not applied yet, and where it will be after that.

Nothing is read or written here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import asyncpg

from shared.feed.views import Build, LoggedVerdict, VerdictBatch
from shared.log.port import HistorySplit, Position


@dataclass(frozen=True, slots=True)
class Step:
    """What one build applies, and where it is before and after."""

    before: Build
    after: Build
    batch: VerdictBatch


def next_steps(
    builds: Sequence[Build], entries: Sequence[LoggedVerdict], people: Sequence[asyncpg.Record]
) -> list[Step]:
    """Return what each build has not applied yet; builds at the same place share a batch."""
    batches: dict[tuple[int, int], VerdictBatch] = {}
    steps = []
    for build in builds:
        _check_held(build, entries)
        place = (build.position.seq, build.people_seq)
        batch = batches.get(place)
        if batch is None:
            batch = batches[place] = _batch_after(*place, entries, people)
        steps.append(Step(build, _after(build, batch, people), batch))
    return steps


def _check_held(build: Build, entries: Sequence[LoggedVerdict]) -> None:
    """Check that a build that is ahead has applied the same records. Raises HistorySplit."""
    held = build.position
    for entry in entries:
        if entry.record.seq > held.seq:
            return
        if entry.record.seq == held.seq and entry.record.chain != held.chain:
            raise HistorySplit(
                f"The build {build.schema} has a different record {held.seq} than the log. "
                "Stop, and see docs/operations.md on repairing a log."
            )


def _batch_after(
    seq: int, people_seq: int, entries: Sequence[LoggedVerdict], people: Sequence[asyncpg.Record]
) -> VerdictBatch:
    fresh = [entry for entry in entries if entry.record.seq > seq]
    changed = [row["player_id"] for row in people if row["seq"] > people_seq]
    return VerdictBatch(fresh, list(dict.fromkeys(changed)))


def _after(build: Build, batch: VerdictBatch, people: Sequence[asyncpg.Record]) -> Build:
    after = build
    if batch.entries:
        last = batch.entries[-1]
        answers = last.verdict.answers
        # A fact counts as answered once all parts of its verdict are there.
        is_whole = answers.part == answers.parts
        after = replace(
            after,
            position=Position(build.position.log_id, last.record.seq, last.record.chain),
            fact_seq=answers.fact_seq if is_whole else answers.fact_seq - 1,
            correcting=None if is_whole else (answers.part, answers.parts),
        )
    if batch.changed_people:
        after = replace(after, people_seq=people[-1]["seq"])
    return after
