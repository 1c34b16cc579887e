"""Finds rounds that look like one on record: the same people on the same day, or all but one.

Pure. A night that is entered twice with a slip in it is not a duplicate, since a number or a person
is different. But it is worth asking about. docs/decisions/0024 says what counts as similar.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from services.ingest.record.judging.identified import Identified
from services.ingest.record.judging.on_record import KnownTable, OnRecord
from services.ingest.record.judging.prints import RoundPrint
from shared.answers.sessions import WarningAnswer
from shared.errors import MahjicError
from shared.events.facts import SessionSubmitted
from shared.ids import BOB

# Only the newest sessions of one player on one day are looked at. What is entered twice is entered
# soon, and a platform where the same four play a hundred a day must not be slowed down.
SESSIONS_MAX: Final = 5


@dataclass(frozen=True, slots=True)
class SimilarRound:
    """A round of a submission, and the session on record that holds a similar one.

    `session_id` is None if the session is another source's.
    """

    round_no: int
    session_id: str | None
    are_same_people: bool


class SimilarSession(MahjicError):
    """A round is similar to one on record, and the source asked to refuse such sessions."""

    code = "similar_round"
    title = "A round of this session is similar to one on record"
    status = 409

    def __init__(
        self,
        similar: Sequence[SimilarRound],
        *,
        detail: str | None = None,
        rounds: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        """`detail` and `rounds` are for callers that say it in other words."""
        self.similar = similar
        told = rounds or [
            {"pointer": f"/rounds/{each.round_no}", "session_id": each.session_id}
            for each in similar
        ]
        numbers = ", ".join(str(each.round_no) for each in similar)
        super().__init__(
            detail
            or (
                f"You have similar rounds on record: see round {numbers} of this session "
                "(counting from 0) and the sessions in `rounds`. Nothing was recorded. If "
                "it was entered twice, there is nothing to do; to change what is on "
                "record, correct that session; if both were played, leave out "
                '"if_similar".'
            ),
            extra={"rounds": told},
        )


def table_of(identified: Identified, number: int, fact_seq: int) -> KnownTable:
    """Return who sits at the table of a submission's round, and how often each won."""
    submission = identified.submission
    played = submission.session.rounds[number]
    return KnownTable(
        submission.session_id,
        submission.source,
        played.games_played,
        _without_bob(identified.player_ids[number], [seat.mahjongs for seat in played.seats]),
        frozenset(identified.survivor_ids[number]) - {BOB},
        identified.round_prints[number],
        fact_seq,
    )


def tables_in(
    fact: SessionSubmitted,
    survivors: Mapping[str, str],
    prints: Sequence[RoundPrint],
    fact_seq: int,
) -> list[KnownTable]:
    """Return the same for a fact. `survivors` says who each merged player is read as."""
    return [
        KnownTable(
            fact.session_id,
            fact.source,
            played.games_played,
            _without_bob(played.players, played.mahjongs),
            frozenset(survivors.get(each, each) for each in played.players) - {BOB},
            own,
            fact_seq,
        )
        for played, own in zip(fact.rounds, prints, strict=True)
    ]


def _without_bob(players: Iterable[str], mahjongs: Iterable[int]) -> dict[str, int]:
    won = dict(zip(players, mahjongs, strict=True))
    won.pop(BOB, None)
    return won


def similar_rounds(
    identified: Identified, record: OnRecord, *, before: int
) -> tuple[SimilarRound, ...]:
    """Return each round with its source's most similar session, then one entry if others have any.

    Rounds of one submission are not compared with each other: a table plays several. A round that
    is already on record unchanged is a duplicate, which is checked elsewhere. Only facts before
    `before` are looked at.
    """
    day = identified.submission.session.session_date
    similar = []
    is_elsewhere = False
    for number, players in enumerate(identified.survivor_ids):
        if not record.has_tables(day, players):
            continue
        table = table_of(identified, number, before)
        known = _met(table, day, record)
        if any(_is_same(table, each) for each in known):
            continue
        like = [each for each in known if _is_similar(table, each)]
        is_elsewhere = is_elsewhere or any(each.source != table.source for each in like)
        own = [each for each in like if each.source == table.source]
        if own:
            # The same people first, then the newest.
            best = max(own, key=lambda each: (each.won.keys() == table.won.keys(), each.fact_seq))
            are_same_people = best.won.keys() == table.won.keys()
            similar.append(SimilarRound(number, best.session_id, are_same_people))
    if is_elsewhere:
        similar.append(SimilarRound(0, None, are_same_people=False))
    return tuple(similar)


def leads(known: Sequence[str], people: int) -> Sequence[str]:
    """Return the people by whom similar tables are found. All others of its `people` are new.

    All but one of the people sit at a similar table too, and someone new has never sat at any. So
    one of any two people is there or, if one is new, everyone else.
    """
    new = people - len(known)
    return () if new > 1 else known[: 2 - new]


def similar_warnings(similar: Sequence[SimilarRound]) -> Iterator[WarningAnswer]:
    """Yield what an answer says about similar rounds."""
    for each in similar:
        if each.session_id is None:
            yield {
                "pointer": "/rounds",
                "code": SimilarSession.code,
                "message": "Another source holds a similar round of this date. If both of you "
                "entered the same table, one of you should void it.",
            }
        else:
            yield {
                "pointer": f"/rounds/{each.round_no}",
                "code": SimilarSession.code,
                "message": _told(each),
                "session_id": each.session_id,
            }


def _told(similar: SimilarRound) -> str:
    likeness = (
        "has the same people on this date, with different numbers"
        if similar.are_same_people
        else "has the same people on this date except for one"
    )
    return (
        f"Your session {similar.session_id} {likeness}. If that is the same round, correct "
        "that session and leave this one out (void it if it is recorded); if both were "
        "played, there is nothing to do."
    )


def _met(table: KnownTable, day: str, record: OnRecord) -> list[KnownTable]:
    """Return the tables on record that day where one of the first two people sat.

    Only earlier facts count. For each of the two, only the newest sessions are looked at, no more
    than are read from the database.
    """
    met: dict[int, KnownTable] = {}
    for player_id in sorted(table.people)[:2]:
        sessions: set[str] = set()
        for each in reversed(record.tables_of(day, player_id)):
            if each.fact_seq >= table.fact_seq:
                continue
            sessions.add(each.session_id)
            if len(sessions) > SESSIONS_MAX:
                break
            met[id(each)] = each
    return list(met.values())


def _is_same(table: KnownTable, known: KnownTable) -> bool:
    """Return whether a round is on record unchanged, or told apart from it on purpose.

    Prints are taken over merged players. With other ids the round is the same only to someone who
    knows of the merge. To the source that asks, it is a round with another person in it.
    """
    own, other = table.prints, known.prints
    if own.base != other.base:
        return False
    if table.source == known.source and table.won.keys() != known.won.keys():
        return False
    return own.points is None or other.points is None or own.points == other.points


def _is_similar(table: KnownTable, known: KnownTable) -> bool:
    """Return whether a table may be the same one, entered with a slip.

    A source's rounds are compared by the people it named, so it learns of no merge. If it gives its
    rounds refs, it tells them apart itself. At tables of two, one of them naturally plays someone
    else too, so all the numbers must agree. And one person is never enough to mention what others
    hold, or that would reveal whether that person played.
    """
    if table.source != known.source:
        common = len(table.people & known.people)
        return 1 < common >= max(len(table.people), len(known.people)) - 1
    if table.prints.ref is not None and known.prints.ref is not None:
        return False
    both = table.won.keys() & known.won.keys()
    if len(both) < max(len(table.won), len(known.won)) - 1:
        return False
    return len(both) > 1 or (
        table.games_played == known.games_played
        and all(table.won[each] == known.won[each] for each in both)
    )
