"""Adds people to the roster of a source, renames them, and takes them off; and keeps it short.

Adding an address tells nobody whether it is known: it stands on the roster as an address until the
source has sent it in a session.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from services.ingest.claim.people import Person, UnreadablePerson, read_name, read_person
from shared.db.erasing import note_erased
from shared.db.locks import ROSTER_LOCK
from shared.errors import ClaimRefused, MahjicError, Mistake, NotFound
from shared.log.postgres import Connection

KEPT_FOR: Final = timedelta(days=30)
# A club types in all of its members before the first night.
ADDED_MAX: Final = 2_000
_NEW: Final = "new-"

# Until this transaction ends, nobody forgets them: their names are erased after them.
FIND_KNOWN: Final = """
SELECT people.player_id FROM mahjic.people AS people
JOIN mahjic.acquaintances AS known ON known.player_id = people.player_id
WHERE known.source = $1 AND people.email = $2 FOR KEY SHARE OF people
"""
HOLD_KNOWN: Final = """
SELECT people.player_id FROM mahjic.people AS people
JOIN mahjic.acquaintances AS known ON known.player_id = people.player_id
WHERE known.source = $1 AND people.player_id = $2 FOR KEY SHARE OF people
"""
# Of two who add at once, the second counts what the first added.
LOCK_SOURCE: Final = "SELECT pg_advisory_xact_lock($1, hashtext($2))"
COUNT: Final = "SELECT count(*) FROM mahjic.roster WHERE source = $1 AND address IS NOT NULL"
NAME_PLAYER: Final = """
INSERT INTO mahjic.roster (source, player_id, name, written_at) VALUES ($1, $2, $3, $4)
ON CONFLICT (source, player_id) DO UPDATE SET
    name = excluded.name, written_at = excluded.written_at
"""
NAME_ADDRESS: Final = """
INSERT INTO mahjic.roster (source, address, is_private, name, written_at)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (source, address) DO UPDATE SET
    is_private = excluded.is_private, name = excluded.name, written_at = excluded.written_at
"""
RENAME_NEW: Final = """
UPDATE mahjic.roster SET name = $3 WHERE source = $1 AND number = $2 AND address IS NOT NULL
RETURNING number
"""
REMOVE_NEW: Final = """
DELETE FROM mahjic.roster WHERE source = $1 AND number = $2 AND address IS NOT NULL
RETURNING number
"""
# What the source has sent since is known by its id now, with the name that was typed last.
SETTLE: Final = """
WITH sent AS (
    SELECT new.number, new.source, people.player_id, new.name, new.written_at
    FROM mahjic.roster AS new
    JOIN mahjic.people AS people ON people.email = new.address
    JOIN mahjic.acquaintances AS known
        ON known.player_id = people.player_id AND known.source = new.source
    FOR KEY SHARE OF people
), gone AS (
    DELETE FROM mahjic.roster AS old USING sent WHERE old.number = sent.number
), kept AS (
    INSERT INTO mahjic.roster (source, player_id, name, written_at)
    SELECT source, player_id, name, written_at FROM sent
    ON CONFLICT (source, player_id) DO UPDATE SET
        name = excluded.name, written_at = excluded.written_at
    WHERE mahjic.roster.written_at < excluded.written_at
)
SELECT count(*) FROM sent
"""
SWEEP: Final = """
WITH swept AS (
    DELETE FROM mahjic.roster WHERE address IS NOT NULL AND written_at <= $1 RETURNING 1
) SELECT count(*) FROM swept
"""
ERASE: Final = """
WITH erased AS (
    DELETE FROM mahjic.roster WHERE player_id = ANY($1) OR address = ANY($2) RETURNING 1
) SELECT count(*) FROM erased
"""


class UnfitEntry(ClaimRefused):
    """What was typed for a roster is no name, or no address."""

    code = "invalid_roster_entry"
    title = "This can’t stand on a roster"


class RosterFull(MahjicError):
    """Too many addresses wait on a roster that the source never sent."""

    code = "roster_full"
    title = "The roster is full"
    status = 409

    def __init__(self) -> None:
        super().__init__(
            f"There are {ADDED_MAX:,} people on your roster who haven’t played yet. Remove some "
            "first."
        )


class UnknownEntry(NotFound):
    """Nobody on this source's roster has this entry."""

    code = "unknown_roster_entry"
    title = "They are not on your roster"

    def __init__(self) -> None:
        super().__init__("They are not on your roster. Load the list again.")


async def add_to_roster(
    connection: Connection, source: str, typed: str, name: str, *, now: datetime
) -> None:
    """Put an address, which may begin with PRIVATE:, on a roster under a name.

    Somebody who was taken off is on it again. Raises UnfitEntry or RosterFull.
    """
    person, shown = _read(typed, name)
    known = await connection.fetchval(FIND_KNOWN, source, person.key)
    if known is not None:
        await connection.execute(NAME_PLAYER, source, known, shown, now)
        return
    await connection.execute(LOCK_SOURCE, ROSTER_LOCK, source)
    if await connection.fetchval(COUNT, source) >= ADDED_MAX:
        raise RosterFull
    await connection.execute(NAME_ADDRESS, source, person.key, person.is_private, shown, now)
    await note_erased(connection, "roster")


async def rename_on_roster(
    connection: Connection, source: str, entry: str, name: str, *, now: datetime
) -> None:
    """Call somebody otherwise, whatever name is sent later. Raises UnfitEntry or UnknownEntry."""
    shown = _read_name(name)
    number = _number(entry)
    if number is None:
        await _write_known(connection, source, entry, shown, now)
    elif await connection.fetchval(RENAME_NEW, source, number, shown) is None:
        raise UnknownEntry
    await note_erased(connection, "roster")


async def take_off_roster(
    connection: Connection, source: str, entry: str, *, now: datetime
) -> None:
    """Take somebody off until they are added again; their sessions stay. Raises UnknownEntry."""
    number = _number(entry)
    if number is None:
        await _write_known(connection, source, entry, None, now)
    elif await connection.fetchval(REMOVE_NEW, source, number) is None:
        raise UnknownEntry
    await note_erased(connection, "roster")


async def erase_from_rosters(
    connection: Connection, player_ids: Sequence[str], addresses: Sequence[str]
) -> None:
    """Erase somebody from every roster, in the open transaction, after the people are gone."""
    if await connection.fetchval(ERASE, list(player_ids), list(addresses)):
        await note_erased(connection, "roster")


async def tidy_rosters(connection: Connection, *, now: datetime) -> None:
    """Know by their ids who was sent since, and forget addresses that never were."""
    settled = await connection.fetchval(SETTLE)
    swept = await connection.fetchval(SWEEP, now - KEPT_FOR)
    if settled or swept:
        await note_erased(connection, "roster")


async def _write_known(
    connection: Connection, source: str, player_id: str, name: str | None, now: datetime
) -> None:
    # Some texts that are not ids are not valid in PostgreSQL either, and must not get there.
    is_possible = player_id.isascii() and player_id.isprintable()
    if not is_possible or await connection.fetchval(HOLD_KNOWN, source, player_id) is None:
        raise UnknownEntry
    await connection.execute(NAME_PLAYER, source, player_id, name, now)


def _read(typed: str, name: str) -> tuple[Person, str]:
    try:
        person = read_person(typed)
    except UnreadablePerson as error:
        raise UnfitEntry([Mistake("/email", error.code, error.message)]) from None
    if person.kind != "person":
        words = (
            "Bob needs no entry: choose him at the seat."
            if person.kind == "bob"
            else "Someone without an address is on the roster once they have played."
        )
        raise UnfitEntry([Mistake("/email", "not_a_person", words)])
    return person, _read_name(name)


def _read_name(name: str) -> str:
    try:
        return read_name(name)
    except UnreadablePerson as error:
        raise UnfitEntry([Mistake("/name", error.code, error.message)]) from None


def _number(entry: str) -> int | None:
    """Return which new address an entry is, None for somebody known. Raises UnknownEntry."""
    if not entry.startswith(_NEW):
        return None
    digits = entry.removeprefix(_NEW)
    if not digits.isascii() or not digits.isdigit() or len(digits) > 18:
        raise UnknownEntry
    return int(digits)
