"""Says on a page that it was read while a correction of the past was being applied."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict


class Correcting(TypedDict):
    """How much of the verdict on the fact after its `seq` the numbers of a page include.

    Players in the parts already applied have their corrected numbers. All others still have their
    numbers from before.
    """

    part: Annotated[int, Field(ge=1, description="The last part that is applied.")]
    parts: Annotated[int, Field(ge=2, description="How many parts there are.")]


def shown_correcting(correcting: Sequence[int] | None) -> Correcting | None:
    """Return what `live.correcting` (reading.py) says."""
    if correcting is None:
        return None
    _, part, parts = correcting
    return {"part": part, "parts": parts}
