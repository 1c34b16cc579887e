"""Reads tables on record that may be similar to those of submissions: same day, same people.

Call it under the lock on the head. Sessions are found by their seats, so only facts with nearly all
the people of a table are decoded, and only the newest sessions of a day.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from typing import Final, TypeAlias

from services.ingest.record.judging.identified import Identified
from services.ingest.record.judging.judge import Replaced, earlier_session
from services.ingest.record.judging.on_record import KnownPerson, OnRecord
from services.ingest.record.judging.refusing import held_rounds
from services.ingest.record.judging.similar import SESSIONS_MAX, leads, tables_in
from services.ingest.record.known.held import Held, read_held, read_members
from shared.ids import BOB
from shared.log.postgres import Connection

# After every id of a session.
LAST: Final = "~"

# A session that the operator corrected may name people that its source does not know, and so may
# seats that were reassigned: tables are compared as they were sent. A source
# tells its own rounds apart if both have a ref.
READ_NEAR: Final = f"""
SELECT DISTINCT held.session_id, held.source, held.fact_seq
FROM unnest((SELECT $1::text[]), (SELECT $2::date[]), (SELECT $3::text[]), (SELECT $4::text[]),
        (SELECT $5::text[]), (SELECT $6::int[]))
    AS lead (player_id, day, apart, until, people, near)
CROSS JOIN LATERAL (
    SELECT s.session_id FROM mahjic.seats AS s
    WHERE s.player_id = lead.player_id AND s.session_date = lead.day
        AND s.session_id < lead.until COLLATE "C" AND s.is_sent
    ORDER BY s.player_id, s.session_date, s.session_id DESC LIMIT {SESSIONS_MAX}
) AS seat
CROSS JOIN LATERAL (
    SELECT h.session_id, h.source, h.fact_seq FROM mahjic.submissions AS h
    WHERE h.session_id = seat.session_id AND h.status = 'accepted' AND NOT h.is_by_operator
    AND NOT (
        h.source = lead.apart AND NOT EXISTS (
            SELECT FROM mahjic.round_prints AS r
            WHERE r.session_id = seat.session_id AND r.ref_print IS NULL
        )
    ) OFFSET 0
) AS held
CROSS JOIN LATERAL (
    SELECT count(*) AS present FROM unnest(string_to_array(lead.people, ' ')) AS p (player_id)
    WHERE EXISTS (
        SELECT FROM mahjic.seats AS s
        WHERE s.player_id = p.player_id AND s.session_date = lead.day
            AND s.session_id = held.session_id AND s.is_sent OFFSET 0
    )
) AS seated
WHERE seated.present >= lead.near
"""


# By whom similar tables are found, and about the table: its day, the source if its rounds with refs
# are told apart from this one, the session that is repeated (what came later was not there the
# first time), the ids of its people, and how many of them sit at a similar one.
_Lead: TypeAlias = tuple[str, date, str, str, str, int]


async def read_look_alikes(
    connection: Connection,
    identified: Sequence[Identified],
    record: OnRecord,
    *,
    replaces: Replaced | None,
) -> None:
    """Add the tables that may be similar to those of the submissions to the record.

    The tables of the session that one of them replaces are left out.
    """
    members = await _read_groups(connection, record.people.values())
    newcomers = {each.player_id for each in record.people.values() if each.is_new}
    # Each once, in the order in which they came.
    asked = dict.fromkeys(
        lead
        for each in identified
        for lead in _leads(each, members, newcomers, record, replaces=replaces)
    )
    if not asked:
        return
    rows = await connection.fetch(READ_NEAR, *map(list, zip(*asked, strict=True)))
    if not rows:
        return
    survivors = {each: survivor for survivor, ids in members.items() for each in ids}
    # In the order in which they came: only the newest are compared.
    async for played, prints, fact_seq in read_held(connection, [Held(*row) for row in rows]):
        if replaces is not None and played.session_id == replaces.session_id:
            continue
        for table in tables_in(played, survivors, prints, fact_seq):
            record.add_table(played.session_date, table)


def _leads(
    identified: Identified,
    members: Mapping[str, Sequence[str]],
    newcomers: AbstractSet[str],
    record: OnRecord,
    *,
    replaces: Replaced | None,
) -> Iterator[_Lead]:
    """Yield the search terms for tables that are similar to those of a submission.

    `members` has the ids of people who have several. A person may be counted twice, which can find
    a session too many, but never one too few.
    """
    submission = identified.submission
    earlier = earlier_session(identified, record, record.acquainted, replaces=replaces)
    if earlier is None and _is_refused_anyway(identified, record):
        return
    until = LAST if earlier is None else earlier.session_id
    day = date.fromisoformat(submission.session.session_date)
    for played, ids in zip(submission.session.rounds, identified.survivor_ids, strict=True):
        seated = [each for each in dict.fromkeys(ids) if each != BOB]
        known = [each for each in seated if each not in newcomers]
        if leading := leads(known, len(seated)):
            apart = "" if played.ref is None else submission.source
            if members:
                leading = _all_ids(leading, members)
                known = _all_ids(known, members)
            people = " ".join(sorted(known))
            for player_id in leading:
                yield player_id, day, apart, until, people, len(seated) - 1


def _all_ids(survivors: Sequence[str], members: Mapping[str, Sequence[str]]) -> list[str]:
    """Return all ids of these people, given the ids that they are read as."""
    return [each for who in survivors for each in members.get(who, (who,))]


def _is_refused_anyway(identified: Identified, record: OnRecord) -> bool:
    """Return whether a submission is refused by its source's own rounds or for asking too often.

    Then nothing about others is looked up, or the time it takes would reveal what they hold.
    """
    session, source = identified.submission.session, identified.submission.source
    if session.allow_duplicate:
        return False
    if session.if_similar == "warn" and record.asks_again_s(source) is not None:
        return True
    held = held_rounds(identified, record, record.acquainted)
    return any(each.is_recognized for each in held)


async def _read_groups(
    connection: Connection, people: Iterable[KnownPerson]
) -> dict[str, list[str]]:
    """Return all ids of the people named who have several, by the id that they are read as."""
    groups = {each.survivor_id for each in people if each.is_grouped}
    return await read_members(connection, groups) if groups else {}
