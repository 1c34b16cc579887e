"""What ingest gets from outside to make ids and times: randomness and the clock."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from shared.ids import session_id

# The latest time zone on earth is 14 hours ahead: its today is the last day that has begun.
LATEST_ZONE: Final = timedelta(hours=14)


@dataclass(frozen=True, slots=True)
class IdsAndTimes:
    """Random numbers for ids, and the clock."""

    player_number: Callable[[], int]
    now: Callable[[], datetime]

    def timestamp(self) -> str:
        """Return the current time in the form that facts use."""
        return timestamp_of(self.now())


def timestamp_of(moment: datetime) -> str:
    """Return a time in UTC in the form that facts use (RFC 3339, microseconds)."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class SessionIds:
    """Makes ids for sessions submitted now. Each sorts after the one before.

    This works like monotonic ULIDs: within a millisecond, each id is a random step above the last
    one. So the newest line of a batch has the highest id.
    """

    def __init__(self) -> None:
        self._last = (0, 0)

    def new(self) -> str:
        now_ms, (last_ms, last_number) = time.time_ns() // 1_000_000, self._last
        if now_ms > last_ms:
            # The highest bit is left free for the steps within this millisecond.
            self._last = (now_ms, secrets.randbits(79))
        else:
            self._last = (last_ms, last_number + 1 + secrets.randbits(64))
        return session_id(*self._last)


def latest_day(now: datetime) -> date:
    """Return the date that it is, at a time, in the latest time zone on earth."""
    return (now + LATEST_ZONE).date()
