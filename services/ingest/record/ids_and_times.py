"""What ingest is handed from outside to make ids and times: randomness and the clock."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class IdsAndTimes:
    """Random numbers for ids, and the clock."""

    player_number: Callable[[], int]
    now: Callable[[], datetime]

    def timestamp(self) -> str:
        """Return the time of now as facts carry it."""
        return timestamp_of(self.now())


def timestamp_of(moment: datetime) -> str:
    """Return a time in UTC as facts carry it (RFC 3339, microseconds)."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
