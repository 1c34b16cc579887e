"""Replays the list of a table: what stands for each game, and what is left to decide.

Every device replays the same list with the same rules, so all that have seen it show the same. What
stands for a subject is each entry about it that no other entry about it replaces, in whatever order
they came. Any list of entries can be replayed; what can't count is told, and holds up nothing.

A replay goes on: an entry takes time in proportion to itself, and what was worked out of a round is
kept until something about it comes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from shared.tables.books import Book
from shared.tables.entries import Entry, Kind, Subject
from shared.tables.rounds import RoundState, confirmed_by, round_of


@dataclass(frozen=True, slots=True)
class TableSetup:
    """What the server has set for a table.

    `seats` are the people of each round, in the order of their seats, by the numbers of tonight's
    list; `games` is how many a round should have. `counts_to` has the last count that counts of
    each phone that was removed.
    """

    book: Book
    games: int
    seats: Mapping[int, tuple[int, ...]]
    counts_to: Mapping[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class _About:
    """The entries about one subject, in the order of their places."""

    entries: dict[str, Entry] = field(default_factory=dict)
    replaced: set[str] = field(default_factory=set)

    def add(self, entry: Entry) -> None:
        # An entry that replaces itself would be nothing at all.
        for replaced in entry.replaces:
            if replaced != entry.entry_id:
                self.replaced.add(replaced)
                self.entries.pop(replaced, None)
        if entry.entry_id not in self.replaced:
            self.entries[entry.entry_id] = entry


class TableReplay:
    """The list of a table as far as it has been replayed."""

    def __init__(self, setup: TableSetup, entries: Iterable[Entry] = ()) -> None:
        self._setup = setup
        self._last_place = 0
        self._ids: set[str] = set()
        self._about: dict[int, dict[tuple[Kind, int | str], _About]] = {}
        # By round and phone, since each confirms for those who told it so.
        self._right: dict[int, dict[int, Entry]] = {}
        self._named: dict[str, Entry] = {}
        self._states: dict[int, RoundState] = {}
        for entry in entries:
            self.add(entry)

    @property
    def last_place(self) -> int:
        """How many entries have been replayed: the place of the last one."""
        return self._last_place

    def add(self, entry: Entry) -> None:
        """Replay the entry at the next place of the list."""
        self._last_place += 1
        if entry.entry_id in self._ids or not self._counts(entry):
            return
        self._ids.add(entry.entry_id)
        about = entry.about
        self._states.pop(about.round, None)
        if about.kind == "right":
            self._right.setdefault(about.round, {})[entry.device] = entry
            return
        self._named[entry.entry_id] = entry
        subjects = self._about.setdefault(about.round, {})
        subjects.setdefault((about.kind, about.which), _About()).add(entry)

    def with_setup(self, setup: TableSetup) -> None:
        """Go on under other seats or another rule book; which phones count must be the same."""
        assert setup.counts_to == self._setup.counts_to, "Replay the list from its beginning."
        self._setup = setup
        self._states.clear()

    def round_numbers(self) -> list[int]:
        """Return the rounds that have seats or entries, in order."""
        return sorted({*self._setup.seats, *self._about})

    def round(self, number: int) -> RoundState:
        """Return what stands in a round."""
        state = self._states.get(number)
        if state is None:
            standing = {
                Subject(kind, number, which): tuple(about.entries.values())
                for (kind, which), about in self._about.get(number, {}).items()
            }
            setup = self._setup
            people = setup.seats.get(number, ())
            state = round_of(number, setup.book, setup.games, people, standing)
            right = list(self._right.get(number, {}).values())
            state = confirmed_by(state, setup.book, right, self._named)
            self._states[number] = state
        return state

    def rounds(self) -> list[RoundState]:
        """Return what stands in all rounds, in order."""
        return [self.round(number) for number in self.round_numbers()]

    def _counts(self, entry: Entry) -> bool:
        last = self._setup.counts_to.get(entry.device)
        return last is None or entry.count <= last
