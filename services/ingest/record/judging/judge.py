"""Judges a submission against what is on record. Read `judge` first.

Pure: what is on record is handed in, and stays as it is. `take_in` adds what a judgment changes,
so that the submissions of one transaction are judged as if they came one by one.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from services.ingest.claim.checks import CheckedRound
from services.ingest.record.judging.identified import Identified
from services.ingest.record.judging.judgement import (
    Accepted,
    IdempotencyKeyReused,
    Judgement,
    Replayed,
)
from services.ingest.record.judging.on_record import KnownSession, OnRecord, has_named
from services.ingest.record.judging.prints import request_print
from services.ingest.record.judging.refusing import (
    HeldRound,
    held_rounds,
    refusal_of,
    rounds_recognised,
)
from services.ingest.record.judging.similar import similar_rounds
from shared.events.facts import PlayedRound, SessionSubmitted


@dataclass(frozen=True, slots=True)
class Replaced:
    """The session in whose place a submission is to come, and what corrected it, if it is.

    Its own rounds are no duplicates of the submission. All that this can repeat as a whole is the
    correction that stands there already: a session elsewhere that is the same is a duplicate.
    """

    session_id: str
    corrected_by: str | None


def judge(
    identified: Identified,
    record: OnRecord,
    fact_seq: int,
    *,
    replaces: Replaced | None = None,
    knows_all: bool = False,
) -> Judgement:
    """Return what a submission is, that would become the fact `fact_seq`.

    The rounds of what it `replaces` must not be in the record. The operator, who takes the part of
    a source, knows all who are named; a source only whom it named before.
    """
    submission = identified.submission
    asked = kept = None
    if submission.key_print is not None:
        allow_duplicate = submission.session.allow_duplicate
        asked = request_print(identified.own_print, allow_duplicate=allow_duplicate)
        kept = record.keys.get(submission.key_print)
    if kept is not None and kept[0] != asked:
        return IdempotencyKeyReused(
            "This Idempotency-Key was used before with different content; nothing was "
            "recorded. Use a new key for a new session."
        )
    acquainted = record.acquainted | _pairs(identified) if knows_all else record.acquainted
    held = held_rounds(identified, record, acquainted)
    earlier = earlier_session(identified, record, acquainted, replaces=replaces)
    if earlier is not None:
        # Under a key of its own, too, what comes again is nothing but the correction that stands.
        kept_print = asked if replaces is None else None
        return _replayed(
            identified, earlier, held, record, acquainted, replaces=replaces, kept_print=kept_print
        )
    similar = similar_rounds(identified, record, before=fact_seq)
    refusal = refusal_of(identified, held, similar, record, acquainted)
    if refusal is not None:
        return refusal
    on_record = rounds_recognised(held, len(identified.round_prints), before=fact_seq)
    return Accepted(identified, _fact(identified), fact_seq, asked, similar, on_record)


def earlier_session(
    identified: Identified,
    record: OnRecord,
    acquainted: AbstractSet[tuple[str, str]],
    *,
    replaces: Replaced | None,
) -> KnownSession | None:
    """Return the session that a submission repeats, by its key or as a whole."""
    key_print = identified.submission.key_print
    kept = None if key_print is None else record.keys.get(key_print)
    if kept is not None:
        return record.sessions[kept[1]]
    same = _same_content(identified, record, replaces)
    if not same:
        return None
    return _repeated(identified, same, acquainted, replaces)


def _same_content(
    identified: Identified, record: OnRecord, replaces: Replaced | None
) -> Sequence[KnownSession]:
    """Return the sessions on record that a submission may repeat as a whole."""
    same = record.by_content.get(identified.content_print, ())
    if replaces is None:
        return same
    return [each for each in same if each.session_id == replaces.corrected_by]


def _repeated(
    identified: Identified,
    same: Sequence[KnownSession],
    acquainted: AbstractSet[tuple[str, str]],
    replaces: Replaced | None,
) -> KnownSession | None:
    """Return the session that the source repeats as a whole, also a voided or corrected one.

    One that counts comes before those that do not, and then the first of them.
    A duplicate that is allowed on purpose is repeated only by another such request without a key:
    with a key of its own it is another session. What names people whom the source never named is
    no repetition of its own, though the operator named them, or they were merged since.
    """
    if replaces is None and identified.submission.session.allow_duplicate:
        if identified.submission.key_print is not None:
            return None
        same = [each for each in same if each.allowed_duplicate]
    if not same or not _is_acquainted(identified, acquainted):
        return None
    return min(same, key=_standing)


def _standing(known: KnownSession) -> tuple[bool, int]:
    return known.status != "accepted", known.fact_seq


def _replayed(
    identified: Identified,
    earlier: KnownSession,
    held: Sequence[HeldRound],
    record: OnRecord,
    acquainted: AbstractSet[tuple[str, str]],
    *,
    replaces: Replaced | None,
    kept_print: bytes | None,
) -> Replayed:
    key_print = identified.submission.key_print
    counts = earlier.status == "accepted"
    return Replayed(
        identified,
        earlier,
        None if counts else _counting_instead(identified, record, acquainted, replaces),
        kept_print,
        by_key=key_print is not None and key_print in record.keys,
        # What was told of similar rounds the first time, of what still counts.
        similar=similar_rounds(identified, record, before=earlier.fact_seq) if counts else (),
        on_record=rounds_recognised(held, len(identified.round_prints), before=earlier.fact_seq),
    )


def _counting_instead(
    identified: Identified,
    record: OnRecord,
    acquainted: AbstractSet[tuple[str, str]],
    replaces: Replaced | None,
) -> str | None:
    """Return the first session of the same content that counts, where the earlier one does not."""
    same = _same_content(identified, record, replaces)
    first = min(same, key=_standing, default=None)
    if first is None or first.status != "accepted":
        return None
    return first.session_id if _is_acquainted(identified, acquainted) else None


def _is_acquainted(identified: Identified, acquainted: AbstractSet[tuple[str, str]]) -> bool:
    """Tell whether the source had everyone in a session before, and so learns of no one."""
    source = identified.submission.source
    return all(has_named(source, players, acquainted) for players in identified.player_ids)


def _pairs(identified: Identified) -> set[tuple[str, str]]:
    """Return everyone in a submission beside its source."""
    source = identified.submission.source
    return {(source, known.player_id) for _, known in identified.named}


def _fact(identified: Identified) -> SessionSubmitted:
    submission = identified.submission
    session = submission.session
    has_points = session.game_type != "social"
    new_players = dict.fromkeys(known.player_id for _, known in identified.named if known.is_new)
    return SessionSubmitted(
        session_id=submission.session_id,
        source=submission.source,
        session_date=session.session_date,
        game_type=session.game_type,
        rounds=tuple(
            _played(played, players, has_points=has_points)
            for played, players in zip(session.rounds, identified.player_ids, strict=True)
        ),
        new_players=tuple(new_players),
    )


def _played(played: CheckedRound, players: tuple[str, ...], *, has_points: bool) -> PlayedRound:
    return PlayedRound(
        games_played=played.games_played,
        wall_games=played.wall_games,
        players=players,
        mahjongs=tuple([seat.mahjongs for seat in played.seats]),
        points_centi=tuple([seat.points_centi for seat in played.seats]) if has_points else None,
    )
