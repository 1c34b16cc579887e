"""Judges a submission against what is on record. Read `judge` first.

Pure: what is on record is handed in and is not changed. `take_in` adds what a judgment changes, so
that the submissions of one transaction are judged as if they came one by one.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from services.ingest.claim.checks import CheckedRound
from services.ingest.record.judging.identified import Identified
from services.ingest.record.judging.judgment import (
    Accepted,
    IdempotencyKeyReused,
    Judgment,
    Replayed,
)
from services.ingest.record.judging.on_record import KnownSession, OnRecord, has_named
from services.ingest.record.judging.prints import request_print
from services.ingest.record.judging.refusing import (
    HeldRound,
    held_rounds,
    refusal_of,
    rounds_recognized,
)
from services.ingest.record.judging.similar import similar_rounds
from shared.events.facts import PlayedRound, SessionSubmitted


@dataclass(frozen=True, slots=True)
class Replaced:
    """The session that a submission is to replace, and the one that corrected it, if any.

    Its own rounds are not duplicates of the submission. The only session that this can repeat as a
    whole is the correction that is already there. The same session elsewhere is a duplicate.
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
) -> Judgment:
    """Return the judgment on a submission. If accepted, it becomes the fact `fact_seq`.

    The rounds of the session it `replaces` must not be in the record. The operator, acting for a
    source, knows everyone named. A source knows only people it has named before.
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
        # Even with a new key, a repeat can only be of the correction that is already there.
        kept_print = asked if replaces is None else None
        return _replayed(
            identified, earlier, held, record, acquainted, replaces=replaces, kept_print=kept_print
        )
    similar = similar_rounds(identified, record, before=fact_seq)
    refusal = refusal_of(identified, held, similar, record, acquainted)
    if refusal is not None:
        return refusal
    on_record = rounds_recognized(held, len(identified.round_prints), before=fact_seq)
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
    """Return the session that the source repeats as a whole, even a voided or corrected one.

    A session that counts is preferred, then the earliest. A duplicate that was allowed on purpose
    is repeated only by another such request without a key: with a new key it is another session. A
    session with people the source never named is not the source's own repeat, even if the operator
    named them or they were merged since.
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
        # What was said about similar rounds the first time, as far as it still counts.
        similar=similar_rounds(identified, record, before=earlier.fact_seq) if counts else (),
        on_record=rounds_recognized(held, len(identified.round_prints), before=earlier.fact_seq),
    )


def _counting_instead(
    identified: Identified,
    record: OnRecord,
    acquainted: AbstractSet[tuple[str, str]],
    replaces: Replaced | None,
) -> str | None:
    """Return the first session with the same content that counts, if the earlier one does not."""
    same = _same_content(identified, record, replaces)
    first = min(same, key=_standing, default=None)
    if first is None or first.status != "accepted":
        return None
    return first.session_id if _is_acquainted(identified, acquainted) else None


def _is_acquainted(identified: Identified, acquainted: AbstractSet[tuple[str, str]]) -> bool:
    """Return whether the source has named everyone in it before, and so learns about no one."""
    source = identified.submission.source
    return all(has_named(source, players, acquainted) for players in identified.player_ids)


def _pairs(identified: Identified) -> set[tuple[str, str]]:
    """Return a pair of the source and the player for everyone in a submission."""
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
