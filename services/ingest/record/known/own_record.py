"""Reads what a source itself knows: the people it has named, and its own sessions of a day.

A trial is judged by this. People are told apart by the ids of addresses and nicknames, and merges
are ignored. The work is the same for unknown people and for those that only others know.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from services.ingest.claim.checks import CheckedSession
from services.ingest.record.judging.identified import Identified
from services.ingest.record.judging.on_record import (
    KnownPerson,
    KnownRound,
    KnownSession,
    OnRecord,
    person_key,
)
from services.ingest.record.judging.prints import content_print, fact_prints
from services.ingest.record.judging.similar import tables_in
from shared.events.codec import decode_session
from shared.log.postgres import Connection
from shared.seated import read_people

# How many of the source's own sessions of a day with someone named are compared: the newest.
SESSIONS_MAX: Final = 200

READ_NAMED: Final = """
SELECT '' AS source, people.email AS key, people.player_id, people.is_private
FROM unnest((SELECT $1::text[])) AS named (email)
JOIN mahjic.people AS people ON people.email = named.email
JOIN mahjic.acquaintances AS known ON known.player_id = people.player_id AND known.source = $3
UNION ALL
SELECT $3, people.nickname_key, people.player_id, people.is_private
FROM unnest((SELECT $2::text[])) AS named (key)
JOIN mahjic.people AS people ON people.nickname_source = $3 AND people.nickname_key = named.key
JOIN mahjic.acquaintances AS known ON known.player_id = people.player_id AND known.source = $3
"""
READ_SESSIONS: Final = f"""
SELECT held.session_id, held.status, held.allowed_duplicate, held.fact_seq, facts.body, ARRAY(
    SELECT r.ref_print FROM mahjic.round_prints AS r
    WHERE r.session_id = held.session_id ORDER BY r.round_no
) AS refs
FROM (
    SELECT h.session_id FROM mahjic.submissions AS h
    WHERE h.source = $1 AND h.session_date = $2 AND EXISTS (
        SELECT FROM mahjic.seats AS s WHERE s.player_id = ANY($3) AND s.session_date = $2
            AND s.session_id = h.session_id AND s.is_sent
    )
    UNION
    SELECT r.session_id FROM mahjic.round_prints AS r WHERE r.ref_print = ANY($4)
) AS asked
JOIN mahjic.submissions AS held USING (session_id)
JOIN mahjic.facts AS facts ON facts.seq = held.fact_seq
WHERE NOT held.is_by_operator
ORDER BY held.fact_seq DESC LIMIT {SESSIONS_MAX}
"""


@dataclass(frozen=True, slots=True)
class OwnPeople:
    """Everyone named in a session, by whether the source has named them before.

    `shown` are those whose current numbers anyone may see, and `hidden` the others that the source
    knows. `nameless` are those who get no id: newcomers, and people merged into another.
    """

    source: str
    by_key: Mapping[tuple[str, str], KnownPerson]
    shown: list[str]
    hidden: list[str]
    nameless: frozenset[str]

    @property
    def known(self) -> list[str]:
        """The ids of the people that the source has named before."""
        return sorted([*self.shown, *self.hidden])


async def read_own_people(
    connection: Connection, session: CheckedSession, *, source: str
) -> OwnPeople:
    """Return everyone named in a session, as its source knows them."""
    named = dict.fromkeys(
        person_key(seat.person, source)
        for played in session.rounds
        for seat in played.seats
        if seat.person.kind != "bob"
    )
    rows = await connection.fetch(
        READ_NAMED,
        [key for of, key in named if not of],
        [key for of, key in named if of],
        source,
    )
    ids = {(row["source"], row["key"]): row for row in rows}
    seated = await read_people(connection.fetch, [row["player_id"] for row in rows], source=source)
    by_key: dict[tuple[str, str], KnownPerson] = {}
    for number, key in enumerate(named):
        row = ids.get(key)
        player_id = f"newcomer {number}" if row is None else row["player_id"]
        by_key[key] = KnownPerson(
            player_id,
            player_id,
            is_private=row is not None and row["is_private"],
            privacy_by="source",
            first_source=source,
            is_new=row is None,
        )
    merged = {each.player_id for each in seated.values() if each.survivor_id != each.player_id}
    shown = [
        each.player_id
        for each in seated.values()
        if each.is_public and each.player_id not in merged
    ]
    new = {each.player_id for each in by_key.values() if each.is_new}
    hidden = sorted(seated.keys() - set(shown))
    return OwnPeople(source, by_key, shown, hidden, frozenset(new | merged))


async def read_own_sessions(
    connection: Connection, identified: Identified, people: OwnPeople
) -> "OwnRecord":
    """Return what the source has on record for the day with these people in it."""
    record = OwnRecord(dict(people.by_key))
    record.acquainted.update((people.source, player_id) for player_id in people.known)
    day = identified.submission.session.session_date
    refs = [each.ref for each in identified.round_prints if each.ref is not None]
    rows = await connection.fetch(
        READ_SESSIONS, people.source, date.fromisoformat(day), people.known, refs
    )
    # In the order in which they came.
    for row in reversed(rows):
        played = decode_session(row["body"])
        if played is None:
            continue
        prints = fact_prints(played, {}, row["refs"])
        fact_seq = row["fact_seq"]
        record.fact_seq_next = max(record.fact_seq_next, fact_seq + 1)
        known = KnownSession(
            played.session_id, people.source, row["status"], row["allowed_duplicate"], fact_seq
        )
        record.add_session(content_print(played, prints, people.source), known)
        if row["status"] == "accepted":
            for each in prints:
                record.add_round(KnownRound(played.session_id, people.source, each, fact_seq))
            for table in tables_in(played, {}, prints, fact_seq):
                record.add_table(played.session_date, table)
    return record


@dataclass(slots=True)
class OwnRecord(OnRecord):
    """What a source itself has on record. What comes now is placed after all of it."""

    fact_seq_next: int = 1
