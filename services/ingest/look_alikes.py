"""Reads the tables on record that may be similar to those of submissions: same day, same people.

Call it under the lock on the head. The seats lead there, so that only facts are decoded that hold
nearly all the people of a table, and of a day the newest sessions only.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, TypeAlias

from services.ingest.held import Held, read_held, read_members
from services.ingest.judge import Identified, earlier_session
from services.ingest.on_record import KnownPerson, OnRecord, person_key
from services.ingest.similar import SESSIONS_MAX, leads, tables_in
from shared.ids import BOB
from shared.log.postgres import Connection

# After every id of a session.
LAST: Final = "~"

# What the operator put in the place of a session names whom its source need not know. A round with
# a ref is told apart from others with one by its own source.
READ_LED: Final = f"""
SELECT lead.player_id, lead.day, lead.apart, lead.until, held.session_id, held.source,
    held.fact_seq
FROM unnest((SELECT $1::text[]), (SELECT $2::date[]), (SELECT $3::text[]), (SELECT $4::text[]))
    AS lead (player_id, day, apart, until)
CROSS JOIN LATERAL (
    SELECT s.session_id FROM mahjic.seats AS s
    WHERE s.player_id = lead.player_id AND s.session_date = lead.day
        AND s.session_id < lead.until COLLATE "C"
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
"""
READ_SEATED: Final = """
SELECT seat.session_id, seat.player_id
FROM unnest((SELECT $1::text[]), (SELECT $2::date[]), (SELECT $3::text[]))
    AS asked (player_id, day, session_id)
CROSS JOIN LATERAL (
    SELECT s.player_id, s.session_id FROM mahjic.seats AS s
    WHERE s.player_id = asked.player_id AND s.session_date = asked.day
        AND s.session_id = asked.session_id OFFSET 0
) AS seat
"""


# A player by whom similar tables are found, and day, `apart` and `until` of the table.
_Lead: TypeAlias = tuple[str, date, str, str]


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of a submission, by the ids that its people are read as.

    `apart` is the source if its rounds with refs are told apart from this one; else it is empty.
    `until` is the session that is repeated: what came later was not there the first time.
    """

    day: date
    people: tuple[str, ...]
    leads: tuple[str, ...]
    apart: str
    until: str


async def read_look_alikes(
    connection: Connection, identified: Sequence[Identified], record: OnRecord
) -> None:
    """Put the tables on record that may be similar to those of the submissions."""
    tables = _tables(identified, record)
    if not tables:
        return
    survivors = await _survivors(connection, record.people.values())
    members: dict[str, list[str]] = {}
    for player_id, survivor_id in survivors.items():
        members.setdefault(survivor_id, []).append(player_id)
    led = await _read_led(connection, tables, members)
    if led:
        held = await _nearly_whole(connection, tables, led, members)
        # As they came: those that are compared are the newest.
        async for played, prints, fact_seq in read_held(connection, held):
            for table in tables_in(played, survivors, prints, fact_seq):
                record.add_table(played.session_date, table)


def _tables(identified: Sequence[Identified], record: OnRecord) -> set[_Table]:
    tables = set()
    for each in identified:
        earlier = earlier_session(each, record)
        until = LAST if earlier is None else earlier.session_id
        day = date.fromisoformat(each.submission.session.session_date)
        for played, ids in zip(each.submission.session.rounds, each.survivor_ids, strict=True):
            seated = {
                player_id: record.people[person_key(seat.person, each.submission.source)].is_new
                for seat, player_id in zip(played.seats, ids, strict=True)
                if player_id != BOB
            }
            if leading := leads(seated):
                apart = "" if played.ref is None else each.submission.source
                table = _Table(day, tuple(sorted(seated)), tuple(leading), apart, until)
                tables.add(table)
    return tables


async def _survivors(connection: Connection, people: Iterable[KnownPerson]) -> dict[str, str]:
    """Return whom each id is read as, of those who are named and of whoever is one with them."""
    survivors = {each.survivor_id: each.survivor_id for each in people if not each.is_new}
    groups = {each.survivor_id for each in people if each.is_grouped}
    if groups:
        for survivor_id, members in (await read_members(connection, groups)).items():
            survivors |= dict.fromkeys(members, survivor_id)
    return survivors


async def _read_led(
    connection: Connection, tables: Iterable[_Table], members: Mapping[str, Sequence[str]]
) -> dict[_Lead, list[Held]]:
    """Return the sessions in which those sat by whom similar tables are found."""
    asked = {
        (player_id, table.day, table.apart, table.until)
        for table in tables
        for survivor_id in table.leads
        for player_id in members[survivor_id]
    }
    led: dict[_Lead, list[Held]] = {}
    for row in await connection.fetch(READ_LED, *_columns(asked)):
        held = Held(row["session_id"], row["source"], row["fact_seq"])
        lead = (row["player_id"], row["day"], row["apart"], row["until"])
        led.setdefault(lead, []).append(held)
    return led


async def _nearly_whole(
    connection: Connection,
    tables: Iterable[_Table],
    led: Mapping[_Lead, Sequence[Held]],
    members: Mapping[str, Sequence[str]],
) -> list[Held]:
    """Return the sessions in which all people of a table sat, or all but one."""
    near: list[tuple[_Table, Held]] = []
    asked: set[tuple[str, date, str]] = set()
    for table in tables:
        ids = [each for survivor_id in table.people for each in members.get(survivor_id, ())]
        found = {
            held.session_id: held
            for survivor_id in table.leads
            for player_id in members[survivor_id]
            for held in led.get((player_id, table.day, table.apart, table.until), ())
        }
        near.extend((table, held) for held in found.values())
        asked.update(
            (player_id, table.day, session_id) for player_id in ids for session_id in found
        )
    seated = {(held.session_id, lead[0]) for lead, all_held in led.items() for held in all_held}
    asked = {each for each in asked if (each[2], each[0]) not in seated}
    rows = await connection.fetch(READ_SEATED, *_columns(asked)) if asked else []
    seated.update((row["session_id"], row["player_id"]) for row in rows)
    whole: dict[str, Held] = {}
    for table, held in near:
        present = sum(
            any((held.session_id, player_id) in seated for player_id in members.get(each, ()))
            for each in table.people
        )
        if present >= len(table.people) - 1:
            whole[held.session_id] = held
    return list(whole.values())


def _columns(rows: AbstractSet[tuple[Any, ...]]) -> list[list[Any]]:
    """Return rows as columns, in one order whatever the set."""
    return [list(column) for column in zip(*sorted(rows), strict=True)]
