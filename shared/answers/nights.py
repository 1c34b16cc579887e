"""The answers that compare a night with what is on record: to a dry run of a correction, and in the
refusal of a night that is different now. Pure.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired, TypeAlias

from pydantic import Field, WithJsonSchema
from typing_extensions import TypedDict

from shared.answers.sessions import WarningAnswer

NightKind: TypeAlias = Literal["same", "grown", "changed"]
WhatBecame: TypeAlias = Literal["same", "new", "changed", "missing"]


class RoundComparedAnswer(TypedDict):
    """One round, compared with what is on record."""

    pointer: Annotated[
        str | None, Field(description="Where it is in the claim; null if it is not there.")
    ]
    what: WhatBecame
    session_id: str | None
    message: Annotated[str, Field(description="An explanation for people.")]
    sheet: NotRequired[str | None]
    row: NotRequired[int | None]
    column: NotRequired[str | None]


class NightAnswer(TypedDict):
    """A night on record, in the refusal of one that is different; `correct` is where to send it."""

    kind: NightKind
    session_id: str
    session_ids: Sequence[str]
    correct: str
    rounds: list[RoundComparedAnswer]


class CorrectionTrialAnswer(TypedDict):
    """What a correction would change. Nothing was recorded."""

    corrects: Annotated[str, Field(description="The session that it would replace.")]
    status: Literal["dry_run"]
    kind: NightKind
    claim: Annotated[Mapping[str, Any], Field(description="The session that would replace it.")]
    rounds: list[RoundComparedAnswer]
    # The document has never said more about them.
    warnings: Annotated[
        Sequence[WarningAnswer],
        WithJsonSchema(
            {"items": {"additionalProperties": True, "type": "object"}, "type": "array"}
        ),
    ]
