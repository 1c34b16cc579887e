"""What `make bench` compares pages with holds what the pages read, on a board like a real one."""

import pytest

from bench.load import get
from bench.shown.board import made_up
from bench.shown.site import FIRST_VIEW_BYTES_MAX, measure

pytestmark = pytest.mark.starts_servers

PLAYERS = 60


async def test_the_pages_are_measured_on_a_filled_board() -> None:
    rows = await measure(PLAYERS, rounds=1, seconds=0.2)
    whats = [row.what.partition(",")[0] for row in rows]
    assert whats == [
        "leaderboard page",
        "- bytes of a first view of the leaderboard page",
        "player page",
        "- bytes of a first view of the player page",
    ]
    for row in rows[1::2]:
        assert 2_000 < int(row.figure.replace(",", "")) < FIRST_VIEW_BYTES_MAX
    assert all(row.ratio for row in rows)


def test_pages_are_asked_for_as_browsers_do() -> None:
    assert b"Accept-Encoding: gzip\r\n" in get("/leaderboard")
    assert len({player for player, _ in made_up(PLAYERS)}) == PLAYERS
