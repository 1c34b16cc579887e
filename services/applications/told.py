"""What an application says, and where it stands. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

# `begun`: written, but its address is not proved yet, so it does not count.
ApplicationState: TypeAlias = Literal["begun", "sent", "question", "approved", "declined"]


@dataclass(frozen=True, slots=True)
class ApplicationText:
    """What an applicant says. `nights` are those of a year."""

    organization: str = field(repr=False)
    type: str
    wished_slug: str = field(repr=False)
    applicant: str = field(repr=False)
    address: str = field(repr=False)
    site: str | None = field(repr=False)
    region: str | None
    keeping: str = field(repr=False)
    players: int
    nights: int
    description: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question of staff to an applicant, and the answer if there is one."""

    question_no: int
    question: str = field(repr=False)
    asked_at: datetime
    answer: str | None = field(repr=False)
    answered_at: datetime | None


@dataclass(frozen=True, slots=True)
class Application:
    """An application as it stands. `reason` is why it was declined; `source` what became of it."""

    application_id: str
    state: ApplicationState
    text: ApplicationText
    questions: Sequence[AskedQuestion]
    begun_at: datetime
    sent_at: datetime | None
    decided_at: datetime | None
    reason: str | None = field(repr=False)
    source: str | None

    @property
    def is_open(self) -> bool:
        """Whether staff have it to decide on."""
        return self.state in {"sent", "question"}
