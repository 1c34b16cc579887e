"""The soak itself, small: a run of it proves what a long one does, and its judgment can say no."""

from typing import get_args

import pytest

from tests.soak.memory import MIB, Sample, growths
from tests.soak.report import as_markdown
from tests.soak.seasons import Kind, sessions
from tests.soak.site import Place
from tests.soak.soaking import soak

# Lines of every kind are among the few that it makes.
SEED = 10


@pytest.mark.timeout(1200)  # It starts a dozen programs, one after the other.
async def test_a_small_soak_holds_to_the_last_session() -> None:
    told: list[str] = []
    soaked = await soak(500, SEED, lambda what, _done, _total: told.append(what))
    assert set(soaked.books.kinds) == set(get_args(Kind))
    assert {"Recorded", "Rated", "Shown", "Replaying"} <= set(told)
    page = as_markdown(soaked)
    assert "500 sessions are on record, as the books say" in page
    assert "left nothing new on the log" in page


def test_the_same_seed_makes_the_same_lines_and_another_makes_others() -> None:
    first, again, other = (
        [each.line for each in sessions(300, seed, changes=5)] for seed in (1, 1, 2)
    )
    assert first == again != other


def test_memory_that_grows_with_sessions_is_not_flat() -> None:
    samples = [
        Sample(
            second,
            Place(10_000 * second, 0, 0),
            {"flat": (100 + second % 3) * MIB, "leaking": 100 * MIB + second * 10_000 * 100},
        )
        for second in range(1, 101)
    ]
    flat, leaking = growths(samples)
    assert (flat.process, flat.is_judged, flat.is_flat) == ("flat", True, True)
    assert (leaking.process, leaking.is_judged, leaking.is_flat) == ("leaking", True, False)
