"""Finds people on the roster of a source by the beginning of a name, for whoever types a night.

On it are those whom the source has named itself, as it called them last or as its own people call
them since; and addresses that it has not sent yet. What others call them, and whom others know, is
never on it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import asyncpg

from shared.answers.seen import called
from shared.errors import MahjicError
from shared.limits import NAME_CHARACTERS_MAX
from shared.log.postgres import Connection
from shared.seated import read_people

# More than anyone looks through while typing.
FOUND_MAX: Final = 20
# Whoever types has gone on by then.
SEARCH_S_MAX: Final = 2.0

# Somebody who is forgotten, or has taken their address away, is no longer there. Someone without
# any name is found by the address that the source sent. A name that begins with what was typed
# comes before one in which a later word does. Who was sent for the first time has the name that was
# typed for the address, also before the roster is tidied.
_LINED: Final = """
WITH called AS (
    SELECT known.player_id AS entry, known.player_id, NULL AS address, false AS is_private,
        COALESCE(own.name, new.name, known.name, public.name, people.nickname) AS name,
        split_part(people.email, '@', 1) AS mailbox
    FROM mahjic.acquaintances AS known
    JOIN mahjic.people AS people ON people.player_id = known.player_id
        AND (people.email IS NOT NULL OR people.nickname IS NOT NULL)
    LEFT JOIN mahjic.roster AS own
        ON own.source = known.source AND own.player_id = known.player_id
    LEFT JOIN mahjic.roster AS new
        ON new.source = known.source AND new.address = people.email
    LEFT JOIN mahjic.public_players AS public ON public.player_id = known.player_id
    WHERE known.source = $1 AND (own.number IS NULL OR own.name IS NOT NULL)
    UNION ALL
    SELECT 'new-' || new.number, NULL, new.address, new.is_private, new.name, NULL
    FROM mahjic.roster AS new
    WHERE new.source = $1 AND new.address IS NOT NULL AND NOT EXISTS (
        SELECT FROM mahjic.people AS people
        JOIN mahjic.acquaintances AS known ON known.player_id = people.player_id
        WHERE people.email = new.address AND known.source = $1
    )
), lined AS (
    SELECT called.*, mahjic.name_line(COALESCE(called.name, called.mailbox, '')) AS line
    FROM called
)"""
FIND: Final = f"""{_LINED}, found AS (
    SELECT lined.*, (NOT starts_with(lined.line, mahjic.name_line($2)))::int AS rank FROM lined
    WHERE strpos(' ' || lined.line, ' ' || mahjic.name_line($2)) > 0
)
SELECT entry, player_id, address, is_private, name, line, rank FROM found
WHERE (rank, line, entry) > ($3::int, $4::text, $5::text)
ORDER BY rank, line, entry LIMIT $6
"""
FIND_ONE: Final = f"""{_LINED}
SELECT entry, player_id, address, is_private, name, line FROM lined WHERE entry = $2
"""


class RosterTakesTooLong(MahjicError):
    """The source knows too many people to look through them while somebody types."""

    code = "roster_takes_too_long"
    title = "Looking through the roster takes too long"
    status = 503

    def __init__(self) -> None:
        super().__init__(
            "There are too many people to look through. Type the address.",
            headers={"Retry-After": "30"},
        )


@dataclass(frozen=True, slots=True)
class RosterEntry:
    """Somebody on a roster.

    `entry` names the row; `called` is what a session has as the `email` of this person. Without a
    `player_id` the source has not sent the address yet. `name` is None for someone whom nobody gave
    a name.
    """

    entry: str
    name: str | None = field(repr=False)
    called: str = field(repr=False)
    player_id: str | None


@dataclass(frozen=True, slots=True)
class RosterPlace:
    """Where a page of a roster begins: after an entry."""

    rank: int
    line: str = field(repr=False)
    entry: str


@dataclass(frozen=True, slots=True)
class RosterPage:
    """Some entries, and where the next ones begin if there are more."""

    entries: Sequence[RosterEntry]
    next_place: RosterPlace | None


BEGINNING: Final = RosterPlace(-1, "", "")


async def find_on_roster(
    connection: Connection,
    source: str,
    typed: str,
    *,
    after: RosterPlace = BEGINNING,
    limit: int = FOUND_MAX,
) -> RosterPage:
    """Return who has a word in their name that begins with what was typed; nothing means all.

    Raises RosterTakesTooLong.
    """
    # What is longer begins no name, and NUL is in none.
    if len(typed) > NAME_CHARACTERS_MAX or not typed.replace("\t", " ").isprintable():
        return RosterPage([], None)
    given = (source, typed, after.rank, after.line, after.entry, limit + 1)
    try:
        rows = await connection.fetch(FIND, *given, timeout=SEARCH_S_MAX)
    except TimeoutError:
        raise RosterTakesTooLong from None
    shown = rows[:limit]
    entries = await _entries(connection, source, shown)
    next_place = None
    if len(rows) > limit:
        last = shown[-1]
        next_place = RosterPlace(last["rank"], last["line"], last["entry"])
    return RosterPage(entries, next_place)


async def find_entry(connection: Connection, source: str, entry: str) -> RosterEntry | None:
    """Return who has an entry on a roster, None if nobody has."""
    # Some texts that are no entries are not valid in PostgreSQL either, and must not get there.
    if not entry.isascii() or not entry.isprintable():
        return None
    found = await _entries(connection, source, await connection.fetch(FIND_ONE, source, entry))
    return found[0] if found else None


async def _entries(
    connection: Connection, source: str, rows: Sequence[asyncpg.Record]
) -> Sequence[RosterEntry]:
    ids = [row["player_id"] for row in rows if row["player_id"] is not None]
    people = await read_people(connection.fetch, ids, source=source)
    entries = []
    for row in rows:
        if row["player_id"] is None:
            text = f"PRIVATE:{row['address']}" if row["is_private"] else row["address"]
            entries.append(RosterEntry(row["entry"], row["name"], text, None))
            continue
        someone = people.get(row["player_id"])
        text = None if someone is None else called(someone, "own")
        # Forgotten since the statement before.
        if someone is not None and text is not None:
            entries.append(RosterEntry(row["entry"], row["name"], text, someone.survivor_id))
    return entries
