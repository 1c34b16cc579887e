"""Reports a database that is away for now as a log that is away."""

import contextlib
from collections.abc import Iterator

from shared.db.away import DATABASE_AWAY
from shared.log.port import LogAway


@contextlib.contextmanager
def told_as_away() -> Iterator[None]:
    """Raise LogAway for errors that mean the database cannot be reached for now."""
    try:
        yield
    except DATABASE_AWAY as error:
        raise LogAway(f"The log's database cannot be reached: {type(error).__name__}.") from error
