"""Names the turn that a relay waits for: of all relays on a database one works at a time."""

from typing import Final

# The key of an advisory lock in the database.
RELAY_LOCK: Final = 0x4D4A4B
