"""Replays the entries about one round: its games and penalties, and who confirmed what stands."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from shared.tables.books import Book
from shared.tables.entries import Entry, Subject
from shared.tables.limits import PENALTIES_LOOKED_AT_MAX, PENALTIES_OF_ROUND_MAX
from shared.tables.rounds import RoundState, SubjectState, round_of
from shared.tables.standing import JudgedEntry, SubjectList, judged


class RoundList:
    """The entries about one round, in the order of their places."""

    def __init__(self, number: int, book: Book, planned: int, people: tuple[int, ...]) -> None:
        self._number = number
        self._under = (book, planned, people)
        self._entries: dict[str, Entry] = {}
        self._judged: dict[str, JudgedEntry] = {}
        self._subjects: dict[Subject, SubjectList] = {}
        self._penalties = 0
        self._left_out: set[Subject] = set()
        # By phone, since each confirms for those who told it so.
        self._right: dict[int, Entry] = {}
        self._state: RoundState | None = None

    @property
    def is_empty(self) -> bool:
        """Whether no game and no penalty of the round was ever entered."""
        return not self._entries

    def add(self, entry: Entry) -> None:
        """Take in the next entry, which nobody has seen before."""
        self._state = None
        if entry.about.kind == "right":
            self._right[entry.device] = entry
            return
        self._entries[entry.entry_id] = entry
        subject = self._subject(entry.about)
        if subject is None:
            self._left_out.add(entry.about)
            return
        book, _, people = self._under
        comes_to = self._judged[entry.entry_id] = judged(entry, book, people)
        subject.add(entry, comes_to)

    def under(self, book: Book, planned: int, people: tuple[int, ...]) -> "RoundList":
        """Return the same entries under other seats or another rule book."""
        if (book, planned, people) == self._under:
            return self
        other = RoundList(self._number, book, planned, people)
        for entry in (*self._entries.values(), *self._right.values()):
            other.add(entry)
        return other

    def state(self) -> RoundState:
        """Return what stands."""
        if self._state is None:
            told = [each.state() for each in self._subjects.values()]
            games = sorted((each for each in told if each.about.kind == "game"), key=_game_number)
            penalties = _limited(each for each in told if each.about.kind == "penalty")
            state = round_of(
                self._number,
                *self._under,
                games=tuple(games),
                penalties=tuple(penalties),
                penalties_left_out=len(self._left_out),
            )
            self._state = replace(state, confirmed=self._confirmed(state))
        return self._state

    def _subject(self, about: Subject) -> SubjectList | None:
        """Return the list of a subject, None if it is one penalty too many to look at."""
        subject = self._subjects.get(about)
        if subject is None:
            if about.kind == "penalty":
                if self._penalties == PENALTIES_LOOKED_AT_MAX:
                    return None
                self._penalties += 1
            subject = self._subjects[about] = SubjectList(about)
        return subject

    def _confirmed(self, state: RoundState) -> tuple[int, ...]:
        """Return for whom somebody said that just this is right, in the order of the seats.

        Something else that stands, or a question, makes a confirmation lapse.
        """
        if state.questions:
            return ()
        now = {each.about: JudgedEntry(each.outcome) for each in state.counted}
        if not now:
            return ()
        confirmed: set[int] = set()
        for entry in self._right.values():
            if entry.content is not None and self._names(entry.content["stands"], now):
                confirmed.update(entry.content["for"])
        return tuple(each for each in state.people if each in confirmed)

    def _names(self, entry_ids: tuple[str, ...], now: Mapping[Subject, JudgedEntry]) -> bool:
        """Tell whether these entries come to all that counts now, and to nothing else."""
        named: set[Subject] = set()
        for entry_id in entry_ids:
            comes_to = self._judged.get(entry_id)
            if comes_to is None:
                return False
            about = self._entries[entry_id].about
            if now.get(about) != comes_to:
                return False
            named.add(about)
        return len(named) == len(now)


def _limited(penalties: Iterator[SubjectState]) -> Iterator[SubjectState]:
    """Yield the penalties; no more of them count, or are asked about, than a round may have."""
    room = PENALTIES_OF_ROUND_MAX
    for each in penalties:
        if each.status not in ("counts", "two_answers"):
            yield each
        elif room:
            room -= 1
            yield each
        else:
            why = f"A round has at most {PENALTIES_OF_ROUND_MAX} penalties."
            told = tuple(replace(said, outcome=None, why_not=why) for said in each.answers)
            yield replace(each, status="not_counted", outcome=None, answers=told)


def _game_number(state: SubjectState) -> int:
    assert isinstance(state.about.which, int)
    return state.about.which
