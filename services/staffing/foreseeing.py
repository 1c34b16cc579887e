"""Works out what a change to the past would move, for whoever is about to make it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import orjson

from services.foresight.changes import ForeseenChange, foresee_change
from services.foresight.season import Progress, TooLongToTryError
from services.foresight.working import Foresights, Outcome, Underway
from services.site.kit.words import _
from services.site.staff.changes import WhatItMoves
from services.staffing.keeping_acts import unless_away
from shared.errors import LogUnavailable
from shared.log.port import Log, LogAway
from shared.replay.chronicle import FactAboutThePast

TOO_LONG: Final = _(
    "The record is too long to try this here. Do it at the machine, with the operator’s commands."
)
NOT_POSSIBLE: Final = _("The record as it stands does not allow this. Nothing would change.")


@dataclass(frozen=True, slots=True)
class Foreseeing:
    """What foresight stands on here. More rounds than `rounds_max` are not held at once."""

    works: Foresights
    facts: Log
    rounds_max: int

    async def moves(self, change: FactAboutThePast, *, newer_than: int) -> WhatItMoves:
        """Return what a change would do, or how far that is worked out."""
        key = f"{change.TYPE} {orjson.dumps(change.to_json()).decode()}"
        work = partial(self._foresee, change)
        try:
            found = await self.ask(key, work, newer_than=newer_than)
        except TooLongToTryError:
            return WhatItMoves(None, TOO_LONG)
        if isinstance(found, ForeseenChange) and found.effect is None:
            return WhatItMoves(None, NOT_POSSIBLE)
        return WhatItMoves(found)

    async def ask(
        self, key: str, work: Callable[[Progress], Awaitable[Outcome]], *, newer_than: int
    ) -> Outcome | Underway:
        """Return what some work on the facts finds. Raises LogUnavailable, and what it raises."""
        try:
            end = (await unless_away(self.facts.tail())).seq
            asked = self.works.ask(key, work, end=end, newer_than=newer_than)
            return await unless_away(asked)
        except LogAway:
            raise LogUnavailable from None

    async def _foresee(self, change: FactAboutThePast, progress: Progress) -> ForeseenChange:
        return await foresee_change(self.facts, change, progress, rounds_max=self.rounds_max)
