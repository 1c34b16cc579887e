"""Judges submissions against what is on record, as if they came one by one.

Pure: what is on record is handed in, read under the lock on the head, and takes in what each
accepted submission adds. So the requests of one transaction are judged among themselves too.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from services.ingest.checks import CheckedRound, CheckedSession
from services.ingest.on_record import (
    KnownPerson,
    KnownRound,
    KnownSession,
    OnRecord,
    SeatIds,
    person_key,
)
from services.ingest.prints import RoundPrint, content_print, request_print, round_prints
from shared.errors import ClaimRefused, MahjicError, Mistake
from shared.events.facts import PlayedRound, SessionSubmitted
from shared.ids import BOB


class IdempotencyKeyReused(MahjicError):
    """The key was used before, for other content."""

    code = "idempotency_key_reused"
    title = "The Idempotency-Key was used for another request"
    status = 422


class DuplicateSession(MahjicError):
    """A round of the submission is on record already."""

    code = "duplicate_session"
    title = "A round of this session is on record already"
    status = 409


@dataclass(frozen=True, slots=True)
class Submission:
    """A lawful session on its way in: from whom, and under which key."""

    session_id: str
    source: str
    session: CheckedSession
    key_print: bytes | None


@dataclass(frozen=True, slots=True)
class Identified:
    """A submission whose people have ids: the id of each seat of each round, and the prints.

    Facts carry `player_ids`, as each address has one. What comes twice is told by `survivor_ids`,
    as everybody is read now; requests with one key by `own_print`, which no merge changes.
    """

    submission: Submission
    player_ids: SeatIds
    survivor_ids: SeatIds
    round_prints: tuple[RoundPrint, ...]
    content_print: bytes
    own_print: bytes


@dataclass(frozen=True, slots=True)
class Accepted:
    """A session that becomes a fact."""

    submission: Submission
    fact: SessionSubmitted
    survivor_ids: SeatIds
    content_print: bytes
    request_print: bytes
    round_prints: tuple[RoundPrint, ...]
    fact_seq: int


@dataclass(frozen=True, slots=True)
class Replayed:
    """A session that is on record already, word for word; `by_key` when its key says so."""

    submission: Submission
    session_id: str
    status: Literal["accepted", "voided", "corrected"]
    request_print: bytes
    player_ids: SeatIds
    survivor_ids: SeatIds
    fact_seq: int
    by_key: bool


Judgement = Accepted | Replayed | MahjicError


def identify(submission: Submission, people: Mapping[tuple[str, str], KnownPerson]) -> Identified:
    """Put ids in the place of people; everybody named must be among `people`."""
    session, source = submission.session, submission.source
    seated = [
        [
            None if seat.person.kind == "bob" else people[person_key(seat.person, source)]
            for seat in played.seats
        ]
        for played in session.rounds
    ]
    ids = tuple(
        tuple(BOB if each is None else each.player_id for each in seats) for seats in seated
    )
    survivors = tuple(
        tuple(BOB if each is None else each.survivor_id for each in seats) for seats in seated
    )
    prints = round_prints(session, survivors, source)
    content = own = content_print(session, prints, source)
    if ids != survivors:
        own = content_print(session, round_prints(session, ids, source), source)
    return Identified(submission, ids, survivors, prints, content, own)


def judge(identified: Identified, record: OnRecord, fact_seq: int) -> Judgement:
    """Judge one submission, and put it on record if it is accepted, as the fact `fact_seq`."""
    submission, ids = identified.submission, identified.player_ids
    survivors = identified.survivor_ids
    prints, content = identified.round_prints, identified.content_print
    session, source = submission.session, submission.source
    asked = request_print(identified.own_print, allow_duplicate=session.allow_duplicate)
    kept = None if submission.key_print is None else record.keys.get(submission.key_print)
    if kept is not None and kept[0] != asked:
        return IdempotencyKeyReused(
            "This Idempotency-Key came before with other content; nothing was recorded. "
            "Use a new key for a new session."
        )
    earlier = record.sessions[kept[1]] if kept else _repeated(submission, content, record)
    if earlier is not None:
        _keep_privacy(submission, record)
        _keep_key(submission, asked, earlier.session_id, record)
        return Replayed(
            submission,
            earlier.session_id,
            earlier.status,
            asked,
            ids,
            survivors,
            earlier.fact_seq,
            by_key=kept is not None,
        )
    if twice := list(_seated_twice(identified)):
        return ClaimRefused(twice)
    if not session.allow_duplicate:
        held = list(_held_rounds(prints, source, record))
        if held:
            return _duplicate(held, source)
    fact = _accept(submission, ids, record)
    _keep_key(submission, asked, submission.session_id, record)
    known = KnownSession(
        submission.session_id, source, "accepted", session.allow_duplicate, fact_seq
    )
    record.add_session(content, known)
    for each in prints:
        record.add_round(KnownRound(submission.session_id, source, each))
    return Accepted(submission, fact, survivors, content, asked, prints, fact_seq)


def _seated_twice(identified: Identified) -> Iterator[Mistake]:
    """Yield each seat of somebody who sits at the table already, under another address."""
    for number, survivors in enumerate(identified.survivor_ids):
        first: dict[str, int] = {}
        for place, survivor_id in enumerate(survivors):
            if first.setdefault(survivor_id, place) != place:
                yield Mistake(
                    f"/rounds/{number}/players/{place}/email",
                    "player_twice",
                    f"This address and that of players/{first[survivor_id]} of the round are one "
                    "player's.",
                )


def _repeated(submission: Submission, content: bytes, record: OnRecord) -> KnownSession | None:
    """Return the session that the source repeats as a whole, also a voided or corrected one.

    A duplicate that is allowed on purpose is repeated only by another such request without a key:
    with a key of its own it is another session.
    """
    on_purpose = submission.session.allow_duplicate
    if on_purpose and submission.key_print is not None:
        return None
    candidates = [
        each
        for each in record.by_content.get(content, ())
        if not on_purpose or each.allowed_duplicate
    ]
    return min(candidates, key=lambda each: each.fact_seq, default=None)


def _held_rounds(
    prints: Iterable[RoundPrint], source: str, record: OnRecord
) -> Iterator[tuple[int, KnownRound]]:
    """Yield each round that another session holds, with each session that holds it once."""
    for number, own in enumerate(prints):
        same_ref = record.by_ref.get(own.ref, []) if own.ref is not None else []
        same_base = record.by_base.get(own.base, [])
        held = [*same_ref, *(each for each in same_base if _is_same_round(own, each, source))]
        for known in {each.session_id: each for each in held}.values():
            yield number, known


def _is_same_round(own: RoundPrint, known: KnownRound, source: str) -> bool:
    """Tell whether two rounds with the same base are one; points count unless one is social."""
    points_count = own.points is not None and known.prints.points is not None
    if points_count and own.points != known.prints.points:
        return False
    refs_differ = own.ref is not None and known.prints.ref is not None
    return not (refs_differ and known.source == source)


def _duplicate(held: list[tuple[int, KnownRound]], source: str) -> DuplicateSession:
    """Name the rounds and the source's own sessions that hold them; of others only that they do.

    Of several others it says so once: how many they are is nobody's business.
    """
    holders = dict.fromkeys(
        (number, known.session_id if known.source == source else None) for number, known in held
    )
    rounds = [
        {
            "pointer": f"/rounds/{number}",
            "session_id": session_id,
            "held_by": "another source" if session_id is None else "your own session",
        }
        for number, session_id in holders
    ]
    numbers = ", ".join(str(number) for number in sorted({number for number, _ in held}))
    return DuplicateSession(
        f"On record already: round {numbers} of this session (counted from 0). Nothing was "
        'recorded. If it really was played again, send "allow_duplicate": true.',
        extra={"rounds": rounds},
    )


def _accept(submission: Submission, ids: SeatIds, record: OnRecord) -> SessionSubmitted:
    new_players = []
    for seat in (seat for played in submission.session.rounds for seat in played.seats):
        if seat.person.kind == "bob":
            continue
        key = person_key(seat.person, submission.source)
        known = record.people[key]
        if known.is_new:
            known.is_new = False
            new_players.append(known.player_id)
            record.changed_people.add(key)
        if known.first_source is None:
            known.first_source = submission.source
            record.changed_people.add(key)
        if seat.name is not None and seat.name != known.offered_name:
            known.offered_name = seat.name
            record.changed_people.add(key)
    _keep_privacy(submission, record)
    session = submission.session
    return SessionSubmitted(
        session_id=submission.session_id,
        source=submission.source,
        session_date=session.session_date,
        game_type=session.game_type,
        rounds=tuple(
            _played(played, players, has_points=session.game_type != "social")
            for played, players in zip(session.rounds, ids, strict=True)
        ),
        new_players=tuple(new_players),
    )


def _played(played: CheckedRound, players: tuple[str, ...], *, has_points: bool) -> PlayedRound:
    return PlayedRound(
        games_played=played.games_played,
        wall_games=played.wall_games,
        players=players,
        mahjongs=tuple(seat.mahjongs for seat in played.seats),
        points_centi=tuple(seat.points_centi for seat in played.seats) if has_points else None,
    )


def _keep_privacy(submission: Submission, record: OnRecord) -> None:
    """Private wins, unless the player or the operator has spoken."""
    for seat in (seat for played in submission.session.rounds for seat in played.seats):
        if seat.person.kind != "person" or not seat.person.is_private:
            continue
        key = person_key(seat.person, submission.source)
        known = record.people[key]
        record.private_words.add((submission.source, known.player_id))
        if not known.is_private and known.privacy_by == "source":
            known.is_private = True
            record.changed_people.add(key)


def _keep_key(submission: Submission, asked: bytes, session_id: str, record: OnRecord) -> None:
    if submission.key_print is not None and submission.key_print not in record.keys:
        record.keys[submission.key_print] = (asked, session_id)
        record.kept_keys[submission.key_print] = (asked, session_id)


def seated_players(session: SessionSubmitted) -> list[str]:
    """Return who sat in a session, in order of first appearance; Bob sits nowhere."""
    named = (player_id for played in session.rounds for player_id in played.players)
    return [player_id for player_id in dict.fromkeys(named) if player_id != BOB]


def submitted_as(submission: Submission, *seat_ids: SeatIds) -> dict[str, str]:
    """Return what each player was called in the request, by player id; the first mention counts.

    With several ids for each seat the first of them count more.
    """
    texts: dict[str, str] = {}
    for ids in seat_ids:
        for played, players in zip(submission.session.rounds, ids, strict=True):
            for seat, player_id in zip(played.seats, players, strict=True):
                texts.setdefault(player_id, seat.text)
    return texts
