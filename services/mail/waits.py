"""How long a mail, or a server, is left alone before it is tried again, and a link good. Pure."""

from datetime import timedelta
from typing import Final

# A login waits for the first of these. Servers that put strangers off (greylisting) want minutes.
MAIL_WAITS: Final = (
    timedelta(seconds=15),
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=15),
    timedelta(minutes=30),
    timedelta(hours=1),
    timedelta(hours=2),
    timedelta(hours=4),
)
# A link that is too old helps nobody, so its mail is not tried for longer.
PROOF_GOOD_FOR: Final = timedelta(minutes=15)
SERVER_WAITS_S: Final = (1.0, 2.0, 5.0, 10.0, 30.0)


def mail_wait(tries: int) -> timedelta:
    """Return how long a mail waits that was tried so many times."""
    return MAIL_WAITS[min(tries, len(MAIL_WAITS)) - 1]


def server_wait_s(failures: int) -> float:
    """Return how long a server is left alone that failed so many times in a row."""
    return SERVER_WAITS_S[min(failures, len(SERVER_WAITS_S)) - 1]
