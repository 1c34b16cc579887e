"""Through a proxy on which a third of all requests go wrong, each session is on record once."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from mahjic_client import AsyncMahjic, Mahjic, TooBusy
from tests.clients.bad_proxy import BadProxy, bad_proxy
from tests.clients.python.either import HURRIED
from tests.whole.conftest import ServedSite

SESSIONS = 1000
ALL = range(SESSIONS)
AT_ONCE = 8


@pytest.fixture
def proxy(site: ServedSite) -> Iterator[BadProxy]:
    with bad_proxy(site.url, share_wrong=1 / 3) as running:
        yield running


def a_claim(day: str) -> Any:
    """Return one of many sessions that are all alike: only the key tells a repeat from a night."""
    seats = [
        {"email": f"{name}@example.com", "games_played": 4, "mahjongs": mahjongs}
        for name, mahjongs in (("ada", 3), ("bo", 1))
    ]
    return {
        "session_date": day,
        "game_type": "social",
        "allow_duplicate": True,
        "rounds": [{"players": seats, "wall_games": 0}],
    }


def on_record(site: ServedSite, day: str) -> int:
    """Return how many sessions of a day are on the log, asked without the proxy."""
    with Mahjic(site.url, site.keys["auditor"]) as auditor:
        facts = map(json.loads, auditor.facts(limit=10_000))
        return Counter(each["data"].get("session_date") for each in facts)[day]


def test_sessions_of_the_client_that_blocks(site: ServedSite, proxy: BadProxy) -> None:
    day = "2026-03-01"
    with (
        Mahjic(proxy.url, site.keys["source"], patience=HURRIED) as club,
        ThreadPoolExecutor(AT_ONCE) as threads,
    ):
        nights = list(threads.map(lambda _: club.submit_session(**a_claim(day)), ALL))
    assert proxy.went_wrong > SESSIONS / 3
    assert {each["status"] for each in nights} == {"rated"}
    assert len({each["session_id"] for each in nights}) == SESSIONS == on_record(site, day)


async def test_sessions_of_the_client_that_awaits(site: ServedSite, proxy: BadProxy) -> None:
    day, turns = "2026-03-02", asyncio.Semaphore(AT_ONCE)
    async with AsyncMahjic(proxy.url, site.keys["source"], patience=HURRIED) as club:

        async def night(_: int) -> Any:
            async with turns:
                return await club.submit_session(**a_claim(day))

        nights = await asyncio.gather(*map(night, ALL))
    assert proxy.went_wrong > SESSIONS / 3
    assert {each["status"] for each in nights} == {"rated"}
    ids = {each["session_id"] for each in nights}
    assert len(ids) == SESSIONS == await asyncio.to_thread(on_record, site, day)


@pytest.mark.parametrize("kind", [Mahjic, AsyncMahjic])
async def test_the_lines_of_a_batch(site: ServedSite, proxy: BadProxy, kind: type) -> None:
    day = "2026-03-03" if kind is Mahjic else "2026-03-04"
    lines = [a_claim(day)] * (SESSIONS + 200)
    club = kind(proxy.url, site.keys["source"], patience=HURRIED)
    if isinstance(club, Mahjic):
        answers = await asyncio.to_thread(club.submit_batch, lines, wait=0)
        club.close()
    else:
        answers = await club.submit_batch(lines, wait=0)
        await club.close()
    assert [each["line"] for each in answers] == list(range(1, len(lines) + 1))
    ids = {each["session"]["session_id"] for each in answers}
    assert len(ids) == len(lines) == await asyncio.to_thread(on_record, site, day)


def test_a_line_on_which_nothing_comes_through_is_given_up(site: ServedSite) -> None:
    with bad_proxy(site.url, share_wrong=1.0, seed=3) as proxy:
        with Mahjic(proxy.url, patience=HURRIED) as public, pytest.raises(TooBusy):
            public.get_formula()
        assert proxy.came.total() == HURRIED.tries_max
