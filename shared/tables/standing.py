"""Works out what stands for one game or penalty, entry by entry.

An entry is judged once, when it comes, and a look takes no longer for all that came before it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Final

from shared.tables.books import Book, GameOutcome, NotCounted, has_points, outcome_of
from shared.tables.entries import Entry, Subject
from shared.tables.limits import ANSWERS_TOLD_MAX
from shared.tables.rounds import StandingAnswer, Status, SubjectState

NO_SEATS: Final = "Nobody has a seat at this table in this round. Set the seats, and it counts."


@dataclass(frozen=True, slots=True)
class JudgedEntry:
    """What an entry comes to: None if nothing was played, or if it can't count, as `why_not` says.

    Entries that come to the same are equal in what counts.
    """

    outcome: GameOutcome | None
    why_not: str = ""


def judged(entry: Entry, book: Book, people: Sequence[int]) -> JudgedEntry:
    """Return what an entry about a game or a penalty comes to for those who sit there."""
    if entry.content is None:
        return JudgedEntry(None)
    try:
        return JudgedEntry(_outcome_of(entry, book, people))
    except NotCounted as wrong:
        return JudgedEntry(None, str(wrong))


@dataclass(slots=True)
class _Answer:
    """The entries that stand and come to the same, and how many each phone has among them."""

    entries: dict[str, Entry] = field(default_factory=dict)
    by_phone: dict[int, int] = field(default_factory=dict)

    def add(self, entry: Entry) -> None:
        self.entries[entry.entry_id] = entry
        self.by_phone[entry.device] = self.by_phone.get(entry.device, 0) + 1

    def remove(self, entry_id: str) -> None:
        device = self.entries.pop(entry_id).device
        self.by_phone[device] -= 1
        if not self.by_phone[device]:
            del self.by_phone[device]


class SubjectList:
    """The entries about one game or penalty, in the order of their places."""

    def __init__(self, about: Subject) -> None:
        self._about = about
        self._standing: dict[str, JudgedEntry] = {}
        self._replaced: set[str] = set()
        # Those that can count and the others, in the order since when they stand.
        self._able: dict[JudgedEntry, _Answer] = {}
        self._unable: dict[JudgedEntry, _Answer] = {}
        self._state: SubjectState | None = None

    def add(self, entry: Entry, comes_to: JudgedEntry) -> None:
        """Take in the next entry, which nobody has seen before."""
        self._state = None
        for replaced in entry.replaces:
            # An entry that replaces itself would be nothing at all.
            if replaced != entry.entry_id:
                self._replaced.add(replaced)
                self._remove(replaced)
        if entry.entry_id in self._replaced:
            return
        self._standing[entry.entry_id] = comes_to
        self._like(comes_to).setdefault(comes_to, _Answer()).add(entry)

    def state(self) -> SubjectState:
        """Return what stands."""
        if self._state is None:
            answers = self._told()
            status = self._status(answers)
            outcome = answers[0].outcome if status == "counts" else None
            count = len(self._able) + len(self._unable)
            self._state = SubjectState(self._about, status, outcome, answers, count)
        return self._state

    def _remove(self, entry_id: str) -> None:
        comes_to = self._standing.pop(entry_id, None)
        if comes_to is None:
            return
        answers = self._like(comes_to)
        answers[comes_to].remove(entry_id)
        if not answers[comes_to].entries:
            del answers[comes_to]

    def _like(self, comes_to: JudgedEntry) -> dict[JudgedEntry, _Answer]:
        return self._unable if comes_to.why_not else self._able

    def _status(self, answers: Sequence[StandingAnswer]) -> Status:
        if len(self._able) > 1:
            return "two_answers"
        if self._able:
            return "taken_back" if answers[0].outcome is None else "counts"
        return "not_counted" if answers else "taken_back"

    def _told(self) -> tuple[StandingAnswer, ...]:
        answers = islice(chain(self._able.items(), self._unable.items()), ANSWERS_TOLD_MAX)
        return tuple(
            StandingAnswer(
                comes_to.outcome,
                tuple(islice(said.entries.values(), ANSWERS_TOLD_MAX)),
                len(said.entries),
                len(said.by_phone),
                comes_to.why_not,
            )
            for comes_to, said in answers
        )


def _outcome_of(entry: Entry, book: Book, people: Sequence[int]) -> GameOutcome:
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
