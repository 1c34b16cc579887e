"""Reads what is on record about the people, keys, sessions and rounds that submissions touch.

Call it only under the lock on the head: what it returns is then true until the transaction ends.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import asyncpg

from services.ingest.record.ids_and_times import IdsAndTimes
from services.ingest.record.judging.identified import Identified, Submission, identify
from services.ingest.record.judging.judge import Replaced
from services.ingest.record.judging.on_record import (
    KnownPerson,
    KnownRound,
    KnownSession,
    OnRecord,
    person_key,
)
from services.ingest.record.judging.prints import RoundPrint
from services.ingest.record.known.acquaintances import read_acquaintances
from services.ingest.record.known.endings import read_endings
from services.ingest.record.known.groups import survivors_of
from services.ingest.record.known.look_alikes import read_look_alikes
from services.ingest.record.known.nights_on_record import read_nights
from services.ingest.record.known.points_sums import fitting_warnings
from services.ingest.record.known.refusals import ForeignRefusals
from shared.ids import player_id
from shared.log.postgres import Connection

# Each row is looked up by an index, and OFFSET 0 keeps it that way. In a database that is new, or
# has just grown a lot, the planner thinks that the tables are small, and would read all of them for
# every group until they are analyzed. The SELECT around a list hides its length from the planner.
# Otherwise it would plan again each time for a short list, which takes far longer than reading the
# rows.
READ_PEOPLE: Final = """
SELECT person.player_id, person.email, person.nickname_source, person.nickname_key,
       person.is_private, person.privacy_by, player.first_source, player.merged_into,
       player.has_members
FROM unnest((SELECT $1::text[])) AS named (email)
CROSS JOIN LATERAL (
    SELECT p.player_id, p.email, p.nickname_source, p.nickname_key, p.is_private, p.privacy_by
    FROM mahjic.people AS p WHERE p.email = named.email OFFSET 0
) AS person
CROSS JOIN LATERAL (
    SELECT p.first_source, p.merged_into, p.has_members
    FROM mahjic.players AS p WHERE p.player_id = person.player_id OFFSET 0
) AS player
UNION ALL
SELECT person.player_id, NULL, person.nickname_source, person.nickname_key,
       person.is_private, person.privacy_by, player.first_source, NULL, false
FROM unnest((SELECT $2::text[]), (SELECT $3::text[])) AS named (source, key)
CROSS JOIN LATERAL (
    SELECT p.player_id, p.nickname_source, p.nickname_key, p.is_private, p.privacy_by
    FROM mahjic.people AS p
    WHERE p.nickname_source = named.source AND p.nickname_key = named.key OFFSET 0
) AS person
CROSS JOIN LATERAL (
    SELECT p.first_source FROM mahjic.players AS p WHERE p.player_id = person.player_id OFFSET 0
) AS player
"""
READ_GIVEN_OUT: Final = """
SELECT given.player_id FROM unnest((SELECT $1::text[])) AS drawn (player_id)
CROSS JOIN LATERAL (
    SELECT p.player_id FROM mahjic.players AS p WHERE p.player_id = drawn.player_id OFFSET 0
) AS given
"""
READ_KEYS: Final = """
SELECT kept.key_print, kept.request_print, kept.session_id
FROM unnest((SELECT $1::bytea[])) AS sent (key_print)
CROSS JOIN LATERAL (
    SELECT k.key_print, k.request_print, k.session_id
    FROM mahjic.idempotency_keys AS k WHERE k.key_print = sent.key_print OFFSET 0
) AS kept
"""
# Sessions with the same content or kept by a key, without rounds, and rounds that count, without
# sessions. Both are found by who was sent, and by who sits there since seats were reassigned.
# This is one statement, because each statement costs as much as the rows it finds.
READ_REPEATED: Final = """
WITH repeated AS (
    SELECT held.session_id, sent.content_print
    FROM unnest((SELECT $1::bytea[])) AS sent (content_print)
    CROSS JOIN LATERAL (
        SELECT s.session_id
        FROM mahjic.submissions AS s WHERE s.content_print = sent.content_print OFFSET 0
    ) AS held
    UNION
    SELECT held.session_id, sent.content_print
    FROM unnest((SELECT $1::bytea[])) AS sent (content_print)
    CROSS JOIN LATERAL (
        SELECT r.session_id
        FROM mahjic.reseats AS r WHERE r.content_print = sent.content_print OFFSET 0
    ) AS held
    UNION
    SELECT kept.session_id, held.content_print
    FROM unnest((SELECT $2::text[])) AS kept (session_id)
    CROSS JOIN LATERAL (
        SELECT s.content_print
        FROM mahjic.submissions AS s WHERE s.session_id = kept.session_id OFFSET 0
    ) AS held
), played AS (
    SELECT same.session_id, same.round_no, same.base_print, same.points_print, same.ref_print
    FROM unnest((SELECT $3::bytea[])) AS sent (base_print)
    CROSS JOIN LATERAL (
        SELECT r.session_id, r.round_no, r.base_print, r.points_print, r.ref_print
        FROM mahjic.round_prints AS r WHERE r.base_print = sent.base_print OFFSET 0
    ) AS same
    UNION
    SELECT same.session_id, same.round_no, same.base_print, same.points_print, kept.ref_print
    FROM unnest((SELECT $3::bytea[])) AS sent (base_print)
    CROSS JOIN LATERAL (
        SELECT r.session_id, r.round_no, r.base_print, r.points_print
        FROM mahjic.reseated_prints AS r WHERE r.base_print = sent.base_print OFFSET 0
    ) AS same
    CROSS JOIN LATERAL (
        SELECT r.ref_print FROM mahjic.round_prints AS r
        WHERE r.session_id = same.session_id AND r.round_no = same.round_no OFFSET 0
    ) AS kept
    UNION
    SELECT same.session_id, same.round_no, same.base_print, same.points_print, same.ref_print
    FROM unnest((SELECT $4::bytea[])) AS sent (ref_print)
    CROSS JOIN LATERAL (
        SELECT r.session_id, r.round_no, r.base_print, r.points_print, r.ref_print
        FROM mahjic.round_prints AS r WHERE r.ref_print = sent.ref_print OFFSET 0
    ) AS same
), found AS (
    SELECT session_id, NULL::smallint AS round_no, NULL::bytea AS base_print,
        NULL::bytea AS points_print, NULL::bytea AS ref_print, content_print
    FROM repeated
    UNION ALL
    SELECT session_id, round_no, base_print, points_print, ref_print, NULL FROM played
)
SELECT found.session_id, found.round_no, found.base_print, found.points_print, found.ref_print,
    held.source, held.status, held.allowed_duplicate, held.fact_seq, found.content_print,
    held.submitted_at
FROM found
CROSS JOIN LATERAL (
    SELECT s.source, s.status, s.allowed_duplicate, s.fact_seq, s.submitted_at
    FROM mahjic.submissions AS s WHERE s.session_id = found.session_id OFFSET 0
) AS held
WHERE found.round_no IS NULL OR held.status = 'accepted'
ORDER BY held.fact_seq, found.round_no
"""


async def read_record(
    connection: Connection,
    submissions: Sequence[Submission],
    ids_and_times: IdsAndTimes,
    *,
    refusals: ForeignRefusals,
    replaces: Replaced | None = None,
    is_limited: bool = True,
) -> tuple[list[Identified], OnRecord]:
    """Return the submissions with ids for people, and everything on record that they touch.

    The rounds of a session that a submission replaces are left out. The operator has no limit, and
    may ask about others any number of times.
    """
    submissions = await fitting_warnings(connection, submissions)
    record = OnRecord(await _read_people(connection, submissions, ids_and_times))
    identified = [identify(submission, record.people) for submission in submissions]
    without = None if replaces is None else replaces.session_id
    await _read_repeated(connection, identified, record, without=without)
    if is_limited:
        sources = {submission.source for submission in submissions}
        now = ids_and_times.now()
        record.foreign_refusals_max = refusals.per_day_max
        record.refused_before = await refusals.lately(connection, sources, now=now)
    await _read_acquaintances(connection, identified, record)
    await read_nights(connection, identified, record, without=without)
    await read_look_alikes(connection, identified, record, replaces=replaces)
    return identified, record


async def read_identified(
    connection: Connection, submission: Submission, ids_and_times: IdsAndTimes
) -> Identified:
    """Return a submission with ids for people, and nothing else of the record."""
    (submission,) = await fitting_warnings(connection, [submission])
    return identify(submission, await _read_people(connection, [submission], ids_and_times))


async def _read_people(
    connection: Connection, submissions: Sequence[Submission], ids_and_times: IdsAndTimes
) -> dict[tuple[str, str], KnownPerson]:
    """Return everyone named, with an unused id for each person who is not on record."""
    named = {
        person_key(seat.person, submission.source)
        for submission in submissions
        for played in submission.session.rounds
        for seat in played.seats
        if seat.person.kind != "bob"
    }
    # Nicknames alone are local to a source, so only their keys name one.
    anonymous = [each for each in named if each[0]]
    rows = await connection.fetch(
        READ_PEOPLE,
        [key for source, key in named if not source],
        [source for source, _ in anonymous],
        [key for _, key in anonymous],
    )
    merged = [row["player_id"] for row in rows if row["merged_into"] is not None]
    survivors = await survivors_of(connection, merged) if merged else {}
    people = dict(_known_person(row, survivors) for row in rows)
    # In a fixed order, so that the same random numbers make the same ids.
    unknown = sorted(named - people.keys())
    prefixes = ["AN" if source else "MJ" for source, _ in unknown]
    ids = await free_ids(connection, prefixes, ids_and_times)
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


def _known_person(
    row: asyncpg.Record, survivors: Mapping[str, str]
) -> tuple[tuple[str, str], KnownPerson]:
    """Return a row of `READ_PEOPLE` with its key. `survivors` says who merged players are."""
    player_id, email, source, nickname, is_private, privacy_by, first_source, into, has_members = (
        row
    )
    return (source or "", email or nickname), KnownPerson(
        player_id,
        survivors.get(player_id, player_id),
        is_private,
        privacy_by,
        first_source,
        is_new=False,
        is_grouped=has_members or into is not None,
    )


async def free_ids(
    connection: Connection, prefixes: Sequence[str], ids_and_times: IdsAndTimes
) -> list[str]:
    """Return a random id per prefix. None of them was given out before."""
    ids = [player_id(prefix, ids_and_times.player_number()) for prefix in prefixes]
    while ids:
        given_out = {row["player_id"] for row in await connection.fetch(READ_GIVEN_OUT, ids)}
        given_out.update(each for each, count in Counter(ids).items() if count > 1)
        if not given_out:
            break
        ids = [
            player_id(prefix, ids_and_times.player_number()) if each in given_out else each
            for prefix, each in zip(prefixes, ids, strict=True)
        ]
    return ids


async def _read_repeated(
    connection: Connection,
    identified: Sequence[Identified],
    record: OnRecord,
    *,
    without: str | None,
) -> None:
    """Read keys, sessions and rounds that submissions may repeat, except one session's rounds."""
    sent = (each.submission.key_print for each in identified)
    key_prints = [each for each in sent if each is not None]
    if key_prints:
        for row in await connection.fetch(READ_KEYS, key_prints):
            record.keys[row["key_print"]] = (row["request_print"], row["session_id"])
    prints = [each for submission in identified for each in submission.round_prints]
    rows = await connection.fetch(
        READ_REPEATED,
        [each.content_print for each in identified],
        [session_id for _, session_id in record.keys.values()],
        [each.base for each in prints],
        [each.ref for each in prints if each.ref is not None],
    )
    if not rows:
        return
    await _add_sessions(connection, [row for row in rows if row["round_no"] is None], record)
    for row in rows:
        if row["round_no"] is not None and row["session_id"] != without:
            own_prints = RoundPrint(row["base_print"], row["points_print"], row["ref_print"])
            known = KnownRound(row["session_id"], row["source"], own_prints, row["fact_seq"])
            record.add_round(known)


async def _add_sessions(
    connection: Connection, rows: Sequence[asyncpg.Record], record: OnRecord
) -> None:
    ended = await read_endings(
        connection, [row["session_id"] for row in rows if row["status"] != "accepted"]
    )
    for row in rows:
        known = KnownSession(
            row["session_id"],
            row["source"],
            row["status"],
            row["allowed_duplicate"],
            row["fact_seq"],
            row["submitted_at"],
            ended.get(row["session_id"]),
        )
        record.add_session(row["content_print"], known)


async def _read_acquaintances(
    connection: Connection, identified: Sequence[Identified], record: OnRecord
) -> None:
    """Read the people that sources have named themselves, if that decides what they recognize.

    It does if something of the source's own is on record, or if someone is merged. What the
    submissions of one transaction repeat of each other is noted as each is accepted.
    """
    asking = identified
    if not any(each.is_merged for each in identified):
        if not record.sessions and not record.by_base and not record.by_ref:
            return
        asking = [each for each in identified if _may_repeat(each, record)]
    if asking:
        record.acquainted |= await read_acquaintances(
            connection,
            (
                (each.submission.source, player_id)
                for each in asking
                for players in each.player_ids
                for player_id in players
            ),
        )


def _may_repeat(identified: Identified, record: OnRecord) -> bool:
    """Return whether one of the source's sessions has the same content or one of its rounds."""
    if identified.content_print in record.by_content:
        return True
    return any(record.holding(identified.submission.source, identified.round_prints))
