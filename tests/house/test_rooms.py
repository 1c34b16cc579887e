"""Every table has one room that keeps it; others use what that room offers."""

import re
from collections.abc import Iterator

import pytest

from tests.conftest import Database
from tests.house.rooms import (
    DIRECT_READS,
    DIRECT_WRITES,
    OFFERED,
    OWNERS,
    VIEWS_READ,
    WRITTEN_ONCE,
)
from tests.house.statements import ANY, ROOT, Use, used_tables

PROJECTIONS = ROOT / "services" / "projections"
CREATED = re.compile(r"\bCREATE TABLE (?:IF NOT EXISTS )?(?:\{schema\}\.)?([a-z_]+)")
LIST_TABLES = """
SELECT relname, relkind = 'v' AS is_view FROM pg_class
WHERE relnamespace = 'mahjic'::regnamespace AND relkind IN ('r', 'v')
"""
LIST_FUNCTIONS = """
SELECT proname FROM pg_proc
WHERE pronamespace = 'mahjic'::regnamespace AND prorettype <> 'trigger'::regtype
"""

USED = used_tables()


def fault_of(room: str, use: Use) -> str | None:
    """Return what is wrong with a room's use of a table of the schema mahjic, and what to do."""
    done = "writes" if use.is_written else "reads"
    if use.table in OFFERED:
        return f"{room} writes mahjic.{use.table}, a view or function." if use.is_written else None
    owner = OWNERS.get(use.table)
    if owner is None:
        return (
            f"{room} {done} mahjic.{use.table}, which no room keeps. Name its owner in OWNERS of "
            "tests/house/rooms.py, or, if it is a view or function for all rooms, in OFFERED."
        )
    direct = DIRECT_WRITES if use.is_written else DIRECT_READS
    if room == owner or (room, use.table) in direct:
        return None
    way = (
        f"Let {owner} write it, by a function that the transaction of {room} calls"
        if use.is_written
        else f"Read a view that {owner} offers (shared/db/migrations/0014_offered_views.sql is the "
        "model)"
    )
    return (
        f"{room} {done} mahjic.{use.table}, which is a table of {owner}. {way}; or, if it must be "
        f"the table itself, say why in DIRECT_{done.upper()} of tests/house/rooms.py."
    )


def test_each_room_uses_its_own_tables_and_what_others_offer() -> None:
    faults = [
        f"{fault} ({', '.join(files)})"
        for (room, use), files in USED.items()
        if use.schema == "mahjic" and (fault := fault_of(room, use)) is not None
    ]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("room", "use", "words"),
    [
        ("services/rater", Use("mahjic", "people", False), "Read a view that services/ingest"),
        ("services/rater", Use("mahjic", "people", True), "Let services/ingest write it"),
        ("services/ingest", Use("mahjic", "nothing", False), "Name its owner in OWNERS"),
        ("services/ingest", Use("mahjic", ANY, True), "Name its owner in OWNERS"),
        ("services/ingest", Use("mahjic", "survivor", True), "a view or function"),
    ],
)
def test_what_is_not_in_the_map_is_told_with_what_to_do(room: str, use: Use, words: str) -> None:
    fault = fault_of(room, use)
    assert fault is not None
    assert words in fault


def test_the_map_names_what_is_used_and_nothing_else() -> None:
    uses = {(room, use.table, use.is_written) for room, use in USED if use.schema == "mahjic"}
    left = [key for key in DIRECT_READS if (*key, False) not in uses]
    left += [key for key in DIRECT_WRITES if (*key, True) not in uses]
    assert not left, f"Nobody does this anymore; take it out of tests/house/rooms.py: {left}."
    for table, owner in OWNERS.items():
        assert (owner, table, True) in uses or table in WRITTEN_ONCE, f"{owner} keeps no {table}."


async def test_the_map_names_every_table_view_and_function_there_is(database: Database) -> None:
    rows = await database.pool.fetch(LIST_TABLES)
    functions = await database.pool.fetch(LIST_FUNCTIONS)
    tables = {row["relname"] for row in rows if not row["is_view"]}
    offered = {row["relname"] for row in rows if row["is_view"]}
    offered |= {row["proname"] for row in functions}
    assert tables == OWNERS.keys(), "Name each table and its owner in tests/house/rooms.py."
    assert offered == OFFERED, "Name each view and function in OFFERED of tests/house/rooms.py."


def own_tables(room: str) -> Iterator[str]:
    """Yield the tables that a room of the projections makes in the schema of a view."""
    for file in (PROJECTIONS / room).iterdir():
        if file.suffix in {".sql", ".py"}:
            yield from CREATED.findall(file.read_text())


def test_each_view_is_kept_by_its_own_room() -> None:
    common = set(own_tables("common"))
    assert len(common) >= 4
    for (place, use), files in USED.items():
        if use.schema in {"mahjic", "pg_temp"} or use.table == ANY:
            continue
        *_, room = place.split("/")
        assert place.startswith("services/projections/"), (
            f"{files} name the schema of a view. Only the rooms of the projections know the views."
        )
        if use.schema == "{schema}":
            assert use.table in common | set(own_tables(room)), (
                f"{files} name {use.table} in the schema of the view {room}, which has no such "
                f"table. A build is made by its own room: see services/projections/{room}."
            )
        else:
            view = use.schema.strip("{}")
            assert not use.is_written, f"{files} write {use.table} of the view {view}."
            assert use.table in common | set(own_tables(view)), f"{view} has no {use.table}."
            assert room == view or (room, view) in VIEWS_READ, (
                f"{files} read the view {view}. Ask its own room (its queries.py) for what you "
                "need, or say why the table itself in VIEWS_READ of tests/house/rooms.py."
            )
