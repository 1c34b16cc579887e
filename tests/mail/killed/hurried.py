"""A clock on which a minute passes in two seconds, for all processes of a test alike."""

import time
from datetime import UTC, datetime, timedelta

from tests.mail.letters import START

FACTOR = 30


def hurried(began_s: float) -> datetime:
    """Return the time on that clock, which stood at START at a time of the real one."""
    return START.astimezone(UTC) + timedelta(seconds=(time.time() - began_s) * FACTOR)
