"""Says on a page that it was read while the verdict on a fact about the past is being applied."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field


class Correcting(BaseModel):
    """How far the numbers of a page are within the verdict on the fact after its `seq`.

    Players of the parts that are applied stand where the correction leaves them; all others stand
    where they stood before it.
    """

    part: int = Field(ge=1, description="The last part that is applied.")
    parts: int = Field(ge=2, description="How many parts there are.")


def shown_correcting(correcting: Sequence[int] | None) -> dict[str, Any] | None:
    """Return what `live.correcting` (reading.py) says: a Correcting, or None."""
    if correcting is None:
        return None
    _, part, parts = correcting
    return {"part": part, "parts": parts}
