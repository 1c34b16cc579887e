"""Takes over facts that a copy of the log has and our tables lack, with everything in them.

It restores what is needed to recognize a session that is sent again: players, submissions and the
prints of rounds. What is not on the log stays lost: addresses, names, nicknames, refs, notes and
idempotency keys.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Final

from services.ingest.record.judging.identified import seated_players
from services.ingest.record.judging.prints import columns_of, content_print, fact_prints
from services.ingest.record.known.groups import survivors_of
from services.ingest.recovery.recovered_changes import add_changes, links_now, set_links
from shared.events.codec import Fact, decode_facts
from shared.events.facts import (
    FactEvent,
    PlayersMerged,
    PlayerVerificationEnded,
    PlayerVerified,
    SeatsReassigned,
    SessionCorrected,
    SessionSubmitted,
    session_of,
)
from shared.log.port import Record
from shared.log.postgres import Connection, Head, append_facts

# The log says no more about a source than its slug.
ADD_SOURCES: Final = """
INSERT INTO mahjic.sources (slug, name, type, created_at)
SELECT s.slug, s.slug, 'club', now() FROM unnest($1::text[]) AS s (slug)
ON CONFLICT (slug) DO NOTHING
RETURNING slug
"""
KNOWN_PLAYERS: Final = "SELECT player_id FROM mahjic.players WHERE player_id = ANY($1::text[])"
ADD_PLAYERS: Final = """
INSERT INTO mahjic.players AS known (player_id, first_source)
SELECT p.player_id, p.first_source
FROM unnest($1::text[], $2::text[]) AS p (player_id, first_source)
ON CONFLICT (player_id) DO UPDATE
SET first_source = COALESCE(known.first_source, excluded.first_source)
"""
SET_VERIFIED: Final = """
UPDATE mahjic.players SET is_verified = v.is_verified
FROM unnest($1::text[], $2::bool[]) AS v (player_id, is_verified)
WHERE players.player_id = v.player_id
"""
# The log does not say either whether a duplicate was intended. Assuming that it was, a session is
# recognized when it is sent again, with or without `allow_duplicate`. Otherwise it could count
# twice.
ADD_SESSIONS: Final = """
INSERT INTO mahjic.submissions
    (session_id, source, status, fact_seq, place_seq, session_date, content_print,
     allowed_duplicate, submitted_at)
SELECT s.session_id, s.source, 'accepted', s.fact_seq, s.fact_seq, s.session_date,
    s.content_print, true, s.submitted_at
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bytea[], $5::timestamptz[], $6::date[])
    AS s (session_id, source, fact_seq, content_print, submitted_at, session_date)
ON CONFLICT (session_id) DO NOTHING
"""
ADD_SEATS: Final = """
INSERT INTO mahjic.seats (player_id, session_date, session_id)
SELECT s.player_id, sent.session_date, s.session_id
FROM unnest($1::text[], $2::text[]) AS s (player_id, session_id)
JOIN mahjic.submissions AS sent ON sent.session_id = s.session_id
ON CONFLICT (player_id, session_date, session_id) DO NOTHING
"""
# The log does not say who corrected a session, so a correction acquaints no one. Names stay lost.
ADD_ACQUAINTANCES: Final = """
INSERT INTO mahjic.acquaintances (source, player_id)
SELECT DISTINCT k.source, k.player_id FROM unnest($1::text[], $2::text[]) AS k (source, player_id)
ON CONFLICT (source, player_id) DO NOTHING
"""
ADD_ROUNDS: Final = """
INSERT INTO mahjic.round_prints (session_id, round_no, base_print, points_print)
SELECT r.session_id, r.round_no, r.base_print, r.points_print
FROM unnest($1::text[], $2::smallint[], $3::bytea[], $4::bytea[])
    AS r (session_id, round_no, base_print, points_print)
ON CONFLICT (session_id, round_no) DO NOTHING
"""


@dataclass(slots=True)
class Recovered:
    """What was taken over, and the players whose details are lost. They are private from now on.

    `sessions_of_lost` counts sessions with such a player. When sent again, they get new ids for
    those players, and are not recognized.
    """

    facts: int = 0
    sessions: int = 0
    sessions_of_lost: int = 0
    lost_players: set[str] = field(default_factory=set)
    lost_sources: set[str] = field(default_factory=set)


async def take_over(
    connection: Connection, head: Head, records: Sequence[Record], done: Recovered
) -> Head:
    """Take over the next facts in the transaction that locked `head`, and return the new head.

    The records must follow the head on the same chain. Raises UnknownEventType.
    """
    appended = await append_facts(connection, head, [record.body for record in records])
    assert appended == list(records), "What is taken over goes on from where we are."
    # The rater refuses those that cannot be read, and nothing is in them.
    read = decode_facts((record.seq, record.body) for record in records)
    facts = [replace(fact, seq=seq) for seq, fact in read]
    sessions = [
        (fact, session) for fact in facts if (session := session_of(fact.event)) is not None
    ]
    await _add_sources(connection, [event for _, event in sessions], done)
    await _add_players(connection, facts, done)
    links = await links_now(connection)
    await set_links(connection, facts)
    await _add_sessions(connection, sessions)
    await add_changes(connection, facts, links)
    done.facts += len(records)
    done.sessions += len(sessions)
    done.sessions_of_lost += sum(
        not done.lost_players.isdisjoint(seated_players(event)) for _, event in sessions
    )
    return replace(head, fact_seq=records[-1].seq, fact_chain=records[-1].chain)


async def _add_sources(
    connection: Connection, events: Iterable[SessionSubmitted], done: Recovered
) -> None:
    slugs = sorted({event.source for event in events})
    done.lost_sources.update(row["slug"] for row in await connection.fetch(ADD_SOURCES, slugs))


async def _add_players(connection: Connection, facts: Iterable[Fact], done: Recovered) -> None:
    """Put every player named on record, as the facts did when they were recorded."""
    first_sources: dict[str, str | None] = {}
    verified: dict[str, bool] = {}
    for fact in facts:
        match fact.event:
            case (SessionSubmitted() as event) | SessionCorrected(session=event):
                for player_id in seated_players(event):
                    first_sources[player_id] = first_sources.get(player_id) or event.source
            case PlayerVerified(player_id) | PlayerVerificationEnded(player_id):
                first_sources.setdefault(player_id, None)
                verified[player_id] = isinstance(fact.event, PlayerVerified)
            case PlayersMerged(one, other) | SeatsReassigned(one, other):
                first_sources.setdefault(one, None)
                first_sources.setdefault(other, None)
    known = await connection.fetch(KNOWN_PLAYERS, list(first_sources))
    done.lost_players |= first_sources.keys() - {row["player_id"] for row in known}
    await connection.execute(ADD_PLAYERS, list(first_sources), list(first_sources.values()))
    await connection.execute(SET_VERIFIED, list(verified), list(verified.values()))


async def _add_sessions(
    connection: Connection, sessions: Sequence[tuple[Fact, SessionSubmitted]]
) -> None:
    survivors = await survivors_of(
        connection, (player_id for _, event in sessions for player_id in seated_players(event))
    )
    prints = [fact_prints(event, survivors, [None] * len(event.rounds)) for _, event in sessions]
    session_ids = [event.session_id for _, event in sessions]
    await connection.execute(
        ADD_SESSIONS,
        session_ids,
        [event.source for _, event in sessions],
        [fact.seq for fact, _ in sessions],
        [
            content_print(event, of_session, event.source)
            for (_, event), of_session in zip(sessions, prints, strict=True)
        ],
        [datetime.fromisoformat(fact.time) for fact, _ in sessions],
        [date.fromisoformat(event.session_date) for _, event in sessions],
    )
    await connection.execute(ADD_ROUNDS, *columns_of(zip(session_ids, prints, strict=True)))
    await _add_seats(connection, [event for _, event in sessions])
    await _add_acquaintances(connection, [fact.event for fact, _ in sessions])


async def _add_seats(connection: Connection, events: Sequence[SessionSubmitted]) -> None:
    seats = [
        (player_id, event.session_id) for event in events for player_id in seated_players(event)
    ]
    await connection.execute(
        ADD_SEATS, [player_id for player_id, _ in seats], [session_id for _, session_id in seats]
    )


async def _add_acquaintances(connection: Connection, events: Sequence[FactEvent]) -> None:
    met = [
        (event.source, player_id)
        for event in events
        if isinstance(event, SessionSubmitted)
        for player_id in seated_players(event)
    ]
    await connection.execute(
        ADD_ACQUAINTANCES, [source for source, _ in met], [player_id for _, player_id in met]
    )
