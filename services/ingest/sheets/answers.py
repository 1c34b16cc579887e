"""The answers about a score sheet: a session's answers, with places in the sheet. Pure."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from shared.answers.effects import CorrectedPart
from shared.answers.sessions import SubmittedSession
from shared.answers.trials import TriedSession


class SheetPlace(TypedDict):
    """Where something is in a sheet."""

    sheet: str | None
    row: int | None
    column: str | None


class SheetWarning(SheetPlace):
    """Something that is odd, but is submitted anyway."""

    pointer: Annotated[str, Field(description="JSON pointer (RFC 6901) into the claim.")]
    code: str
    message: str


class PlacedWarning(SheetWarning):
    """A warning with everything that one about a JSON session has."""

    session_id: NotRequired[str | None]


class SheetAnswer(SubmittedSession):
    """The answer to a sheet that was submitted: a SessionAnswer whose warnings have places."""

    warnings: list[PlacedWarning]


class SheetCorrectionAnswer(SheetAnswer, CorrectedPart):
    """The answer to a correction by a sheet: a CorrectionAnswer whose warnings have places."""


class DryRunAnswer(TriedSession):
    """What the sheet would submit, and the answer it would get."""

    claim: Annotated[
        Mapping[str, Any],
        Field(description="The body of `POST /v1/sessions` that the sheet stands for."),
    ]
    warnings: Sequence[SheetWarning]
