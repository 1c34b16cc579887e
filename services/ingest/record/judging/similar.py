"""Finds rounds that look like one on record: the same people on the same day, or all but one.

Pure. A night that is entered twice with a slip in it is no duplicate, for a number or a person is
another one; but it is worth a question. docs/decisions/0024 says what is taken for similar.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from services.ingest.record.judging.identified import Identified
from services.ingest.record.judging.on_record import KnownTable, OnRecord
from services.ingest.record.judging.prints import RoundPrint
from shared.errors import MahjicError
from shared.events.facts import SessionSubmitted
from shared.ids import BOB

# Of the sessions of one player on one day the newest are looked at: what is entered twice is
# entered soon, and a platform on which the same four play a hundred a day must not wait for it.
SESSIONS_MAX: Final = 5


@dataclass(frozen=True, slots=True)
class SimilarRound:
    """A round of a submission, and the session on record that holds one like it.

    `session_id` is None where the session is another source's.
    """

    round_no: int
    session_id: str | None
    are_same_people: bool


class SimilarSession(MahjicError):
    """A round of the submission is similar to one on record, and the source asked to be told."""

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
        """`detail` and `rounds` are for who says it in other words."""
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
    """Return who sits at the table of a round of a submission, and who won how often."""
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
    """Return the same of a fact; `survivors` says whom each player is read as who is merged."""
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
    """Return each round with the own session that is most like it; then whether others are.

    Rounds of one submission are not compared: a table plays several. What is on record already as
    it is, is a duplicate, which is another matter. Only facts `before` this one are looked at.
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
            # The same people first, and of those the newest.
            best = max(own, key=lambda each: (each.won.keys() == table.won.keys(), each.fact_seq))
            are_same_people = best.won.keys() == table.won.keys()
            similar.append(SimilarRound(number, best.session_id, are_same_people))
    if is_elsewhere:
        similar.append(SimilarRound(0, None, are_same_people=False))
    return tuple(similar)


def leads(known: Sequence[str], people: int) -> Sequence[str]:
    """Return by whom the tables like this one are found; all others of its `people` are new.

    All but one of the people are at such a table too, and no one new was at any: so one of two
    people is there, or, beside someone new, everyone else.
    """
    new = people - len(known)
    return () if new > 1 else known[: 2 - new]


def similar_warnings(similar: Sequence[SimilarRound]) -> Iterator[dict[str, str]]:
    """Yield what an answer tells of similar rounds."""
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
    """Return the tables on record at which one of the first two people sat before, that day.

    Of each of the two the newest sessions are looked at, no more than are read of those on record.
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
    """Tell whether a round is on record as it is, or told apart from it on purpose.

    By prints, which stand over whom everyone is read as: with other ids it is the same only to
    whom knows that, and to the source that asks it is one with another person in it.
    """
    own, other = table.prints, known.prints
    if own.base != other.base:
        return False
    if table.source == known.source and table.won.keys() != known.won.keys():
        return False
    return own.points is None or other.points is None or own.points == other.points


def _is_similar(table: KnownTable, known: KnownTable) -> bool:
    """Tell whether a table may be the same one, entered with a slip.

    A source compares whom it named, and so learns of no one who is merged. If it names its rounds,
    it tells them apart itself. At tables of two, one of them plays someone else as a matter of
    course, so all the numbers must agree; and what others hold is not told of one person at all, or
    it would tell whether that one played.
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
