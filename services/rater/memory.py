"""Returns the memory of large arrays to the system as soon as they are freed."""

import ctypes
from typing import Final

# From mallopt(3). Unless it is set, the C library raises the threshold by itself to 32 MiB, just
# above the standings of a million players: memory that a start or a correction needs for a moment
# would stay with the process for good.
M_MMAP_THRESHOLD: Final = -3
THRESHOLD_BYTES: Final = 4 << 20


def give_large_arrays_back() -> None:
    """Give arrays of a few megabytes their own memory, if the C library can do that."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, THRESHOLD_BYTES)
