"""The one transaction that records many submissions: people, sessions and facts, or nothing.

It is READ COMMITTED. The first statement locks the head. Everything is read after that, in separate
statements, so that what another process has just recorded is seen. Nothing is written on a log that
was put back in the meantime.
"""

from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import Final

from services.ingest.record.ids_and_times import IdsAndTimes, timestamp_of
from services.ingest.record.judging.identified import Submission, seated_players
from services.ingest.record.judging.judge import judge
from services.ingest.record.judging.judgment import Accepted, Judgment
from services.ingest.record.judging.on_record import OnRecord, person_key
from services.ingest.record.judging.taking_in import take_in
from services.ingest.record.known.acquaintances import MetBefore, Named
from services.ingest.record.known.refusals import ForeignRefusals
from services.ingest.record.known.whole_record import read_record
from services.ingest.record.waterline import Waterline, Writing
from shared.events.codec import encode_fact
from shared.log.postgres import Connection, Head

READ_RECORDED: Final = "SELECT session_id FROM mahjic.submissions WHERE session_id = ANY($1)"
_SESSIONS: Final = """
WITH sessions AS (
    INSERT INTO mahjic.submissions
        (session_id, source, status, fact_seq, place_seq, session_date, content_print,
         allowed_duplicate, submitted_at)
    SELECT s.session_id, s.source, 'accepted', s.fact_seq, s.fact_seq, s.session_date,
        s.content_print, s.allowed, $13
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bytea[], $5::bool[], $14::date[])
        AS s (session_id, source, fact_seq, content_print, allowed, session_date)
), seated AS (
    INSERT INTO mahjic.seats (player_id, session_date, session_id)
    SELECT s.player_id, s.session_date, s.session_id
    FROM unnest($11::text[], $15::date[], $12::text[]) AS s (player_id, session_date, session_id)
)"""
# Most pairs are already known. No one else writes in the meantime, and a row that stays the same is
# not touched.
_ACQUAINTANCES: Final = """, acquainted AS (
    INSERT INTO mahjic.acquaintances (source, player_id, name)
    SELECT named.source, named.player_id, named.name
    FROM unnest((SELECT $16::text[]), (SELECT $17::text[]), (SELECT $18::text[]))
        AS named (source, player_id, name)
    LEFT JOIN LATERAL (
        SELECT k.player_id, k.name FROM mahjic.acquaintances AS k
        WHERE k.source = named.source AND k.player_id = named.player_id OFFSET 0
    ) AS known ON true
    WHERE known.player_id IS NULL
        OR named.name IS DISTINCT FROM known.name AND named.name IS NOT NULL
    ON CONFLICT (source, player_id) DO UPDATE SET name = excluded.name
)"""
_ROUNDS: Final = """
INSERT INTO mahjic.round_prints (session_id, round_no, base_print, points_print, ref_print)
SELECT r.session_id, r.round_no, r.base_print, r.points_print, r.ref_print
FROM unnest($6::text[], $7::smallint[], $8::bytea[], $9::bytea[], $10::bytea[])
    AS r (session_id, round_no, base_print, points_print, ref_print)
"""
# One statement, because each statement costs as much as the rows that it writes. If no one new is
# named, it does not touch the table of acquaintances, which may be in the middle of a rewrite.
WRITE_SESSIONS: Final = _SESSIONS + _ROUNDS
WRITE_SESSIONS_AND_ACQUAINTANCES: Final = _SESSIONS + _ACQUAINTANCES + _ROUNDS
WRITE_KEYS: Final = """
INSERT INTO mahjic.idempotency_keys (key_print, request_print, session_id, created_at)
SELECT k.key_print, k.request_print, k.session_id, $4
FROM unnest($1::bytea[], $2::bytea[], $3::text[]) AS k (key_print, request_print, session_id)
"""
WRITE_PRIVATE_WORDS: Final = """
INSERT INTO mahjic.private_words (source, player_id)
SELECT word.source, word.player_id FROM unnest($1::text[], $2::text[]) AS word (source, player_id)
ON CONFLICT DO NOTHING
"""
WRITE_PEOPLE: Final = """
WITH known AS (
    INSERT INTO mahjic.players (player_id, first_source)
    SELECT p.player_id, p.first_source FROM unnest($1::text[], $2::text[])
        AS p (player_id, first_source)
    ON CONFLICT (player_id) DO UPDATE SET first_source = excluded.first_source
), changes AS (
    INSERT INTO mahjic.people_changes (seq, player_id)
    SELECT $8::bigint + p.number, p.player_id
    FROM unnest($9::text[]) WITH ORDINALITY AS p (player_id, number)
), counted AS (
    UPDATE mahjic.head SET people_seq = $8::bigint + cardinality($9::text[])
)
INSERT INTO mahjic.people
    (player_id, email, nickname, nickname_key, nickname_source, is_private, privacy_by)
SELECT p.player_id, p.email, p.nickname, p.nickname_key, p.nickname_source, p.is_private, 'source'
FROM unnest($1::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bool[])
    AS p (player_id, email, nickname, nickname_key, nickname_source, is_private)
ON CONFLICT (player_id) DO UPDATE SET is_private = excluded.is_private
"""


async def record_submissions(
    connection: Connection,
    submissions: Sequence[Submission],
    ids_and_times: IdsAndTimes,
    *,
    waterline: Waterline,
    refusals: ForeignRefusals,
    met: MetBefore,
    before_commit: Callable[[Sequence[Judgment]], None],
) -> None:
    """Judge submissions in order and record those accepted, in one transaction.

    The judgments are handed over before the commit, so that they are not lost if its answer is.
    Raises HistorySplit.
    """
    async with waterline.writing(connection) as writing:
        identified, record = await read_record(
            connection, submissions, ids_and_times, refusals=refusals
        )
        judgments: list[Judgment] = []
        next_seq = writing.head.fact_seq + 1
        for each in identified:
            judgment = judge(each, record, next_seq)
            take_in(each, judgment, record)
            next_seq += isinstance(judgment, Accepted)
            judgments.append(judgment)
        accepted = [each for each in judgments if isinstance(each, Accepted)]
        await write_people(connection, writing.head, record, submissions)
        await write_private_words(connection, record)
        now = ids_and_times.now()
        if accepted:
            news = met.news(record.named_now)
            await write_sessions(connection, writing.head, accepted, news, now)
            await _write_facts(writing, accepted, timestamp_of(now))
        await write_keys(connection, record, now)
        await refusals.count(connection, record.foreign_refusals, now=now)
        before_commit(judgments)
    met.note(record.named_now)


async def find_recorded(
    connection: Connection, session_ids: Sequence[str], *, waterline: Waterline
) -> set[str]:
    """Return which sessions are on record, after any transaction in flight has settled."""
    async with waterline.writing(connection):
        rows = await connection.fetch(READ_RECORDED, session_ids)
    return {row["session_id"] for row in rows}


async def _write_facts(writing: Writing, accepted: Sequence[Accepted], time: str) -> None:
    head = writing.head
    facts = enumerate((each.fact for each in accepted), start=head.fact_seq + 1)
    bodies = [encode_fact(fact, log_id=head.log_id, seq=seq, time=time) for seq, fact in facts]
    await writing.append(bodies)


async def write_keys(connection: Connection, record: OnRecord, now: datetime) -> None:
    """Keep the keys of this transaction, if there are any."""
    kept = record.kept_keys
    if not kept:
        return
    await connection.execute(
        WRITE_KEYS,
        list(kept),
        [asked for asked, _ in kept.values()],
        [session_id for _, session_id in kept.values()],
        now,
    )


async def write_people(
    connection: Connection, head: Head, record: OnRecord, submissions: Sequence[Submission]
) -> None:
    """Write down the people that these submissions introduced or changed, if any."""
    if not record.changed_people:
        return
    # Nicknames are shown as they were first sent.
    shown = {
        person_key(seat.person, submission.source): seat.person.shown
        for submission in reversed(submissions)
        for played in submission.session.rounds
        for seat in played.seats
        if seat.person.kind == "anonymous"
    }
    keys = sorted(record.changed_people)
    people = [record.people[key] for key in keys]
    # The players they are read as are shown or hidden according to what is known about them.
    survivors = {each.survivor_id for each in people} - {each.player_id for each in people}
    await connection.execute(
        WRITE_PEOPLE,
        [person.player_id for person in people],
        [person.first_source for person in people],
        [None if source else key for source, key in keys],
        [shown[key] if key[0] else None for key in keys],
        [key if source else None for source, key in keys],
        [source or None for source, _ in keys],
        [person.is_private for person in people],
        head.people_seq,
        [*(person.player_id for person in people), *sorted(survivors)],
    )


async def write_private_words(connection: Connection, record: OnRecord) -> None:
    """Write down who said which people are private. All of them are on record by then."""
    words = sorted(record.private_words)
    if words:
        await connection.execute(
            WRITE_PRIVATE_WORDS, [source for source, _ in words], [player for _, player in words]
        )


async def write_sessions(
    connection: Connection,
    head: Head,
    accepted: Sequence[Accepted],
    named: Named,
    now: datetime,
) -> None:
    """Put on record the sessions whose facts come next, in this order.

    `named` are people that their sources may not have named before, or only by another name.
    """
    rounds = [
        (each.fact.session_id, number, *prints)
        for each in accepted
        for number, prints in enumerate(each.identified.round_prints, start=1)
    ]
    days = [date.fromisoformat(each.fact.session_date) for each in accepted]
    seats = [
        (player_id, day, each.fact.session_id)
        for each, day in zip(accepted, days, strict=True)
        for player_id in seated_players(each.fact)
    ]
    players, days_of_seats, session_ids = zip(*seats, strict=True)
    acquaintances = (*zip(*named, strict=True), list(named.values())) if named else ()
    await connection.execute(
        WRITE_SESSIONS_AND_ACQUAINTANCES if named else WRITE_SESSIONS,
        [each.fact.session_id for each in accepted],
        [each.fact.source for each in accepted],
        list(range(head.fact_seq + 1, head.fact_seq + 1 + len(accepted))),
        [each.identified.content_print for each in accepted],
        [each.submission.session.allow_duplicate for each in accepted],
        *zip(*rounds, strict=True),
        players,
        session_ids,
        now,
        days,
        days_of_seats,
        *acquaintances,
    )
