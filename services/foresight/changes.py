"""What a change to the past would move, worked out as the rater would, and told as it is told.

Nothing is changed: the facts are read, the change is added to what was read, and that is rated.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from services.foresight.season import Progress, Season, read_season
from services.rater.correct import NoCheckpoints, correct
from services.rater.state import State
from services.rater.threads import in_a_thread
from shared.answers.effects import EffectAnswer, effect_answer
from shared.events.verdicts import FactRefused
from shared.log.port import Log
from shared.replay.chronicle import FactAboutThePast
from shared.replay.replay import Replay


@dataclass(frozen=True, slots=True)
class ForeseenChange:
    """What a change would do to the ratings as of a fact. None if it is not possible."""

    as_of: int
    effect: EffectAnswer | None


async def foresee_change(
    facts: Log, change: FactAboutThePast, progress: Progress, *, rounds_max: int
) -> ForeseenChange:
    """Return what a change would do as of the end of the log. Raises what `read_season` does."""
    end = await facts.tail()
    season = await read_season(facts, end.seq, progress, rounds_max=rounds_max)
    return await in_a_thread(partial(foreseen, season, change))


def foreseen(
    season: Season, change: FactAboutThePast, check_stopped: Callable[[], None]
) -> ForeseenChange:
    """Return what a change would do after a season. The season can't be used afterward."""
    now = Replay(season.chronicle, season.as_of)
    for _ in now.stretches(season.as_of + 1):
        check_stopped()
    state = State(season.chronicle)
    state.put(now.standings)
    verdict = correct(state, season.as_of + 1, change, NoCheckpoints(), check_stopped)
    if isinstance(verdict, FactRefused):
        return ForeseenChange(season.as_of, None)
    told = effect_answer(season.as_of + 1, verdict.part(1), shown_to=None)
    return ForeseenChange(season.as_of, told)
