"""Traces a player's ratings back to the facts: every change ever published, and its cause.

The changes are added up, and the ratings are computed again from the facts alone.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from services.foresight.season import read_season
from services.operating.as_it_is import BothLogs
from services.operating.proofs.verifying import (
    START,
    Numbers,
    SumLawBroken,
    changes_of_correction,
    changes_of_round,
    told_numbers,
)
from services.rater.threads import in_a_thread
from shared.errors import MahjicError
from shared.events.codec import Verdict, decode_verdict
from shared.events.facts import (
    FormulaAdoptedFromBeginning,
    PlayersMerged,
    PlayersUnmerged,
    SeatsReassigned,
    SessionCorrected,
    SessionsVoided,
)
from shared.events.verdicts import RatingsCorrected, SessionRated
from shared.log.pages import records_of
from shared.log.port import Record
from shared.rating.columns import Standings
from shared.replay.chronicle import Chronicle
from shared.replay.replay import Replay

Progress = Callable[[str, int, int], None]


class NeverRated(MahjicError):
    """No verdict names the player."""

    code = "never_rated"
    title = "No verdict names this player"
    status = 404


class AuditDiffers(MahjicError):
    """The facts give a player different ratings than were published."""

    code = "audit_differs"
    title = "The published ratings do not follow from the facts"


@dataclass(frozen=True, slots=True)
class PublishedChange:
    """A published change: its cause, and the numbers before and after it.

    `what` is the session of a round, or the cause of a correction; `round_no` is None there.
    """

    player_id: str
    verdict_seq: int
    fact_seq: int
    fact_chain: str
    time: str
    formula: str
    what: str
    round_no: int | None
    before: Numbers
    after: Numbers

    @property
    def change_id(self) -> str:
        """The id of the change, by which anyone can look it up."""
        round_no = "" if self.round_no is None else f".{self.round_no}"
        return f"{self.player_id}.{self.fact_seq}{round_no}"


@dataclass(frozen=True, slots=True)
class Audit:
    """All changes of a player, and of the ids merged into it, in the order published."""

    player_id: str
    members: tuple[str, ...]
    merged_into: str | None
    entries: tuple[PublishedChange, ...]
    now: Mapping[str, Numbers]
    fact_seq: int


async def audit(logs: BothLogs, player_id: str, progress: Progress) -> Audit:
    """Trace a player's ratings back to the facts.

    Raises NeverRated, SumLawBroken and AuditDiffers, LogGap and HistorySplit.
    """
    links = await _links(logs, progress)
    members = tuple(sorted(each for each in {player_id, *links} if _is_of(each, player_id, links)))
    entries: list[PublishedChange] = []
    now: dict[str, Numbers] = dict.fromkeys(members, START)
    async for last in _verdicts(logs, progress):
        if not any(each.encode() in last.body for each in members):
            continue
        for entry in _entries(last, decode_verdict(last.body), now):
            if entry.before != now[entry.player_id]:
                raise SumLawBroken(
                    f"The change {entry.change_id} does not start where the one before it "
                    "ends. Run `mahjic verify`, and see docs/operations.md on repairing a "
                    "log."
                )
            now[entry.player_id] = entry.after
            entries.append(entry)
    if not entries:
        raise NeverRated(
            f"No verdict names {player_id}. Check the id; someone who has never played has no "
            "changes."
        )
    fact_seq = decode_verdict(last.body).answers.fact_seq
    await _check_by_facts(logs, now, fact_seq, progress)
    return Audit(player_id, members, links.get(player_id), tuple(entries), now, fact_seq)


async def _links(logs: BothLogs, progress: Progress) -> dict[str, str]:
    """Return which id is merged into which, at the end of the verdicts."""
    links: dict[str, str] = {}
    async for record in _verdicts(logs, progress):
        if RatingsCorrected.TYPE.encode() not in record.body:
            continue
        event = decode_verdict(record.body).event
        if not isinstance(event, RatingsCorrected) or not event.data:
            continue
        if event.fact_type == PlayersMerged.TYPE:
            links[event.data["player_id"]] = event.data["into"]
        elif event.fact_type == PlayersUnmerged.TYPE:
            links.pop(event.data["player_id"], None)
    return links


def _is_of(player_id: str, survivor: str, links: Mapping[str, str]) -> bool:
    """Return whether an id is the survivor, or merged into it by any number of steps."""
    while player_id != survivor:
        if player_id not in links:
            return False
        player_id = links[player_id]
    return True


async def _verdicts(logs: BothLogs, progress: Progress) -> AsyncIterator[Record]:
    beginning, end = await logs.verdicts.beginning(), logs.verdicts_end.seq
    async for record in records_of(logs.verdicts, beginning, end):
        progress(f"verdict {record.seq}", record.seq, end)
        yield record


def _entries(
    record: Record, verdict: Verdict, wanted: Mapping[str, Numbers]
) -> Iterator[PublishedChange]:
    answers, event = verdict.answers, verdict.event
    blank = PublishedChange(
        player_id="",
        verdict_seq=record.seq,
        fact_seq=answers.fact_seq,
        fact_chain=answers.fact_chain.hex(),
        time=verdict.time,
        formula=answers.formula,
        what="",
        round_no=None,
        before=START,
        after=START,
    )
    if isinstance(event, SessionRated):
        for round_no, rated in enumerate(event.rounds, start=1):
            for player_id, before, after in changes_of_round(rated):
                if player_id in wanted:
                    yield replace(
                        blank,
                        player_id=player_id,
                        what=event.session_id,
                        round_no=round_no,
                        before=before,
                        after=after,
                    )
    elif isinstance(event, RatingsCorrected):
        for player_id, before, after in changes_of_correction(event):
            if player_id in wanted:
                what = _cause(event.fact_type, event.data, verdict.subject)
                yield replace(blank, player_id=player_id, what=what, before=before, after=after)


def _cause(fact_type: str, fact: Mapping[str, Any], subject: str) -> str:
    """Return what a correction was; only its first part has the data of the fact."""
    cause = CAUSES.get(fact_type, fact_type)
    reason = f" ({fact['reason']})" if "reason" in fact else ""
    return f"{cause} {subject}{reason}"


CAUSES: Final = {
    SessionsVoided.TYPE: "void of",
    SessionCorrected.TYPE: "correction by",
    PlayersMerged.TYPE: "merge of",
    PlayersUnmerged.TYPE: "unmerge of",
    SeatsReassigned.TYPE: "reseat of",
    FormulaAdoptedFromBeginning.TYPE: "from the beginning",
}


async def _check_by_facts(
    logs: BothLogs, published: Mapping[str, Numbers], fact_seq: int, progress: Progress
) -> None:
    """Compute the ratings again from the facts alone. Raises AuditDiffers."""
    chronicle = (await read_season(logs.facts, fact_seq, progress)).chronicle
    standings = await in_a_thread(partial(_rated, chronicle, fact_seq))
    for player_id, numbers in published.items():
        index = chronicle.find_player(player_id)
        by_facts = START if index is None else tuple(standings.numbers[index].tolist())
        if by_facts != numbers:
            raise AuditDiffers(
                f"According to the facts, {player_id} is at {told_numbers(by_facts)}, but was "
                f"published at {told_numbers(numbers)}. Run `mahjic replay`, which names the "
                "first verdict that differs."
            )


def _rated(chronicle: Chronicle, as_of: int, check_stopped: Callable[[], None]) -> Standings:
    """Return everyone's standing after a fact.

    `check_stopped` is called now and then, and may raise.
    """
    replay = Replay(chronicle, as_of)
    for _ in replay.stretches(as_of + 1):
        check_stopped()
    return replay.standings


def told(found: Audit) -> Sequence[str]:
    """Return what the audit has shown, in sentences."""
    sentences = [
        f"{len(found.entries)} changes, each with the verdict and the fact behind it.",
        *(
            f"1500.00 and the changes of {player_id} are {told_numbers(numbers)}."
            for player_id, numbers in found.now.items()
        ),
        f"Replaying the facts up to {found.fact_seq} gives the same.",
    ]
    if found.merged_into is not None:
        sentences.append(f"It is merged into {found.merged_into}, which gets its rounds.")
    others = [each for each in found.members if each != found.player_id]
    if others:
        sentences.append(f"Merged into it: {', '.join(others)}.")
    return sentences
