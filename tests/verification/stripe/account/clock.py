"""A clock that stands still until it is told how much time passes."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta


@dataclass
class Clock:
    """Call it for the time."""

    now: datetime = datetime(2027, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **span: float) -> None:
        """Let time pass, as in `forward(days=30)`."""
        self.now += timedelta(**span)
