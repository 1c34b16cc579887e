"""What stands in one round at a table: its games, penalties and totals, and who confirmed it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from shared.tables.books import Book, GameOutcome, NotCounted, has_points, outcome_of
from shared.tables.entries import Entry, Subject
from shared.tables.limits import ANSWERS_TOLD_MAX, PENALTIES_OF_ROUND_MAX

# `counts`: one result stands. `two_answers`: somebody has to decide. `not_counted`: nothing that
# stands can count. `taken_back`: as if it had never been entered.
Status: TypeAlias = Literal["counts", "two_answers", "not_counted", "taken_back"]
NO_SEATS = "Nobody has a seat at this table in this round. Set the seats, and it counts."


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

    Of the answers, those that can count come first, in the order in which they came; at most 10 are
    told of `answer_count`.
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
    nothing is left to decide and as many games stand as were planned.
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
        return tuple(
            each.answers[0].entries[0].entry_id
            for each in (*self.games, *self.penalties)
            if each.status == "counts"
        )


def round_of(
    number: int,
    book: Book,
    planned: int,
    people: tuple[int, ...],
    standing: Mapping[Subject, Sequence[Entry]],
) -> RoundState:
    """Return what stands in a round, before anybody confirms it.

    `standing` are the entries that nothing replaces, by subject, in the order in which they came.
    """
    told = [_state_of(about, entries, book, people) for about, entries in standing.items()]
    games = sorted((each for each in told if each.about.kind == "game"), key=_game_number)
    penalties = list(_limited(each for each in told if each.about.kind == "penalty"))
    outcomes = [each.outcome for each in games if each.outcome is not None]
    return RoundState(
        number,
        people,
        planned,
        tuple(games),
        tuple(penalties),
        tuple(_totals(book, people, outcomes, penalties)),
        len(outcomes),
        sum(each.winner is None for each in outcomes),
        (),
    )


def confirmed_by(
    state: RoundState, book: Book, right: Sequence[Entry], named: Mapping[str, Entry]
) -> RoundState:
    """Return a round with the people for whom somebody said that just this is right.

    `right` are the last confirmations of phones; `named` has the entries of the list by their ids.
    Something else that stands, or a question, makes a confirmation lapse.
    """
    now = {
        each.about: each.outcome
        for each in (*state.games, *state.penalties)
        if each.outcome is not None
    }
    if not now or state.questions:
        return state
    confirmed: set[int] = set()
    for entry in right:
        if entry.content is None:
            continue
        said = [named.get(entry_id) for entry_id in entry.content["stands"]]
        if None in said or {each.about for each in said if each is not None} != now.keys():
            continue
        if all(
            each is not None and _outcome(each, book, state.people) == now[each.about]
            for each in said
        ):
            confirmed.update(entry.content["for"])
    return replace(state, confirmed=tuple(each for each in state.people if each in confirmed))


def _state_of(
    about: Subject, entries: Sequence[Entry], book: Book, people: Sequence[int]
) -> SubjectState:
    """Return what stands for one subject."""
    by_answer: dict[tuple[GameOutcome | None, str], list[Entry]] = {}
    for entry in entries:
        outcome, why_not = None, ""
        if entry.content is not None:
            try:
                outcome = _outcome_of(entry, book, people)
            except NotCounted as wrong:
                why_not = str(wrong)
        by_answer.setdefault((outcome, why_not), []).append(entry)
    answers = [
        StandingAnswer(
            outcome,
            tuple(said[:ANSWERS_TOLD_MAX]),
            len(said),
            len({each.device for each in said}),
            why_not,
        )
        for (outcome, why_not), said in by_answer.items()
    ]
    answers.sort(key=lambda each: each.why_not != "")
    able = [each for each in answers if not each.why_not]
    outcomes = [each.outcome for each in able]
    status: Status
    if len(able) > 1:
        status = "two_answers"
    elif able:
        status = "taken_back" if outcomes[0] is None else "counts"
    else:
        status = "not_counted" if answers else "taken_back"
    counted = outcomes[0] if status == "counts" else None
    return SubjectState(about, status, counted, tuple(answers[:ANSWERS_TOLD_MAX]), len(answers))


def _outcome_of(entry: Entry, book: Book, people: Sequence[int]) -> GameOutcome:
    """Return what an entry about a game or a penalty comes to. Raises NotCounted."""
    assert entry.content is not None
    if not people:
        raise NotCounted(NO_SEATS)
    if entry.about.kind == "game":
        return outcome_of(entry.content, book, people)
    person = entry.content["person"]
    if not has_points(book):
        raise NotCounted("There are no points tonight, so no penalties either.")
    if person not in people:
        raise NotCounted("The penalty is for somebody who doesn't sit here in this round.")
    points = entry.content["points"]
    return GameOutcome(None, tuple(points if each == person else 0 for each in people))


def _outcome(entry: Entry, book: Book, people: Sequence[int]) -> GameOutcome | None:
    try:
        return None if entry.content is None else _outcome_of(entry, book, people)
    except NotCounted:
        return None


def _limited(penalties: Iterable[SubjectState]) -> Iterator[SubjectState]:
    """Yield the penalties; of those that could count, no more count than a round may have."""
    room = PENALTIES_OF_ROUND_MAX
    for each in penalties:
        if each.status == "counts":
            if room == 0:
                why = f"A round has at most {PENALTIES_OF_ROUND_MAX} penalties."
                first = replace(each.answers[0], outcome=None, why_not=why)
                yield replace(each, status="not_counted", outcome=None, answers=(first,))
                continue
            room -= 1
        yield each


def _totals(
    book: Book,
    people: Sequence[int],
    outcomes: Sequence[GameOutcome],
    penalties: Sequence[SubjectState],
) -> Iterator[Total]:
    """Yield what each person has, in the order of the seats."""
    lost = [each.outcome for each in penalties if each.outcome is not None]
    for seat, person in enumerate(people):
        points = [each.points_centi[seat] for each in (*outcomes, *lost) if each.points_centi]
        mahjongs = sum(each.winner == person for each in outcomes)
        yield Total(person, len(outcomes), mahjongs, sum(points) if has_points(book) else None)


def _game_number(state: SubjectState) -> int:
    assert isinstance(state.about.which, int)
    return state.about.which
