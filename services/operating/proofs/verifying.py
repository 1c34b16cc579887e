"""Verifies both logs without any of the rater's code: their chains, their order, and their sums.

For every player, 1500.00 plus all changes ever published is the current rating, in both pools.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from services.operating.as_it_is import LogsToRead
from shared.errors import MahjicError
from shared.events.codec import decode_verdict
from shared.events.verdicts import Answers, RatedRound, RatingsCorrected, SessionRated, VerdictEvent
from shared.ids import BOB
from shared.log.pages import records_of
from shared.log.port import Position, Record

START: Final = (150_000, 0, 150_000, 0)

# Rating in centi and games, in the mahjic pool and then in the verified pool.
Numbers: TypeAlias = tuple[int, int, int, int]
Progress = Callable[[str, int, int], None]


class LogsDisagree(MahjicError):
    """The verdicts are not the answers to the facts, one after the other."""

    code = "logs_disagree"
    title = "The log of verdicts does not answer the log of facts"


class SumLawBroken(MahjicError):
    """A published number does not continue from the one before it."""

    code = "sum_law_broken"
    title = "The published changes do not add up"


@dataclass(frozen=True, slots=True)
class Verified:
    """What was verified: both logs up to their ends, and everyone's sums."""

    facts_end: Position
    verdicts_end: Position
    facts_answered: int
    changes: int
    players: int


async def verify(logs: LogsToRead, progress: Progress) -> Verified:
    """Read both logs whole, and check every link and every sum.

    Raises LogGap and HistorySplit where a chain breaks, LogsDisagree and SumLawBroken.
    """
    facts = records_of(logs.facts, await logs.facts.beginning(), logs.facts_end.seq)
    beginning = await logs.verdicts.beginning()
    sums, turns = Sums(), _Turns()
    async for record in records_of(logs.verdicts, beginning, logs.verdicts_end.seq):
        verdict = decode_verdict(record.body)
        if verdict.answers.part == 1:
            turns.fact = await anext(facts, None)
        turns.check(record, verdict.answers)
        sums.take_in(record.seq, verdict.event)
        progress(f"verdict {record.seq}", record.seq, logs.verdicts_end.seq)
    turns.check_whole()
    answered = 0 if turns.fact is None else turns.fact.seq
    async for fact in facts:  # The rest of the chain, which waits for the rater.
        progress(f"fact {fact.seq}", fact.seq, logs.facts_end.seq)
    return Verified(logs.facts_end, logs.verdicts_end, answered, sums.changes, len(sums.numbers))


class Sums:
    """Everyone's numbers, added up from the changes alone."""

    def __init__(self) -> None:
        self.numbers: dict[str, Numbers] = {}
        self.changes = 0

    def take_in(self, verdict_seq: int, event: VerdictEvent) -> None:
        """Add the changes of a verdict. Raises SumLawBroken."""
        if isinstance(event, SessionRated):
            for rated in event.rounds:
                self._add(verdict_seq, changes_of_round(rated))
        elif isinstance(event, RatingsCorrected):
            self._add(verdict_seq, changes_of_correction(event))

    def _add(self, verdict_seq: int, changes: "Iterator[Change]") -> None:
        for player_id, before, after in changes:
            held = self.numbers.get(player_id, START)
            if held != before:
                raise SumLawBroken(
                    f"Verdict {verdict_seq} has {player_id} start at {told_numbers(before)}, "
                    f"but the changes published before it come to {told_numbers(held)}. "
                    "Verdicts are never changed: see docs/operations.md on repairing a log, "
                    "and report this.",
                    extra={"verdict_seq": verdict_seq, "player_id": player_id},
                )
            if player_id != BOB:
                self.numbers[player_id] = after
            elif after != START:
                raise SumLawBroken(f"Verdict {verdict_seq} moves Bob, who never moves.")
            self.changes += 1


Change: TypeAlias = tuple[str, Numbers, Numbers]


def changes_of_round(rated: RatedRound) -> Iterator[Change]:
    """Yield the players of a round, with the numbers before and after it."""
    for seat, player_id in enumerate(rated.players):
        yield _change(rated, player_id, seat)


def changes_of_correction(corrected: RatingsCorrected) -> Iterator[Change]:
    """Yield the players in a part of a correction, with the numbers before and after it."""
    for place, player_id in enumerate(corrected.players):
        yield _change(corrected, player_id, place)


def _change(columns: RatedRound | RatingsCorrected, player_id: str, place: int) -> Change:
    rating, verified = columns.rating_before[place], columns.verified_rating_before[place]
    before = (
        rating,
        columns.games_before[place],
        verified,
        columns.verified_games_before[place],
    )
    after = (
        rating + columns.rating_change[place],
        columns.games_after[place],
        verified + columns.verified_rating_change[place],
        columns.verified_games_after[place],
    )
    return player_id, before, after


@dataclass(slots=True)
class _Turns:
    """Which fact is being answered, and how much of the answer has been read."""

    fact: Record | None = None
    part: int = 0
    parts: int = 0

    def check(self, record: Record, answers: Answers) -> None:
        is_next = answers.part == 1 and self.part == self.parts
        is_more = answers.part == self.part + 1 and answers.parts == self.parts
        if not (is_next or (is_more and answers.part > 1)):
            raise LogsDisagree(
                f"Verdict {record.seq} is part {answers.part} of {answers.parts}, after part "
                f"{self.part} of {self.parts}. {REPAIR}"
            )
        expected = None if self.fact is None else (self.fact.seq, self.fact.chain)
        if (answers.fact_seq, answers.fact_chain) != expected:
            which = "a fact that does not exist" if expected is None else f"fact {expected[0]}"
            raise LogsDisagree(
                f"Verdict {record.seq} answers fact {answers.fact_seq} with the chain "
                f"{answers.fact_chain.hex()}, where {which} is to be answered. {REPAIR}"
            )
        self.part, self.parts = answers.part, answers.parts

    def check_whole(self) -> None:
        if self.part != self.parts:
            raise LogsDisagree(
                f"The verdicts end with part {self.part} of {self.parts} of an answer. {REPAIR}"
            )


REPAIR: Final = "See docs/operations.md on repairing a log."


def told_numbers(numbers: Numbers) -> str:
    """Return a player's numbers in both pools as people read them."""
    rating, games, verified_rating, verified_games = numbers
    return (
        f"{rating / 100:.2f} after {games} games "
        f"(verified {verified_rating / 100:.2f} after {verified_games})"
    )


def told(verified: Verified) -> Sequence[str]:
    """Return what was verified, in sentences."""
    facts, verdicts = verified.facts_end, verified.verdicts_end
    waiting = facts.seq - verified.facts_answered
    sentences = [
        f"Facts: {facts.seq} in an unbroken chain that ends with {facts.chain.hex()}.",
        f"Verdicts: {verdicts.seq} in an unbroken chain that ends with {verdicts.chain.hex()}.",
        f"Every fact up to {verified.facts_answered} is answered once, in order.",
        f"{verified.changes} changes of {verified.players} players add up in both pools.",
    ]
    return (
        [*sentences, (f"{waiting} newer facts have not been answered yet.")]
        if waiting
        else sentences
    )
