"""Reads what is on record about people, keys, sessions and rounds, as far as submissions touch it.

Call it under the lock on the head only: what it returns is then true until the transaction ends.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from services.ingest.chances import Chances
from services.ingest.groups import survivors_of
from services.ingest.judge import Identified, Submission, identify
from services.ingest.on_record import KnownPerson, KnownRound, KnownSession, OnRecord, person_key
from services.ingest.prints import RoundPrint
from shared.ids import player_id

READ_PEOPLE: Final = """
SELECT player_id, email, nickname_source, nickname_key, is_private, privacy_by, offered_name,
       first_source, merged_into
FROM mahjic.people JOIN mahjic.players USING (player_id)
WHERE email = ANY($1)
UNION ALL
SELECT player_id, email, nickname_source, nickname_key, is_private, privacy_by, offered_name,
       first_source, NULL
FROM unnest($2::text[], $3::text[]) AS named (source, key)
JOIN mahjic.people ON nickname_source = named.source AND nickname_key = named.key
JOIN mahjic.players USING (player_id)
"""
READ_TAKEN_IDS: Final = "SELECT player_id FROM mahjic.players WHERE player_id = ANY($1)"
READ_KEYS: Final = """
SELECT key_print, request_print, session_id FROM mahjic.idempotency_keys
WHERE key_print = ANY($1)
"""
READ_SESSIONS: Final = """
SELECT session_id, source, status, allowed_duplicate, fact_seq, content_print
FROM mahjic.submissions WHERE content_print = ANY($1) OR session_id = ANY($2)
"""
READ_ROUNDS: Final = """
SELECT session_id, source, base_print, points_print, ref_print
FROM mahjic.round_prints JOIN mahjic.submissions USING (session_id)
WHERE (base_print = ANY($1) OR ref_print = ANY($2)) AND status = 'accepted'
ORDER BY fact_seq, round_no
"""

Connection = asyncpg.Connection | PoolConnectionProxy


async def read_record(
    connection: Connection, submissions: Sequence[Submission], chances: Chances
) -> tuple[list[Identified], OnRecord]:
    """Return the submissions with ids for people, and all on record that they touch."""
    record = OnRecord(await _read_people(connection, submissions, chances))
    identified = [identify(submission, record.people) for submission in submissions]
    await _read_rest(connection, identified, record)
    return identified, record


async def _read_people(
    connection: Connection, submissions: Sequence[Submission], chances: Chances
) -> dict[tuple[str, str], KnownPerson]:
    """Return everybody named, with a free id for each who is not on record."""
    named = {
        person_key(seat.person, submission.source)
        for submission in submissions
        for played in submission.session.rounds
        for seat in played.seats
        if seat.person.kind != "bob"
    }
    # Nicknames alone are local to a source, so only their keys name one.
    anonymous = sorted(each for each in named if each[0])
    rows = await connection.fetch(
        READ_PEOPLE,
        sorted(key for source, key in named if not source),
        [source for source, _ in anonymous],
        [key for _, key in anonymous],
    )
    merged = [row["player_id"] for row in rows if row["merged_into"] is not None]
    survivors = await survivors_of(connection, merged) if merged else {}
    people = {
        (row["nickname_source"] or "", row["email"] or row["nickname_key"]): KnownPerson(
            row["player_id"],
            survivors.get(row["player_id"], row["player_id"]),
            is_private=row["is_private"],
            privacy_by=row["privacy_by"],
            first_source=row["first_source"],
            offered_name=row["offered_name"],
        )
        for row in rows
    }
    unknown = sorted(named - people.keys())
    ids = await free_ids(connection, ["AN" if source else "MJ" for source, _ in unknown], chances)
    for (source, key), free_id in zip(unknown, ids, strict=True):
        people[source, key] = KnownPerson(
            free_id,
            free_id,
            is_private=bool(source),
            privacy_by="source",
            first_source=None,
            is_new=True,
        )
    return people


async def free_ids(connection: Connection, prefixes: Sequence[str], chances: Chances) -> list[str]:
    """Return a random id per prefix; none was given out before."""
    ids = [player_id(prefix, chances.player_number()) for prefix in prefixes]
    while ids:
        taken = {row["player_id"] for row in await connection.fetch(READ_TAKEN_IDS, ids)}
        taken.update(each for each, count in Counter(ids).items() if count > 1)
        if not taken:
            break
        ids = [
            player_id(prefix, chances.player_number()) if each in taken else each
            for prefix, each in zip(prefixes, ids, strict=True)
        ]
    return ids


async def _read_rest(
    connection: Connection, identified: Sequence[Identified], record: OnRecord
) -> None:
    """Read keys, sessions and rounds that the submissions may repeat."""
    sent = (each.submission.key_print for each in identified)
    key_prints = [each for each in sent if each is not None]
    if key_prints:
        for row in await connection.fetch(READ_KEYS, key_prints):
            record.keys[row["key_print"]] = (row["request_print"], row["session_id"])
    contents = [each.content_print for each in identified]
    prints = [each for submission in identified for each in submission.round_prints]
    kept_sessions = [session_id for _, session_id in record.keys.values()]
    for row in await connection.fetch(READ_SESSIONS, contents, kept_sessions):
        record.add_session(
            row["content_print"],
            KnownSession(
                row["session_id"],
                row["source"],
                row["status"],
                row["allowed_duplicate"],
                row["fact_seq"],
            ),
        )
    refs = [each.ref for each in prints if each.ref is not None]
    for row in await connection.fetch(READ_ROUNDS, [each.base for each in prints], refs):
        own_prints = RoundPrint(row["base_print"], row["points_print"], row["ref_print"])
        record.add_round(KnownRound(row["session_id"], row["source"], own_prints))
