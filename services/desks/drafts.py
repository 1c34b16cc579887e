"""Nights that are not sent yet: the rows. Whoever is at the desk of their source sees them.

A night is typed, or is a sheet that was uploaded; then `night` only says in short what it holds.

A draft names people who may not have agreed to anything yet. So it is in no log, goes when somebody
named in it is forgotten, and in any case after 30 days; and once a night is sent, only the id of
its session is left. All functions work in the open transaction of whoever holds the desk.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, NoReturn

import asyncpg
import orjson
import structlog

from services.accounts.ports import Connection
from services.site.desk.night.missing import read_day
from services.site.desk.night.nights import DRAFT_DAYS, DraftState, TooManyNights
from shared.db.away import DATABASE_AWAY
from shared.db.erasing import note_erased
from shared.db.locks import CORRECTING_LOCK

KEPT_FOR: Final = timedelta(days=DRAFT_DAYS)
# A club enters one night at a time; a few may wait for somebody's numbers. A sheet can take a
# megabyte or two. All of them are listed, so that any can be sent or thrown away.
NIGHTS_MAX: Final = 60
SHEETS_MAX: Final = 20

_COLUMNS: Final = """
    draft_id, state, night, version, changed_at, session_id, sending, begun_by, page, corrects"""
READ: Final = f"""
SELECT {_COLUMNS}, sheet FROM mahjic.night_drafts WHERE source = $1 AND draft_id = $2
"""
LOCK: Final = f"{READ} FOR UPDATE"
LIST: Final = f"""
SELECT {_COLUMNS}, NULL AS sheet FROM mahjic.night_drafts
WHERE source = $1 AND state <> 'sent' AND (sheet IS NOT NULL) = $2
ORDER BY changed_at DESC, draft_id LIMIT $3
"""
COUNT_SHEETS: Final = """
SELECT count(*) FROM mahjic.night_drafts WHERE source = $1 AND sheet IS NOT NULL
"""
# What a page typed apart, after somebody else had changed the night that it began with. If that is
# changed, begun to be sent or thrown away at this moment, it is found no longer.
OF_PAGE: Final = """
SELECT draft_id FROM mahjic.night_drafts
WHERE source = $1 AND page = $2 AND state = 'open' ORDER BY changed_at DESC LIMIT 1 FOR UPDATE
"""
WRITE: Final = """
INSERT INTO mahjic.night_drafts AS kept
    (source, draft_id, begun_by, night, named, page, version, changed_at, sheet, corrects)
VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $8, $9)
ON CONFLICT (source, draft_id) DO UPDATE SET
    night = excluded.night, named = excluded.named, page = excluded.page,
    version = kept.version + 1, changed_at = excluded.changed_at, sheet = excluded.sheet
RETURNING version
"""
LOCK_CORRECTING: Final = "SELECT pg_advisory_xact_lock($1, hashtext($2))"
FIND_CORRECTION: Final = """
SELECT draft_id FROM mahjic.night_drafts
WHERE source = $1 AND corrects = $2 AND state <> 'sent'
ORDER BY changed_at DESC, draft_id LIMIT 1
"""
BEGIN_SENDING: Final = """
UPDATE mahjic.night_drafts SET state = 'sending', sending = $3
WHERE source = $1 AND draft_id = $2
"""
REOPEN: Final = """
UPDATE mahjic.night_drafts SET state = 'open', sending = NULL
WHERE source = $1 AND draft_id = $2 AND state = 'sending'
"""
NOTE_SENT: Final = """
UPDATE mahjic.night_drafts
SET state = 'sent', session_id = $3, night = $4, sending = NULL, named = '{}',
    sheet = NULL
WHERE source = $1 AND draft_id = $2 AND state = 'sending'
"""
DROP: Final = """
DELETE FROM mahjic.night_drafts WHERE source = $1 AND draft_id = $2 AND state = 'open'
"""
ERASE: Final = "DELETE FROM mahjic.night_drafts WHERE named && $1 RETURNING draft_id"
SWEEP: Final = "DELETE FROM mahjic.night_drafts WHERE changed_at <= $1 RETURNING draft_id"
TABLE: Final = "night_drafts"
# An hour more or less makes no difference after 30 days.
SWEPT_EVERY_S: Final = 3600.0

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class KeptDraft:
    """A row. `sending` is what is on its way, and how; `sheet` is not there in a list."""

    draft_id: str
    state: DraftState
    night: Mapping[str, Any] = field(repr=False)
    version: int
    changed_at: datetime
    session_id: str | None
    sending: Mapping[str, Any] | None = field(repr=False)
    begun_by: str | None
    page: str
    sheet: str | None = field(repr=False)
    corrects: str | None


@dataclass(frozen=True, slots=True)
class TypedDraft:
    """What a page sends of a night, the ids and addresses of its people, and its sheet if any.

    `corrects` is the session in whose place it is to be put; a draft keeps the one it began with.
    """

    night: Mapping[str, Any] = field(repr=False)
    named: Sequence[str] = field(repr=False)
    page: str = ""
    sheet: str | None = field(repr=False, default=None)
    corrects: str | None = None


async def read_draft(
    connection: Connection, source: str, draft_id: str, *, locked: bool = False
) -> KeptDraft | None:
    """Return a draft of a source, `locked` until the transaction ends; None if there is none."""
    row = await connection.fetchrow(LOCK if locked else READ, source, draft_id)
    return None if row is None else _kept(row)


async def list_drafts(
    connection: Connection, source: str, *, are_sheets: bool = False
) -> Sequence[KeptDraft]:
    """Return the drafts of a source that are not sent, what was changed last first."""
    most = SHEETS_MAX if are_sheets else NIGHTS_MAX
    return [_kept(row) for row in await connection.fetch(LIST, source, are_sheets, most)]


async def count_sheets(connection: Connection, source: str) -> int:
    """Return how many sheets of a source are not sent."""
    return int(await connection.fetchval(COUNT_SHEETS, source))


async def check_room_for_night(connection: Connection, source: str) -> None:
    """Raise TooManyNights if no other night of a source may wait to be sent."""
    waiting = await list_drafts(connection, source)
    if len(waiting) >= NIGHTS_MAX:
        raise TooManyNights(NIGHTS_MAX, read_day(waiting[-1].night["day"]))


async def draft_of_page(connection: Connection, source: str, page: str) -> str | None:
    """Return the id of the open draft into which a page typed last, None if there is none.

    It is locked until the transaction ends.
    """
    found: str | None = await connection.fetchval(OF_PAGE, source, page)
    return found


async def write_draft(
    connection: Connection,
    source: str,
    draft_id: str,
    account_id: str,
    typed: TypedDraft,
    *,
    now: datetime,
) -> int:
    """Keep what was typed last; return how often the draft was changed."""
    document, named = orjson.dumps(typed.night).decode(), list(typed.named)
    version: int = await connection.fetchval(
        WRITE,
        source,
        draft_id,
        account_id,
        document,
        named,
        typed.page,
        now,
        typed.sheet,
        typed.corrects,
    )
    return version


async def find_correction(connection: Connection, source: str, session_id: str) -> str | None:
    """Return the draft in which a session is being corrected already, None if there is none.

    Whoever asks at the same time waits until this transaction ends, and finds what it wrote.
    """
    await connection.execute(LOCK_CORRECTING, CORRECTING_LOCK, session_id)
    found: str | None = await connection.fetchval(FIND_CORRECTION, source, session_id)
    return found


async def begin_sending(
    connection: Connection, source: str, draft_id: str, sending: Mapping[str, Any]
) -> None:
    """Note what is being sent. From now on nothing in it changes."""
    await connection.execute(BEGIN_SENDING, source, draft_id, orjson.dumps(sending).decode())


async def reopen(connection: Connection, source: str, draft_id: str) -> None:
    """Let a draft be changed again, of which nothing was recorded."""
    await connection.execute(REOPEN, source, draft_id)


async def note_sent(
    connection: Connection, source: str, draft_id: str, session_id: str, left: Mapping[str, Any]
) -> None:
    """Keep only the id of the session that a draft has become, and what is `left` of the night."""
    await connection.execute(NOTE_SENT, source, draft_id, session_id, orjson.dumps(left).decode())
    await note_erased(connection, TABLE)


async def drop_draft(connection: Connection, source: str, draft_id: str) -> None:
    """Throw a draft away that is not on its way."""
    await connection.execute(DROP, source, draft_id)
    await note_erased(connection, TABLE)


async def erase_drafts(connection: Connection, named: Sequence[str]) -> None:
    """Erase every draft that names somebody who is forgotten, by their ids and addresses."""
    if await connection.fetch(ERASE, list(named)):
        await note_erased(connection, TABLE)


async def sweep_drafts(pool: asyncpg.Pool, *, now: datetime) -> int:
    """Take away what nobody has touched for 30 days; return how many that were."""
    async with pool.acquire() as connection, connection.transaction():
        gone = await connection.fetch(SWEEP, now - KEPT_FOR)
        if gone:
            await note_erased(connection, TABLE)
        return len(gone)


async def sweep_drafts_forever(pool: asyncpg.Pool, now: Callable[[], datetime]) -> NoReturn:
    """Sweep now and at regular intervals, also after the database was away."""
    while True:
        try:
            await sweep_drafts(pool, now=now())
        except DATABASE_AWAY:
            _log.warning("drafts_not_swept")
        await asyncio.sleep(SWEPT_EVERY_S)


def _kept(row: asyncpg.Record) -> KeptDraft:
    return KeptDraft(
        row["draft_id"],
        row["state"],
        orjson.loads(row["night"]),
        row["version"],
        row["changed_at"],
        row["session_id"],
        None if row["sending"] is None else orjson.loads(row["sending"]),
        row["begun_by"],
        row["page"],
        row["sheet"],
        row["corrects"],
    )
