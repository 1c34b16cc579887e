"""Keeps Python's garbage collector from checking too often objects that stay alive anyway."""

import gc
from typing import Final

# A batch of records is tens of thousands of objects that live until it is applied. Checking them
# after every 700, as Python does by default, costs a quarter of decoding them. This many take half
# a millisecond to check.
YOUNG_OBJECTS_MAX: Final = 10_000


def settle_collector() -> None:
    """Never check what was created at the start, which stays for good, and check the rest less
    often.

    Each full collection would stop the process for 40 ms and find nothing there.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS_MAX, *gc.get_threshold()[1:])
