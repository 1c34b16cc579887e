"""Round after round of errands, with a fault at a random instant of each."""

import asyncio
import os
import random
import time
from collections.abc import Awaitable, Callable, Iterable
from itertools import islice
from typing import TypeVar

from tests.chaos.claims import errands
from tests.chaos.clients import Crowd
from tests.chaos.operator import Operator
from tests.chaos.place import Place

P = TypeVar("P", bound=Place)

ERRANDS_PER_ROUND = 20
OPERATOR_ACTS_PER_ROUND = 2
# From an answer to the fault: long enough to fall anywhere into the work on the next ones.
JITTER_S_MAX = 0.03


def rounds_wanted(usual: int) -> int:
    """Return how many rounds were asked for, or else the usual number."""
    return int(os.environ.get("MAHJIC_CHAOS_ROUNDS") or usual)


def seed_wanted() -> int:
    """Return the seed that was asked for, or else any."""
    return int(os.environ.get("MAHJIC_CHAOS_SEED") or random.SystemRandom().randrange(2**32))


def announced(rounds: int, seed: int) -> random.Random:
    """Return the chances of a seed, and say how to have all the same again."""
    print(f"MAHJIC_CHAOS_ROUNDS={rounds} MAHJIC_CHAOS_SEED={seed}")  # noqa: T201
    return random.Random(seed)


async def break_again_and_again(
    place: P,
    crowd: Crowd,
    faults: Iterable[Callable[[P, Crowd, random.Random], Awaitable[None]]],
    chances: random.Random,
) -> Operator:
    """Let a fault happen in the middle of each round of errands; all of them are answered.

    Returns the operator who was at work meanwhile.
    """
    operator = Operator(crowd)
    await operator.register_regulars()
    supply = errands(chances)
    for number, fault in enumerate(faults, start=1):
        some = list(islice(supply, ERRANDS_PER_ROUND))
        instant = len(crowd.answers) + chances.randrange(ERRANDS_PER_ROUND)
        jitter_s = chances.uniform(0, JITTER_S_MAX)
        vain, began_s = crowd.tries_in_vain, time.monotonic()
        async with asyncio.TaskGroup() as group:
            group.create_task(crowd.send_all(some))
            group.create_task(_act_often(operator, random.Random(chances.random())))
            await crowd.answered(instant)
            await asyncio.sleep(jitter_s)
            await fault(place, crowd, chances)
        place.assert_alive()
        took = f"{time.monotonic() - began_s:.1f} s, {crowd.tries_in_vain - vain} tries in vain"
        print(f"{number}: {fault.__name__}, {took}")  # noqa: T201
    return operator


async def _act_often(operator: Operator, chances: random.Random) -> None:
    for _ in range(OPERATOR_ACTS_PER_ROUND):
        await operator.act(chances)
