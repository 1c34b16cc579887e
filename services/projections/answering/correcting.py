"""Says on a page that it was read while the verdict on a fact about the past is being applied."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict


class Correcting(TypedDict):
    """How far the numbers of a page are within the verdict on the fact after its `seq`.

    Players of the parts that are applied stand where the correction leaves them; all others stand
    where they stood before it.
    """

    part: Annotated[int, Field(ge=1, description="The last part that is applied.")]
    parts: Annotated[int, Field(ge=2, description="How many parts there are.")]


def shown_correcting(correcting: Sequence[int] | None) -> Correcting | None:
    """Return what `live.correcting` (reading.py) says."""
    if correcting is None:
        return None
    _, part, parts = correcting
    return {"part": part, "parts": parts}
