"""Opens the pool of connections to PostgreSQL that every room is handed."""

import asyncio
from contextlib import suppress
from typing import Final
from urllib.parse import parse_qs, urlsplit

import asyncpg

from shared.errors import MahjicError

SERVER_MAJOR_MIN: Final = 15
CONNECT_S_MAX: Final = 10.0
CLOSE_S_MAX: Final = 5.0
# Longer than any statement of ours but a migration or a rebuild, which name their own limit.
STATEMENT_S_MAX: Final = 60.0
# A program paused in the middle of a transaction must not hold its locks forever.
IDLE_IN_TRANSACTION_S_MAX: Final = 60
# Idle connections are kept for a while, so that a service with little to do answers at once.
IDLE_CONNECTION_S_MAX: Final = 300.0


class DatabaseUnreachable(MahjicError):
    """No connection to PostgreSQL could be made."""

    code = "database_unreachable"
    title = "The database cannot be reached"
    status = 503


class DatabaseTooOld(MahjicError):
    """The server is older than the oldest PostgreSQL that Mahjic is tested on."""

    code = "database_too_old"
    title = "The database server is too old"
    status = 503

    def __init__(self, version: str) -> None:
        super().__init__(
            f"The server is PostgreSQL {version}; Mahjic needs {SERVER_MAJOR_MIN} or newer. "
            "Move the data to a newer server; docs/operations.md says how.",
            extra={"server_version": version, "server_major_min": SERVER_MAJOR_MIN},
        )


async def open_pool(dsn: str, *, application_name: str, size_max: int) -> asyncpg.Pool:
    """Connect to the server of a `postgresql://` URL and return a pool of at most `size_max`.

    The server sees the application as `mahjic` or `mahjic ...`, so that a restore can tell whether
    someone is still at work. No error of this function holds the password.
    """
    if not application_name.startswith("mahjic"):
        application_name = f"mahjic {application_name}"
    pool = asyncpg.create_pool(
        dsn,
        # No minimum is kept: the pool would log every failed attempt while the server is away.
        min_size=0,
        max_size=size_max,
        timeout=CONNECT_S_MAX,
        command_timeout=STATEMENT_S_MAX,
        max_inactive_connection_lifetime=IDLE_CONNECTION_S_MAX,
        reset=_leave_as_it_is,
        server_settings={
            "application_name": application_name,
            "timezone": "UTC",
            "idle_in_transaction_session_timeout": f"{IDLE_IN_TRANSACTION_S_MAX}s",
        },
    )
    try:
        await _check_version(pool, dsn)
    except BaseException:
        pool.terminate()
        raise
    return pool


async def close_pool(pool: asyncpg.Pool) -> None:
    """Close the connections cleanly, or cut them off if the server does not answer."""
    with suppress(TimeoutError):  # asyncpg cuts them off when its time is up.
        async with asyncio.timeout(CLOSE_S_MAX):
            await pool.close()


async def _leave_as_it_is(_connection: object) -> None:
    """Spare the round trip that cleans a connection up after every use of it.

    An open transaction is rolled back and listeners are removed all the same. Nothing else of ours
    outlives a transaction but session locks, and code that takes one gives it back or closes the
    connection.
    """


async def _check_version(pool: asyncpg.Pool, dsn: str) -> None:
    try:
        await pool
        async with pool.acquire() as connection:
            version = connection.get_server_version()
    except asyncpg.PostgresError as error:
        raise _unreachable(dsn, f"it answered: {error}") from error
    except TimeoutError as error:
        raise _unreachable(dsn, f"it gave no answer within {CONNECT_S_MAX:g} s") from error
    except OSError as error:
        raise _unreachable(dsn, str(error) or type(error).__name__) from error
    except (ValueError, asyncpg.InterfaceError):
        # The cause is dropped: what the parser says may quote a part of the password.
        raise DatabaseUnreachable(
            "The database URL cannot be read. It must look like "
            "postgresql://user:password@host:5432/database, with special characters "
            "percent-encoded."
        ) from None
    if version.major < SERVER_MAJOR_MIN:
        raise DatabaseTooOld(f"{version.major}.{version.minor}")


def _unreachable(dsn: str, reason: str) -> DatabaseUnreachable:
    return DatabaseUnreachable(
        f"The database at {_place(dsn)} cannot be reached: {reason}. Check that the server is "
        "running, and that the address, user and password in MAHJIC_DATABASE_URL are right."
    )


def _place(dsn: str) -> str:
    """Return where a URL points, without user and password."""
    parts = urlsplit(dsn)
    hosts = parts.netloc.rpartition("@")[2] or ",".join(parse_qs(parts.query).get("host", []))
    # An @ in the path means that a password contains a slash, and was cut there.
    path = "" if "@" in parts.path else parts.path
    return f"{hosts or 'the default host'}{path}"
