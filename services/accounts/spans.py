"""How long links and codes are good, and a login is fresh. Pure."""

from datetime import datetime, timedelta
from typing import Final

from services.mail.waits import PROOF_GOOD_FOR

# What hurts needs a login as new as this.
FRESH_FOR: Final = timedelta(minutes=15)
# What began later than now began in another process, or before a clock was set back. With more
# than this between the two, nobody knows how long ago it was.
CLOCKS_APART_MAX: Final = timedelta(minutes=1)

PROOF_MINUTES: Final = PROOF_GOOD_FOR // timedelta(minutes=1)
FRESH_MINUTES: Final = FRESH_FOR // timedelta(minutes=1)


def is_fresh(began_at: datetime, now: datetime) -> bool:
    """Return whether something began so lately that it stands for whoever is there now."""
    return -CLOCKS_APART_MAX <= now - began_at < FRESH_FOR
