"""Judges submissions against what is on record, as if they came one by one.

Pure: what is on record is handed in, read under the lock on the head, and takes in what each
accepted submission adds. So the requests of one transaction are judged among themselves too.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from typing import Literal

from services.ingest.claim.checks import CheckedRound, CheckedSession
from services.ingest.record.judging.known_night import Night
from services.ingest.record.judging.nights import KnownNight, compared, night_of
from services.ingest.record.judging.on_record import (
    KnownPerson,
    KnownRound,
    KnownSession,
    OnRecord,
    SeatIds,
    person_key,
)
from services.ingest.record.judging.prints import (
    RoundPrint,
    content_print,
    request_print,
    round_prints,
)
from services.ingest.record.judging.refusing import held_rounds, refusal_of, rounds_recognised
from services.ingest.record.judging.similar import SimilarRound, similar_rounds, tables_of
from shared.errors import MahjicError
from shared.events.facts import PlayedRound, SessionSubmitted
from shared.ids import BOB


class IdempotencyKeyReused(MahjicError):
    """The key was used before, for other content."""

    code = "idempotency_key_reused"
    title = "The Idempotency-Key was used for another request"
    status = 422


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
    similar: tuple[SimilarRound, ...] = ()
    on_record: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class Replayed:
    """A session that is on record already, word for word; `by_key` when its key says so.

    `counting` is another session of the same content that counts, where the earlier one does not.
    """

    submission: Submission
    earlier: KnownSession
    counting: str | None
    request_print: bytes
    player_ids: SeatIds
    survivor_ids: SeatIds
    by_key: bool
    similar: tuple[SimilarRound, ...] = ()
    on_record: tuple[bool, ...] = ()

    @property
    def session_id(self) -> str:
        """The session on record."""
        return self.earlier.session_id

    @property
    def status(self) -> Literal["accepted", "voided", "corrected"]:
        """What became of it."""
        return self.earlier.status


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
    held = list(held_rounds(source, ids, prints, record))
    earlier = earlier_session(identified, record)
    if earlier is not None:
        _keep_privacy(submission, record)
        _keep_key(submission, asked, earlier.session_id, record)
        return Replayed(
            submission,
            earlier,
            _counting_instead(identified, earlier, record),
            asked,
            ids,
            survivors,
            by_key=kept is not None,
            similar=_similar_to_repeated(identified, earlier, record),
            on_record=rounds_recognised(held, len(prints), before=earlier.fact_seq),
        )
    tables = tables_of(
        session,
        ids,
        survivors,
        prints,
        session_id=submission.session_id,
        source=source,
        fact_seq=fact_seq,
    )
    similar = tuple(similar_rounds(tables, session.session_date, record))
    refusal = refusal_of(
        session,
        source=source,
        player_ids=ids,
        survivor_ids=survivors,
        prints=prints,
        held=held,
        similar=similar,
        record=record,
        night=partial(_night_on_record, identified, record),
    )
    if refusal is not None:
        return refusal
    on_record = rounds_recognised(held, len(prints), before=fact_seq)
    fact = _accept(submission, ids, record)
    _keep_key(submission, asked, submission.session_id, record)
    known = KnownSession(
        submission.session_id, source, "accepted", session.allow_duplicate, fact_seq
    )
    record.add_session(content, known)
    for each in prints:
        record.add_round(KnownRound(submission.session_id, source, each, fact_seq))
    for table in tables:
        record.add_table(session.session_date, table)
    tell = partial(as_night, identified, record.acquainted)
    record.add_night(source, session.session_date, tell)
    return Accepted(
        submission, fact, survivors, content, asked, prints, fact_seq, similar, on_record
    )


def _similar_to_repeated(
    identified: Identified, earlier: KnownSession, record: OnRecord
) -> tuple[SimilarRound, ...]:
    """Return what was told of similar rounds the first time, of what still counts."""
    if earlier.status != "accepted":
        return ()
    submission = identified.submission
    tables = tables_of(
        submission.session,
        identified.player_ids,
        identified.survivor_ids,
        identified.round_prints,
        session_id=earlier.session_id,
        source=submission.source,
        fact_seq=earlier.fact_seq,
    )
    return tuple(similar_rounds(tables, submission.session.session_date, record))


def earlier_session(identified: Identified, record: OnRecord) -> KnownSession | None:
    """Return the session that a submission repeats, by its key or as a whole."""
    key_print = identified.submission.key_print
    kept = None if key_print is None else record.keys.get(key_print)
    return record.sessions[kept[1]] if kept else _repeated(identified, record)


def _night_on_record(identified: Identified, record: OnRecord) -> Night | None:
    """Return the night of the source that a submission is, if the source has a part of it.

    What is no whole night is held against the sessions that hold a round of it, whichever others
    are known because of submissions beside it.
    """
    submission = identified.submission
    known = record.nights_of(submission.source, submission.session.session_date)
    if not submission.session.is_whole_night:
        known = known.among(record.holding(submission.source, identified.round_prints))
    own = as_night(identified, record.acquainted)
    return compared(own, known, names_in(identified, record.acquainted))


def as_night(identified: Identified, acquainted: AbstractSet[tuple[str, str]]) -> KnownNight:
    """Return a submission round by round, with people as its source knows them."""
    submission = identified.submission
    return night_of(
        submission.session,
        _known_ids(identified, acquainted),
        identified.round_prints,
        session_id=submission.session_id,
        source=submission.source,
    )


def names_in(identified: Identified, acquainted: AbstractSet[tuple[str, str]]) -> dict[str, str]:
    """Return what the submission calls each player of `as_night`."""
    return submitted_as(identified.submission, _known_ids(identified, acquainted))


def _known_ids(identified: Identified, acquainted: AbstractSet[tuple[str, str]]) -> SeatIds:
    """Return whom each seat is read as; nobody is told as whom somebody new is read."""
    source = identified.submission.source
    return tuple(
        tuple(
            survivor if (source, own) in acquainted else own
            for own, survivor in zip(ids, survivors, strict=True)
        )
        for ids, survivors in zip(identified.player_ids, identified.survivor_ids, strict=True)
    )


def _repeated(identified: Identified, record: OnRecord) -> KnownSession | None:
    """Return the session that the source repeats as a whole, also a voided or corrected one.

    One that counts comes before those that do not, and then the first of them.
    A duplicate that is allowed on purpose is repeated only by another such request without a key:
    with a key of its own it is another session. What names people whom the source never named is
    no repetition of its own, though the operator named them, or they were merged since.
    """
    submission = identified.submission
    on_purpose = submission.session.allow_duplicate
    if on_purpose and submission.key_print is not None:
        return None
    candidates = [
        each
        for each in record.by_content.get(identified.content_print, ())
        if not on_purpose or each.allowed_duplicate
    ]
    if not candidates or not _is_acquainted(identified, record):
        return None
    return min(candidates, key=_standing)


def _standing(known: KnownSession) -> tuple[bool, int]:
    return known.status != "accepted", known.fact_seq


def _counting_instead(
    identified: Identified, earlier: KnownSession, record: OnRecord
) -> str | None:
    """Return the first session of the same content that counts, unless the earlier one does."""
    same = record.by_content.get(identified.content_print, ())
    first = min(same, key=_standing, default=earlier)
    if earlier.status == "accepted" or first.status != "accepted":
        return None
    return first.session_id if _is_acquainted(identified, record) else None


def _is_acquainted(identified: Identified, record: OnRecord) -> bool:
    """Tell whether the source had everybody in a session before, and so learns of nobody."""
    source = identified.submission.source
    return all(record.knows(source, players) for players in identified.player_ids)


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
        record.meet(submission.source, known.player_id, seat.name)
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
