"""Tells a sandbox from a live database, which is decided when it is made, and keeps its clock."""

import asyncio
import contextlib
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, NoReturn, TypeAlias

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from shared.db.away import DATABASE_AWAY
from shared.errors import MahjicError

# Whoever moved the clock waits this long until every process shows it.
LOOK_S: Final = 0.5
# Times are printed with four digits for the year.
AHEAD_MAX: Final = timedelta(days=100 * 365)

HAS_LOG: Final = "SELECT to_regclass('mahjic.head') IS NOT NULL"
IS_FOUNDED: Final = "SELECT EXISTS (SELECT FROM mahjic.head)"
HAS_MARK: Final = "SELECT to_regclass('mahjic.sandbox') IS NOT NULL"
READ: Final = "SELECT ahead_s FROM mahjic.sandbox"
MARK: Final = "INSERT INTO mahjic.sandbox DEFAULT VALUES"
MOVE: Final = """
UPDATE mahjic.sandbox SET ahead_s = ahead_s + $1 WHERE ahead_s + $1 <= $2 RETURNING ahead_s
"""

Kind: TypeAlias = Literal["live", "sandbox"]
Database: TypeAlias = asyncpg.Pool | asyncpg.Connection | PoolConnectionProxy


class IsSandbox(MahjicError):
    """The place holds a sandbox, but what was asked for is only for a live Mahjic."""

    code = "is_sandbox"
    title = "This is a sandbox"
    exit_code = 2


class NoSandbox(MahjicError):
    """The place holds a live Mahjic, but what was asked for is only for a sandbox."""

    code = "no_sandbox"
    title = "This is not a sandbox"
    exit_code = 2

    def __init__(self, detail: str = "") -> None:
        super().__init__(
            detail
            or "This is a live Mahjic, and not a sandbox. Nothing was changed. Say where the "
            "sandbox is with --data."
        )


class TooFarAhead(MahjicError):
    """The clock of a sandbox would be more than a hundred years ahead."""

    code = "too_far_ahead"
    title = "The clock can't go that far"
    exit_code = 2

    def __init__(self) -> None:
        super().__init__(
            f"The clock of a sandbox can be at most {AHEAD_MAX.days} days ahead. It was not moved."
        )


class SandboxClock:
    """The time in a sandbox: the real one, and as far ahead as it was moved."""

    def __init__(self, ahead: timedelta = timedelta()) -> None:
        self.ahead = ahead

    def now(self) -> datetime:
        """Return the time in the sandbox."""
        return datetime.now(UTC) + self.ahead

    async def follow(self, pool: asyncpg.Pool) -> NoReturn:
        """Go on with the time that the database has, whoever moves it."""
        while True:
            with contextlib.suppress(*DATABASE_AWAY):
                self.ahead = timedelta(seconds=await pool.fetchval(READ))
            await asyncio.sleep(LOOK_S)


async def kind_of(database: Database) -> Kind | None:
    """Return what a database is, whichever version made it; None if it has no Mahjic yet."""
    if not await database.fetchval(HAS_LOG) or not await database.fetchval(IS_FOUNDED):
        return None
    if not await database.fetchval(HAS_MARK):
        return "live"
    return "live" if await database.fetchval(READ) is None else "sandbox"


async def is_sandbox(database: Database) -> bool:
    """Return whether a database of this version is a sandbox."""
    return await database.fetchval(READ) is not None


async def sandbox_clock(database: Database) -> SandboxClock | None:
    """Return the clock of a sandbox; None if the database is live."""
    ahead_s = await database.fetchval(READ)
    return None if ahead_s is None else SandboxClock(timedelta(seconds=ahead_s))


async def time_on(database: Database) -> datetime:
    """Return the time by which everything in a database goes."""
    clock = await sandbox_clock(database)
    return datetime.now(UTC) if clock is None else clock.now()


async def mark_sandbox(connection: asyncpg.Connection | PoolConnectionProxy) -> None:
    """Make a sandbox of a database, in the transaction that founds its log."""
    assert connection.is_in_transaction()
    await connection.execute(MARK)


async def move_clock(database: Database, forward: timedelta) -> SandboxClock:
    """Move the clock of a sandbox forward, and return it. Raises NoSandbox or TooFarAhead."""
    assert forward > timedelta()
    if not await is_sandbox(database):
        raise NoSandbox
    limit_s = int(AHEAD_MAX.total_seconds())
    if forward > AHEAD_MAX:
        raise TooFarAhead
    ahead_s = await database.fetchval(MOVE, int(forward.total_seconds()), limit_s)
    if ahead_s is None:
        raise TooFarAhead
    return SandboxClock(timedelta(seconds=ahead_s))
