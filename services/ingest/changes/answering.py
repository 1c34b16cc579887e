"""The path of every change to the past: decide, wait for the effect, answer.

Once it is decided, the change is in force, whatever happens next. If the effect takes too long to
compute, the answer comes without it, and is not an error.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final, Generic, TypeAlias, TypeVar

from services.ingest.record.deciding import Decider
from services.ingest.record.ids_and_times import IdsAndTimes
from services.ingest.submit import LOOK_AGAIN_S, RunningKeys, Seats
from services.ingest.waiting import Verdicts
from shared.answers.effects import EffectAnswer, effect_answer
from shared.events.verdicts import VerdictEvent
from shared.log.postgres import Connection

Body_co = TypeVar("Body_co", covariant=True)

# What its sender writes beside a change, in the transaction that decides it. It is called once the
# head is locked.
Beside: TypeAlias = Callable[[Connection], Awaitable[None]]

# Many may wait while everyone is rated again. The log tells them when that is done.
LOOK_AGAIN_S_MAX: Final = 3.0


@dataclass(frozen=True, slots=True)
class ChangePorts:
    """What changing the past needs from outside. The wiring hands it in.

    `stored` looks up a verdict in the sessions view: what it says about some players, or its first
    part. `seats` says who sat in a session on record, as in submitting.
    """

    recorder: Decider
    verdicts: Verdicts
    running: RunningKeys
    stored: Callable[[int, AbstractSet[str] | None], Awaitable[VerdictEvent | None]]
    seats: Seats
    ids_and_times: IdsAndTimes
    days_max: int


@dataclass(frozen=True, slots=True)
class ChangeAnswer(Generic[Body_co]):
    """The answer to a change. `is_final` is false while its effect is not known yet."""

    body: Body_co
    is_final: bool
    is_replayed: bool = False
    by_key: bool = False


async def holding_key(
    key_print: bytes | None, deadline_s: float, ports: ChangePorts
) -> contextlib.AbstractContextManager[None]:
    """Wait until no other request is using the key, if one was sent. Raises RequestInProgress."""
    if key_print is None:
        return contextlib.nullcontext()
    return await ports.running.take(key_print, deadline_s)


async def verdict_on(
    fact_seq: int,
    deadline_s: float,
    ports: ChangePorts,
    *,
    shown_to: AbstractSet[str] | None = None,
) -> VerdictEvent | None:
    """Return the first part of the verdict on a change to the past, if it comes in time.

    New verdicts are found on the log, older ones in the view. The view also has what the verdict
    says about the players in `shown_to`, who may not be in the first part of a long one.
    """
    loop = asyncio.get_running_loop()
    look_again_s = LOOK_AGAIN_S
    with ports.verdicts.expect(fact_seq) as expected:
        while True:
            verdict = await ports.stored(fact_seq, shown_to)
            if verdict is None:
                verdict = await expected.by(min(deadline_s, loop.time() + look_again_s))
            if verdict is not None or loop.time() >= deadline_s:
                return verdict
            look_again_s = min(2 * look_again_s, LOOK_AGAIN_S_MAX)


def effect_of(
    fact_seq: int, verdict: VerdictEvent | None, *, shown_to: AbstractSet[str] | None
) -> EffectAnswer | None:
    """Return what a fact did, as far as the caller may see it. None while that is not known."""
    return None if verdict is None else effect_answer(fact_seq, verdict, shown_to=shown_to)
