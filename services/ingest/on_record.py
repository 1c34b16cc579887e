"""What is on record about people, keys, sessions and rounds, as far as submissions touch it.

Pure: it is read under the lock on the head, and grows as the submissions at hand are judged.
"""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from services.ingest.people import Person
from services.ingest.prints import RoundPrint

# A player id for each seat of each round.
SeatIds: TypeAlias = tuple[tuple[str, ...], ...]


@dataclass(slots=True)
class KnownPerson:
    """Somebody on record, or, while `is_new`, somebody whom no accepted session names yet.

    `survivor_id` is whom the player is read as: the same, unless it is merged into another.
    """

    player_id: str
    survivor_id: str
    is_private: bool
    privacy_by: str
    first_source: str | None
    offered_name: str | None = None
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class KnownSession:
    """A session on record. Sessions with the same content are told apart by their fact."""

    session_id: str
    source: str
    status: Literal["accepted", "voided", "corrected"]
    allowed_duplicate: bool
    fact_seq: int


@dataclass(frozen=True, slots=True)
class KnownRound:
    """A round of a session on record that is neither voided nor corrected."""

    session_id: str
    source: str
    prints: RoundPrint


@dataclass(slots=True)
class OnRecord:
    """What is on record, as far as the submissions at hand touch it. It grows as they are judged.

    `people` is keyed by address, or by source and nickname; see `person_key`.
    """

    people: dict[tuple[str, str], KnownPerson]
    keys: dict[bytes, tuple[bytes, str]] = field(default_factory=dict)
    sessions: dict[str, KnownSession] = field(default_factory=dict)
    by_content: dict[bytes, list[KnownSession]] = field(default_factory=dict)
    by_base: dict[bytes, list[KnownRound]] = field(default_factory=dict)
    by_ref: dict[bytes, list[KnownRound]] = field(default_factory=dict)
    changed_people: set[tuple[str, str]] = field(default_factory=set)
    # Of whom a source says that they are private: the source, and the id of the address.
    private_words: set[tuple[str, str]] = field(default_factory=set)
    kept_keys: dict[bytes, tuple[bytes, str]] = field(default_factory=dict)

    def add_session(self, content: bytes, session: KnownSession) -> None:
        """Put a session on record."""
        self.sessions[session.session_id] = session
        self.by_content.setdefault(content, []).append(session)

    def add_round(self, known: KnownRound) -> None:
        """Put a round on record."""
        self.by_base.setdefault(known.prints.base, []).append(known)
        if known.prints.ref is not None:
            self.by_ref.setdefault(known.prints.ref, []).append(known)


def person_key(person: Person, source: str) -> tuple[str, str]:
    """Return the key of a person in the record: nicknames are local to their source."""
    return (source if person.kind == "anonymous" else "", person.key)
