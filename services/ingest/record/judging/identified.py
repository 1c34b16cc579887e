"""A submission on its way in, without and with ids for its people. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from services.ingest.claim.checks import CheckedSeat, CheckedSession
from services.ingest.record.judging.on_record import KnownPerson, SeatIds, person_key
from services.ingest.record.judging.prints import RoundPrint, content_print, round_prints
from shared.events.facts import SessionSubmitted
from shared.ids import BOB


@dataclass(frozen=True, slots=True)
class Submission:
    """A valid session on its way in, with its source and its key."""

    session_id: str
    source: str
    session: CheckedSession
    key_print: bytes | None


@dataclass(frozen=True, slots=True)
class Identified:
    """A submission whose people have ids: the id of each seat of each round, and the prints.

    Facts carry `player_ids`, one for each address. Sessions that are sent twice are recognized by
    `survivor_ids`, which follow merges, and requests with the same key by `own_print`, which no
    merge changes. `named` has every seat but Bob's, in order.
    """

    submission: Submission
    named: list[tuple[CheckedSeat, KnownPerson]]
    player_ids: SeatIds
    survivor_ids: SeatIds
    round_prints: tuple[RoundPrint, ...]
    content_print: bytes
    own_print: bytes

    @property
    def is_merged(self) -> bool:
        """Whether someone in it is merged into another player."""
        return self.player_ids is not self.survivor_ids


def identify(submission: Submission, people: Mapping[tuple[str, str], KnownPerson]) -> Identified:
    """Replace people by their ids. Everyone named must be among `people`."""
    session, source = submission.session, submission.source
    named = []
    rounds, read_as = [], []
    for played in session.rounds:
        ids, survivors = [], []
        for seat in played.seats:
            if seat.person.kind == "bob":
                ids.append(BOB)
                survivors.append(BOB)
                continue
            known = people[person_key(seat.person, source)]
            named.append((seat, known))
            ids.append(known.player_id)
            survivors.append(known.survivor_id)
        rounds.append(tuple(ids))
        read_as.append(tuple(survivors))
    player_ids = tuple(rounds)
    survivor_ids = player_ids if read_as == rounds else tuple(read_as)
    prints = round_prints(session, survivor_ids, source)
    content = own = content_print(session, prints, source)
    if survivor_ids is not player_ids:
        own = content_print(session, round_prints(session, player_ids, source), source)
    return Identified(submission, named, player_ids, survivor_ids, prints, content, own)


def seated_players(session: SessionSubmitted) -> list[str]:
    """Return who sat in a session, in order of first appearance. Bob does not count."""
    named = dict.fromkeys(player_id for played in session.rounds for player_id in played.players)
    named.pop(BOB, None)
    return list(named)


def submitted_as(submission: Submission, *seat_ids: SeatIds) -> dict[str, str]:
    """Return what each player was called in the request, by player id. The first mention counts.

    If a seat has several ids, the first ones take precedence.
    """
    texts: dict[str, str] = {}
    for ids in seat_ids:
        for played, players in zip(submission.session.rounds, ids, strict=True):
            for seat, player_id in zip(played.seats, players, strict=True):
                texts.setdefault(player_id, seat.text)
    return texts
