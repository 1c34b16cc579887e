"""When an address that failed is tried again, and when it is switched off. Pure."""

import email.utils
from datetime import UTC, datetime, timedelta
from typing import Final

# After the first failure, the second, and so on; then daily.
PAUSES: Final = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=14),
    timedelta(hours=20),
    timedelta(hours=24),
)
PAUSE_MIN: Final = PAUSES[0]
PAUSE_MAX: Final = PAUSES[-1]
# Whole numbers of seconds that are longer say nothing more than a day does.
DIGITS_MAX: Final = 9
# So that those who failed together do not come back together.
JITTER: Final = 0.2
# Without one success.
FAILING_MAX: Final = timedelta(days=5)


def pause_after(failures: int, *, chance: float, retry_after: timedelta | None) -> timedelta:
    """Return how long to wait after so many failures in a row, the last of which may have asked.

    `chance` is a random number from 0 to 1.
    """
    if retry_after is not None:
        return min(max(retry_after, PAUSE_MIN), PAUSE_MAX)
    return PAUSES[min(failures, len(PAUSES)) - 1] * (1 + JITTER * chance)


def read_retry_after(text: str | None, now: datetime) -> timedelta | None:
    """Return how long an answer asks us to wait: seconds, or a date. None if it doesn't say."""
    if text is None:
        return None
    text = text.strip()
    if text.isascii() and text.isdecimal() and len(text) <= DIGITS_MAX:
        return timedelta(seconds=int(text))
    try:
        at = email.utils.parsedate_to_datetime(text[:40])
    except (ValueError, TypeError, OverflowError):
        return None
    return (at if at.tzinfo is not None else at.replace(tzinfo=UTC)) - now


def has_failed_too_long(failing_since: datetime, now: datetime) -> bool:
    """Return whether an address without one success is switched off."""
    return now - failing_since >= FAILING_MAX
