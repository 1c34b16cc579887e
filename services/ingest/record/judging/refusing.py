"""Decides why a submission is refused, and how much its source is told about it.

Pure. What a source knows itself comes first, and then it is told nothing else: it could have found
that on its own. Only a submission without such a fault is compared with what others know, and each
refusal for that is counted, with each guess that it answers. So no one can learn for free and
unseen what others submitted or who is who (docs/decisions/0022).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Final

from services.ingest.record.judging.identified import Identified
from services.ingest.record.judging.known_night import Night, NightChanged, detail_of
from services.ingest.record.judging.on_record import KnownRound, OnRecord, SeatIds, has_named
from services.ingest.record.judging.own_night import night_on_record
from services.ingest.record.judging.prints import RoundPrint
from services.ingest.record.judging.similar import SimilarRound, SimilarSession
from shared.errors import ClaimRefused, MahjicError, Mistake

SOME_ROUND_OF_OTHERS: Final = (
    "Another source has at least one of these rounds on record, but less than half of them; "
    "you cannot be told which. Nothing was recorded. Send the rounds in shorter sessions, or "
    'ask the operator. If all of them really were played again, send "allow_duplicate": '
    "true."
)


class DuplicateSession(MahjicError):
    """A round of the submission is already on record."""

    code = "duplicate_session"
    title = "A round of this session is already on record"
    status = 409

    def __init__(
        self,
        detail: str,
        *,
        extra: Mapping[str, Any],
        night: Night | None = None,
        foreign_hits: int = 0,
    ) -> None:
        """`night` is what the source has on record of the same night, if anything.

        It counts as `foreign_hits` hits on what others hold.
        """
        self.night = night
        self.foreign_hits = foreign_hits
        super().__init__(detail, extra=extra)


class AskTheOperator(MahjicError):
    """The session cannot be recorded, for a reason that its source is not allowed to know."""

    code = "ask_the_operator"
    title = "The operator has to look at this session"
    status = 409
    foreign_hits = 1

    def __init__(self) -> None:
        super().__init__(
            "This session cannot be recorded as it is, because of what other sources have on "
            "record about its players; nothing was recorded. Ask the operator, who can look "
            "up the players and say what to do."
        )


class TooManyForeignHits(MahjicError):
    """The source was refused too often because of what other sources have on record."""

    code = "too_many_foreign_hits"
    title = "Too many sessions were refused because of what others have on record"
    status = 429

    def __init__(self, refusals_max: int, retry_after_s: int) -> None:
        super().__init__(
            f"In the last 24 hours, {refusals_max} sessions of your source were refused "
            "because of what other sources have on record. Nothing was recorded, and nothing "
            f"was looked up. Try again in {retry_after_s} s, or ask the operator. You can "
            'still send a session that really was played again with "allow_duplicate": '
            "true.",
            headers={"Retry-After": str(retry_after_s)},
        )


@dataclass(frozen=True, slots=True)
class HeldRound:
    """A round of a submission that is on record: where, and whether the source recognizes it."""

    round_no: int
    known: KnownRound
    is_recognized: bool


def refusal_of(
    identified: Identified,
    held: Sequence[HeldRound],
    similar: Sequence[SimilarRound],
    record: OnRecord,
    acquainted: AbstractSet[tuple[str, str]],
) -> MahjicError | None:
    """Return why a source's valid session is refused, or None if it is not.

    `held` lists its rounds that other sessions hold.
    """
    submission = identified.submission
    session, source = submission.session, submission.source
    if session.allow_duplicate:
        held = ()
    twice = list(_seated_twice(identified.survivor_ids))
    if own := [each for each in twice if _knows_both(identified, each, acquainted)]:
        return ClaimRefused(_mistake(*each) for each in own)
    if refusal := _own_refusal(identified, held, similar, record, acquainted):
        return refusal
    if not session.allow_duplicate and (retry_s := record.asks_again_s(source)) is not None:
        assert record.foreign_refusals_max is not None, "Who is not limited may always ask."
        return TooManyForeignHits(record.foreign_refusals_max, retry_s)
    if twice:
        return AskTheOperator()
    if held:
        # Say it once, even for several other sources: how many there are is no one's business.
        numbers = list(dict.fromkeys(each.round_no for each in held))
        return _of_others(numbers, len(identified.round_prints))
    return None


def _of_others(numbers: Sequence[int], rounds: int) -> DuplicateSession:
    """Return the refusal for what others hold, with the number of hits that it counts as.

    If a night was sent twice, the refusal names its rounds. But next to one round known to be held,
    all the others would be free guesses. So if rounds are named, each one that no one holds counts
    too, and if most are such rounds, none is named.
    """
    missed = rounds - len(numbers)
    if missed <= len(numbers):
        return _duplicate([(number, None) for number in numbers], None, foreign_hits=1 + missed)
    return DuplicateSession(
        SOME_ROUND_OF_OTHERS,
        extra={"rounds": [{"pointer": "/rounds", "session_id": None, "held_by": "another source"}]},
        foreign_hits=1,
    )


def _own_refusal(
    identified: Identified,
    held: Sequence[HeldRound],
    similar: Sequence[SimilarRound],
    record: OnRecord,
    acquainted: AbstractSet[tuple[str, str]],
) -> MahjicError | None:
    """Return why a submission is refused, judging by its source's own sessions only."""
    session = identified.submission.session
    recognized = [(each.round_no, each.known.session_id) for each in held if each.is_recognized]
    if recognized:
        return _duplicate(recognized, night_on_record(identified, record, acquainted))
    if session.is_whole_night and not session.allow_duplicate:
        changed = night_on_record(identified, record, acquainted)
        if changed is not None:
            return NightChanged(changed)
    if session.if_similar != "refuse":
        return None
    own = [each for each in similar if each.session_id is not None]
    return SimilarSession(own) if own else None


def _seated_twice(survivor_ids: SeatIds) -> Iterator[tuple[int, int, int]]:
    """Yield round, first and second seat of each person who has two addresses at one table."""
    for number, survivors in enumerate(survivor_ids):
        if len(set(survivors)) == len(survivors):
            continue
        first: dict[str, int] = {}
        for place, survivor_id in enumerate(survivors):
            if first.setdefault(survivor_id, place) != place:
                yield number, first[survivor_id], place


def _knows_both(
    identified: Identified,
    seated: tuple[int, int, int],
    acquainted: AbstractSet[tuple[str, str]],
) -> bool:
    """Return whether the source has itself named someone by both addresses in a round."""
    number, first, second = seated
    players = identified.player_ids[number]
    return has_named(identified.submission.source, (players[first], players[second]), acquainted)


def _mistake(number: int, first: int, place: int) -> Mistake:
    return Mistake(
        f"/rounds/{number}/players/{place}/email",
        "player_twice",
        f"This address belongs to the same player as players/{first} of the round.",
    )


def held_rounds(
    identified: Identified, record: OnRecord, acquainted: AbstractSet[tuple[str, str]]
) -> Sequence[HeldRound]:
    """Return each round that other sessions hold, once per session."""
    found: list[HeldRound] = []
    if not record.by_base and not record.by_ref:
        return found
    source = identified.submission.source
    for number, own in enumerate(identified.round_prints):
        same_ref = record.by_ref.get(own.ref, ()) if own.ref is not None else ()
        same_base = record.by_base.get(own.base, ())
        if not same_ref and not same_base:
            continue
        held = [*same_ref, *(each for each in same_base if _is_same_round(own, each, source))]
        for known in {each.session_id: each for each in held}.values():
            players = identified.player_ids[number]
            is_recognized = _recognizes(source, known, own, players, acquainted)
            found.append(HeldRound(number, known, is_recognized))
    return found


def _is_same_round(own: RoundPrint, known: KnownRound, source: str) -> bool:
    """Return whether two rounds with the same base are one. Points matter unless one is social."""
    points_count = own.points is not None and known.prints.points is not None
    if points_count and own.points != known.prints.points:
        return False
    refs_differ = own.ref is not None and known.prints.ref is not None
    return not (refs_differ and known.source == source)


def _recognizes(
    source: str,
    known: KnownRound,
    own: RoundPrint,
    players: Sequence[str],
    acquainted: AbstractSet[tuple[str, str]],
) -> bool:
    """Return whether a source recognizes a round of its own, by its ref or by people it has named.

    It can only have guessed people that the operator named for it, and who was merged with whom.
    """
    has_same_ref = own.ref is not None and own.ref == known.prints.ref
    return has_same_ref or (known.source == source and has_named(source, players, acquainted))


def rounds_recognized(held: Sequence[HeldRound], rounds: int, *, before: int) -> tuple[bool, ...]:
    """Return for each round whether its source recognizes it in a session before a fact."""
    if not held:
        return (False,) * rounds
    numbers = {
        each.round_no for each in held if each.is_recognized and each.known.fact_seq < before
    }
    return tuple(number in numbers for number in range(rounds))


def _duplicate(
    held: Collection[tuple[int, str | None]], night: Night | None, *, foreign_hits: int = 0
) -> DuplicateSession:
    """Name the rounds and the source's own sessions that hold them, or say that others do.

    If it is a night of the source that has grown or changed, the refusal says so first.
    """
    rounds = [
        {
            "pointer": f"/rounds/{number}",
            "session_id": session_id,
            "held_by": "another source" if session_id is None else "your own session",
        }
        for number, session_id in held
    ]
    numbers = ", ".join(str(number) for number in dict.fromkeys(number for number, _ in held))
    on_record = f"Already on record: round {numbers} of this session (counting from 0). "
    if night is not None:
        allow = 'send "allow_duplicate": true'
        return DuplicateSession(
            detail_of(night, allow=allow, held=on_record),
            extra={"rounds": rounds, "night": night.told()},
            night=night,
        )
    return DuplicateSession(
        f"{on_record}Nothing was recorded. If it really was played again, send "
        '"allow_duplicate": true.',
        extra={"rounds": rounds},
        foreign_hits=foreign_hits,
    )
