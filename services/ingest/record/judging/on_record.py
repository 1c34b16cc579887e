"""What is on record about people, keys, sessions and rounds that submissions touch.

Pure: it is read under the lock on the head, and grows as judgments on submissions are taken in.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, NamedTuple, TypeAlias

from services.ingest.claim.people import Person
from services.ingest.record.judging.nights import KnownNight, NightsOfDay
from services.ingest.record.judging.prints import RoundPrint
from shared.ids import BOB

DAY_S: Final = 24 * 60 * 60

# How many tables of one player on one day others are compared with. What is entered twice is
# entered soon, and a session has at most 100 rounds.
TABLES_MAX: Final = 200

# A player id for each seat of each round.
SeatIds: TypeAlias = tuple[tuple[str, ...], ...]


@dataclass(slots=True)
class KnownPerson:
    """Someone on record or, while `is_new`, someone that no accepted session has named yet.

    `survivor_id` is who the player is read as: the same id, unless it is merged into another.
    `is_grouped` is true if anyone is merged with the player.
    """

    player_id: str
    survivor_id: str
    is_private: bool
    privacy_by: str
    first_source: str | None
    is_new: bool = False
    is_grouped: bool = False


@dataclass(frozen=True, slots=True)
class Ended:
    """What voided or corrected a session. `at` is None if the fact cannot be read.

    `newest` is the last session that took its place, if it was corrected. That one may be voided.
    """

    at: datetime | None
    reason: str
    newest: str | None
    newest_counts: bool


@dataclass(frozen=True, slots=True)
class KnownSession:
    """A session on record. Its fact tells it apart from others with the same content.

    `submitted_at` is None for a session recorded in this same transaction.
    """

    session_id: str
    source: str
    status: Literal["accepted", "voided", "corrected"]
    allowed_duplicate: bool
    fact_seq: int
    submitted_at: datetime | None = None
    ended: Ended | None = None


class KnownRound(NamedTuple):
    """A round of a session on record that is neither voided nor corrected."""

    session_id: str
    source: str
    prints: RoundPrint
    fact_seq: int


@dataclass(frozen=True, slots=True)
class KnownTable:
    """Who sat at the table of a round that counts, and how often each won. Bob is left out.

    `won` uses the ids in the fact. `people` are the ids that they are read as.
    """

    session_id: str
    source: str
    games_played: int
    won: Mapping[str, int]
    people: frozenset[str]
    prints: RoundPrint
    fact_seq: int


@dataclass(slots=True)
class OnRecord:
    """What is on record that the current submissions touch. `take_in` adds to it.

    `people` is keyed by address, or by source and nickname. See `person_key`.
    """

    people: dict[tuple[str, str], KnownPerson]
    # How often per day a source may be refused for what others hold. None means no limit.
    foreign_refusals_max: int | None = None
    keys: dict[bytes, tuple[bytes, str]] = field(default_factory=dict)
    sessions: dict[str, KnownSession] = field(default_factory=dict)
    by_content: dict[bytes, list[KnownSession]] = field(default_factory=dict)
    by_base: dict[bytes, list[KnownRound]] = field(default_factory=dict)
    by_ref: dict[bytes, list[KnownRound]] = field(default_factory=dict)
    # By day and player: the tables that were read, and new ones, which are built when asked for.
    tables: dict[tuple[str, str], deque[KnownTable]] = field(default_factory=dict)
    new_tables: dict[tuple[str, str], list[Callable[[], KnownTable]]] = field(default_factory=dict)
    changed_people: set[tuple[str, str]] = field(default_factory=set)
    # People that a source says are private: the source, and the id of the address.
    private_words: set[tuple[str, str]] = field(default_factory=set)
    kept_keys: dict[bytes, tuple[bytes, str]] = field(default_factory=dict)
    # People that a source has named itself, where that matters here: the source, and the id of the
    # address or nickname.
    acquainted: set[tuple[str, str]] = field(default_factory=set)
    # The same for submissions accepted here, with the last name that the source sent.
    named_now: dict[tuple[str, str], str | None] = field(default_factory=dict)
    # How often each source was refused in the last day for what others hold, and in how many
    # seconds the oldest of those is a day old. Then the refusals of this transaction.
    refused_before: dict[str, tuple[int, int]] = field(default_factory=dict)
    foreign_refusals: Counter[str] = field(default_factory=Counter)
    # By source and day: the sessions that were read, and new ones, which are built when asked for.
    nights: dict[tuple[str, str], NightsOfDay] = field(default_factory=dict)
    new_nights: dict[tuple[str, str], list[Callable[[], KnownNight]]] = field(default_factory=dict)

    def add_session(self, content: bytes, session: KnownSession) -> None:
        self.sessions[session.session_id] = session
        self.by_content.setdefault(content, []).append(session)

    def add_round(self, known: KnownRound) -> None:
        self.by_base.setdefault(known.prints.base, []).append(known)
        if known.prints.ref is not None:
            self.by_ref.setdefault(known.prints.ref, []).append(known)

    def holding(self, source: str, prints: Iterable[RoundPrint]) -> Iterator[str]:
        """Yield a source's sessions that hold one of these rounds, or one with the same ref."""
        if not self.by_base and not self.by_ref:
            return
        for each in prints:
            same_ref = [] if each.ref is None else self.by_ref.get(each.ref, [])
            for known in (*self.by_base.get(each.base, []), *same_ref):
                if known.source == source:
                    yield known.session_id

    def nights_of(self, source: str, day: str) -> NightsOfDay:
        """Return the sessions of a source on a day, as far as their rounds are known."""
        nights = self.nights.setdefault((source, day), NightsOfDay())
        for tell in self.new_nights.pop((source, day), ()):
            nights.add(tell())
        return nights

    def add_night(self, source: str, day: str, tell: Callable[[], KnownNight]) -> None:
        """Put a session on record round by round. `tell` runs only if it is asked for."""
        self.new_nights.setdefault((source, day), []).append(tell)

    def asks_again_s(self, source: str) -> int | None:
        """Return in how many seconds a source that was refused too often may ask again, or None."""
        if self.foreign_refusals_max is None:
            return None
        before, retry_s = self.refused_before.get(source, (0, DAY_S))
        now = self.foreign_refusals.get(source, 0)
        is_over = before + now >= self.foreign_refusals_max
        return retry_s if is_over else None

    def tables_of(self, day: str, player_id: str) -> Sequence[KnownTable]:
        """Return the tables at which someone sat on a day, in the order in which they came."""
        for tell in self.new_tables.pop((day, player_id), ()):
            self._add_table((day, player_id), tell())
        return self.tables.get((day, player_id), ())

    def has_tables(self, day: str, player_ids: Iterable[str]) -> bool:
        """Return whether one of these players sat at a table that day."""
        keys = [(day, each) for each in player_ids]
        return not (self.tables.keys().isdisjoint(keys) and self.new_tables.keys().isdisjoint(keys))

    def add_table(self, day: str, table: KnownTable) -> None:
        for player_id in table.people:
            self._add_table((day, player_id), table)

    def _add_table(self, key: tuple[str, str], table: KnownTable) -> None:
        """Add a table to a player's tables on a day, and drop the oldest if there are too many."""
        if key not in self.tables:
            self.tables[key] = deque(maxlen=TABLES_MAX)
        self.tables[key].append(table)

    def add_new_table(
        self, day: str, player_ids: Iterable[str], tell: Callable[[], KnownTable]
    ) -> None:
        """Put on record a table where these players sat. `tell` runs only if it is asked for."""
        for player_id in player_ids:
            if player_id != BOB:
                self.new_tables.setdefault((day, player_id), []).append(tell)


def has_named(
    source: str, player_ids: Iterable[str], acquainted: AbstractSet[tuple[str, str]]
) -> bool:
    """Return whether a source has named all of these itself. Anyone may name Bob."""
    return all(each == BOB or (source, each) in acquainted for each in player_ids)


def person_key(person: Person, source: str) -> tuple[str, str]:
    """Return the key of a person in the record. Nicknames are local to their source."""
    return (source if person.kind == "anonymous" else "", person.key)
