"""What stands in one round at a table: its games, penalties and totals, and who confirmed it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from shared.tables.books import Book, GameOutcome, has_points
from shared.tables.entries import Entry, Subject

# `counts`: one result stands. `two_answers`: somebody has to decide. `not_counted`: nothing that
# stands can count. `taken_back`: as if it had never been entered.
Status: TypeAlias = Literal["counts", "two_answers", "not_counted", "taken_back"]


@dataclass(frozen=True, slots=True)
class StandingAnswer:
    """One of the answers that stand for a subject, and the entries that say so.

    `outcome` is None if it is that nothing was played, or if it can't count; then `why_not` says
    why. `entries` are at most 10 of `count`, in the order in which they came.
    """

    outcome: GameOutcome | None
    entries: tuple[Entry, ...]
    count: int
    phones: int
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class SubjectState:
    """What stands for a game or a penalty.

    Of the answers, those that can count come first, in the order since when they stand; at most 10
    are told of `answer_count`.
    """

    about: Subject
    status: Status
    outcome: GameOutcome | None
    answers: tuple[StandingAnswer, ...]
    answer_count: int


@dataclass(frozen=True, slots=True)
class Total:
    """What one person has in a round. Points are in hundredths, None if the book has none."""

    person: int
    games: int
    mahjongs: int
    points_centi: int | None


@dataclass(frozen=True, slots=True)
class RoundState:
    """What stands in a round at a table.

    `confirmed` are the people for whom somebody said that what stands is right. A round is whole if
    nothing is left to decide and as many games stand as were planned. `penalties_left_out` are so
    many that nobody looks at them: a phone that sends hundreds is one to remove.
    """

    round: int
    people: tuple[int, ...]
    planned: int
    games: tuple[SubjectState, ...]
    penalties: tuple[SubjectState, ...]
    totals: tuple[Total, ...]
    played: int
    wall_games: int
    confirmed: tuple[int, ...]
    penalties_left_out: int

    @property
    def counted(self) -> tuple[SubjectState, ...]:
        """The games and penalties that count."""
        told = (*self.games, *self.penalties)
        return tuple(each for each in told if each.status == "counts")

    @property
    def questions(self) -> tuple[SubjectState, ...]:
        """What somebody has to decide before the round can be closed."""
        told = (*self.games, *self.penalties)
        return tuple(each for each in told if each.status == "two_answers")

    @property
    def is_whole(self) -> bool:
        """Whether every planned game is accounted for, and nothing is left to decide."""
        return not self.questions and self.played >= self.planned

    @property
    def stands(self) -> tuple[str, ...]:
        """The ids by which somebody confirms the round: one of each result that counts."""
        return tuple(each.answers[0].entries[0].entry_id for each in self.counted)


def round_of(
    number: int,
    book: Book,
    planned: int,
    people: tuple[int, ...],
    *,
    games: tuple[SubjectState, ...],
    penalties: tuple[SubjectState, ...],
    penalties_left_out: int,
) -> RoundState:
    """Return what stands in a round, before anybody confirms it."""
    outcomes = [each.outcome for each in games if each.outcome is not None]
    lost = [each.outcome for each in penalties if each.outcome is not None]
    return RoundState(
        number,
        people,
        planned,
        games,
        penalties,
        tuple(_totals(book, people, outcomes, lost)),
        len(outcomes),
        sum(each.winner is None for each in outcomes),
        (),
        penalties_left_out,
    )


def _totals(
    book: Book, people: Sequence[int], games: Sequence[GameOutcome], lost: Sequence[GameOutcome]
) -> Iterator[Total]:
    """Yield what each person has, in the order of the seats."""
    for seat, person in enumerate(people):
        points = [each.points_centi[seat] for each in (*games, *lost) if each.points_centi]
        mahjongs = sum(each.winner == person for each in games)
        yield Total(person, len(games), mahjongs, sum(points) if has_points(book) else None)
