"""Keeps Python's garbage collector from looking too often at objects that live anyway."""

import gc
from typing import Final

# A batch of records is tens of thousands of objects that live until it is taken in; looking through
# them every 700, as Python does unless told otherwise, costs a quarter of decoding them. So many
# are looked through in half a millisecond.
YOUNG_OBJECTS_MAX: Final = 10_000


def settle_collector() -> None:
    """Leave alone what was created at the start, which stays for good, and look less often at the
    rest.

    Each full collection would stop the process for 40 ms and find nothing there.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS_MAX, *gc.get_threshold()[1:])
