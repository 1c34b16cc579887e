"""All 400 rounds of tests/vectors/rating_history.json, over HTTP, to a service that is served."""

from collections.abc import AsyncIterator

import httpx
import pytest

from tests.chaos.place import OPERATOR, SOURCES
from tests.chaos.site import a_place, a_site
from tests.whole.vectors import (
    STEPS,
    Played,
    assert_answers_have_every_number,
    assert_everybody_became_one_player,
    assert_histories_add_up,
    assert_profiles_show_the_last_numbers,
)


@pytest.fixture(scope="module")
async def played() -> AsyncIterator[Played]:
    """Serve a fresh folder, let all steps happen in order, and wait for the views."""
    with a_place() as place:
        async with (
            a_site(place / "data") as site,
            httpx.AsyncClient(base_url=site.url, timeout=60) as http,
        ):
            played = Played(http, site.keys[SOURCES[1]], site.keys[OPERATOR])
            for number, step in enumerate(STEPS):
                await played.take(number, step)
            async with site.database():
                yield played


async def test_every_number_of_every_round_comes_out_of_the_answers(played: Played) -> None:
    assert_answers_have_every_number(played)


async def test_profiles_show_the_last_numbers(played: Played) -> None:
    await assert_profiles_show_the_last_numbers(played)


async def test_histories_tell_every_change_and_their_sum_is_the_rating_now(played: Played) -> None:
    await assert_histories_add_up(played)


async def test_everybody_became_one_player_and_bob_none(played: Played) -> None:
    assert_everybody_became_one_player(played)
