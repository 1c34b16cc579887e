"""What pages show before the past is changed, and what they ask for to change it.

A change carries the fact as of which it was shown; if the record moved since, it is shown again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal, Protocol

from services.accounts.logging_in.logins import Login
from services.foresight.changes import ForeseenChange
from services.foresight.trying import FormulaTrial
from services.foresight.working import Underway
from services.site.kit.words import _
from shared.errors import MahjicError
from shared.events.facts import Reason
from shared.proposals.shelf import ShelvedProposal


class RecordMoved(MahjicError):
    """What was shown is not what would happen now."""

    code = "record_moved"
    title = "The record has changed"
    status = 409

    def __init__(self) -> None:
        super().__init__(
            _(
                "Since you looked, something was recorded that affects this. Nothing was changed. "
                "Look at the new figures, and decide again."
            )
        )


@dataclass(frozen=True, slots=True)
class WhatItMoves:
    """What a change would do. `why_not` says why it can't be, or why it can't be worked out here.

    `foreseen` is None then, and while it can't be known.
    """

    foreseen: ForeseenChange | Underway | None
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class LookedAtMerge:
    """A merge, or the end of one, before it happens."""

    player_id: str
    into: str
    sessions: int
    into_sessions: int
    hides: bool
    moves: WhatItMoves


@dataclass(frozen=True, slots=True)
class SessionOfPlayer:
    """A session that counts, in which somebody sits."""

    session_id: str
    source: str
    day: date


@dataclass(frozen=True, slots=True)
class LookedAtReseat:
    """Seats that are to be given to another player, before it happens."""

    player_id: str
    to: str
    session_ids: Sequence[str]
    moves: WhatItMoves


class MergesAtStaff(Protocol):
    """Merges players, and gives seats to others. All raise UnknownPlayer and RecordMoved."""

    async def look(self, player_id: str, into: str, *, newer_than: int) -> LookedAtMerge:
        """Return what a merge would do."""
        ...

    async def merge(self, login: Login, player_id: str, into: str, *, as_of: int) -> None:
        """Treat a player as another one. Raises why not, as a MahjicError."""
        ...

    async def look_at_end(self, player_id: str, *, newer_than: int) -> LookedAtMerge:
        """Return what undoing a merge would do."""
        ...

    async def end(self, login: Login, player_id: str, into: str, *, as_of: int) -> None:
        """Undo a merge into somebody, once. Raises why not."""
        ...

    async def sessions(self, player_id: str) -> Sequence[SessionOfPlayer]:
        """Return the newest sessions in which somebody sits."""
        ...

    async def look_at_reseat(
        self, player_id: str, to: str, session_ids: Sequence[str], *, newer_than: int
    ) -> LookedAtReseat:
        """Return what giving seats to another player would do."""
        ...

    async def reseat(
        self, login: Login, player_id: str, to: str, session_ids: Sequence[str], *, as_of: int
    ) -> None:
        """Give seats to another player. Raises why not."""
        ...


@dataclass(frozen=True, slots=True)
class MeantSessions:
    """Which sessions are to be voided."""

    source: str | None
    player_id: str | None
    first_day: date
    last_day: date


@dataclass(frozen=True, slots=True)
class LookedAtVoid:
    """Sessions that are to be voided, before it happens. `mark` stands for exactly these."""

    sessions: Sequence[SessionOfPlayer]
    has_more: bool
    mark: str
    moves: WhatItMoves


class VoidsAtStaff(Protocol):
    """Voids many sessions in one step."""

    async def look(self, meant: MeantSessions, reason: Reason, *, newer_than: int) -> LookedAtVoid:
        """Return which sessions are meant, and what voiding them would do."""
        ...

    async def void(
        self, login: Login, meant: MeantSessions, reason: Reason, *, as_of: int, mark: str
    ) -> int:
        """Void what was shown, once, and return how many that are. Raises RecordMoved."""
        ...


class FormulasAtStaff(Protocol):
    """Tries formulas on the whole history, and adopts them."""

    async def in_use(self) -> str:
        """Return the formula that is in use now."""
        ...

    async def attempt(self, name: str, *, newer_than: int) -> FormulaTrial | Underway | None:
        """Return what a formula would do; None if there is too much to try it here."""
        ...

    def proposals(self, name: str) -> Sequence[ShelvedProposal]:
        """Return the proposals that an adoption of a formula may name."""
        ...

    async def adopt(
        self,
        login: Login,
        name: str,
        since: Literal["now", "beginning"],
        *,
        proposal: str | None,
        as_of: int,
    ) -> None:
        """Adopt a formula, on the word of one of its proposals or of none. Raises RecordMoved."""
        ...
