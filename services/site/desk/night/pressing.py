"""Does what a button below a typed night says. Pure."""

import re
from typing import Final

from services.site.desk.night.moving import MOVES, move_on, without_table
from services.site.desk.night.seated import as_somebody_new
from services.site.desk.night.typed import TypedNight

OTHER: Final = "other-"
_REMOVED: Final = re.compile(r"remove-([0-9]{1,3})", re.ASCII)
_OTHER: Final = re.compile(OTHER + r"([0-9]{1,3})-([0-3])", re.ASCII)


def pressed_on(night: TypedNight, pressed: str) -> TypedNight:
    """Return a night after a button was pressed, by the value of the button."""
    for move in MOVES:
        if pressed == move:
            return move_on(night, move)
    if removed := _REMOVED.fullmatch(pressed):
        return without_table(night, int(removed[1]))
    if other := _OTHER.fullmatch(pressed):
        return as_somebody_new(night, int(other[1]), int(other[2]))
    return night
