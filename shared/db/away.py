"""Names the errors that mean the database is away at the moment, so that trying again can help."""

from typing import Final

import asyncpg

# A lost or refused connection; a server that starts, stops or is short of disk, memory or
# connections; a standby that took over as read-only; a pool whose connection just closed, or broke
# in the middle of a question (InternalClientError); and our own time limits (TimeoutError is an
# OSError). A hot standby cancels what is in the way of the changes that it takes over, and calls
# that a SerializationError; nothing of ours is at that level otherwise. Of two that wait for each
# other one is given up: nothing of it was done, and the other goes on.
DATABASE_AWAY: Final = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.PostgresSystemError,
    asyncpg.SerializationError,
    asyncpg.DeadlockDetectedError,
)
