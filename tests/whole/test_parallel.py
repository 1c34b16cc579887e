"""The same rounds, each sent eight times at once over many connections, are recorded once each."""

from collections.abc import AsyncIterator

import pytest

from tests.chaos.by_hand import read_logs
from tests.chaos.place import SOURCES
from tests.chaos.site import a_place, a_site
from tests.whole.crowds import (
    Crowded,
    assert_answered_by_the_rules,
    assert_answered_with_one_session,
    assert_everybody_is_one_player,
    assert_recorded_once,
    send_crowd,
)

COPIES = 8
CLIENTS = 4


@pytest.fixture(scope="module")
async def crowded() -> AsyncIterator[Crowded]:
    """Send all copies of all rounds, and return the answers and the logs."""
    with a_place() as place:
        async with a_site(place / "data") as site:
            rounds = await send_crowd([site.url] * CLIENTS, site.keys[SOURCES[0]], copies=COPIES)
            async with site.database() as pool:
                yield Crowded(rounds, await read_logs(pool))


async def test_each_round_is_recorded_once(crowded: Crowded) -> None:
    assert_recorded_once(crowded)


async def test_all_copies_of_a_round_are_answered_with_its_one_session(crowded: Crowded) -> None:
    assert_answered_with_one_session(crowded)


async def test_every_answer_has_the_numbers_of_a_replay_by_hand(crowded: Crowded) -> None:
    assert_answered_by_the_rules(crowded)


async def test_everybody_at_the_tables_is_one_player(crowded: Crowded) -> None:
    assert_everybody_is_one_player(crowded)
