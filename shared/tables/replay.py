"""Replays the list of a table: what stands for each game, and what is left to decide.

Every device replays the same list with the same rules, so all that have seen it show the same. What
stands for a subject is each entry about it that no other entry about it replaces, in whatever order
they came. Any list of entries can be replayed; what can't count is told, and holds up nothing.

A replay goes on: an entry takes time in proportion to itself, and a look afterward no longer for
what came before it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from shared.tables.books import Book
from shared.tables.entries import Entry
from shared.tables.round_list import RoundList
from shared.tables.rounds import RoundState


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


class TableReplay:
    """The list of a table as far as it has been replayed."""

    def __init__(self, setup: TableSetup, entries: Iterable[Entry] = ()) -> None:
        self._setup = setup
        self._last_place = 0
        self._ids: set[str] = set()
        self._rounds: dict[int, RoundList] = {}
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
        self._kept(entry.about.round).add(entry)

    def with_setup(self, setup: TableSetup) -> None:
        """Go on under other seats or another rule book; which phones count must be the same.

        Only rounds for which something is different are replayed again.
        """
        assert setup.counts_to == self._setup.counts_to, "Replay the list from its beginning."
        self._setup = setup
        for number, kept in self._rounds.items():
            self._rounds[number] = kept.under(*self._under(number))

    def round(self, number: int) -> RoundState:
        """Return what stands in a round."""
        return self._kept(number).state()

    def rounds(self) -> list[RoundState]:
        """Return what stands in all rounds that have seats or entries, in order."""
        entered = {number for number, kept in self._rounds.items() if not kept.is_empty}
        return [self.round(number) for number in sorted(entered | self._setup.seats.keys())]

    def _kept(self, number: int) -> RoundList:
        kept = self._rounds.get(number)
        if kept is None:
            kept = self._rounds[number] = RoundList(number, *self._under(number))
        return kept

    def _under(self, number: int) -> tuple[Book, int, tuple[int, ...]]:
        setup = self._setup
        return setup.book, setup.games, setup.seats.get(number, ())

    def _counts(self, entry: Entry) -> bool:
        last = self._setup.counts_to.get(entry.device)
        return last is None or entry.count <= last
