"""A place on the leaderboard leads to the page that shows it."""

import pytest

from services.site.boards.choices import path_of_place


@pytest.mark.parametrize(
    ("place", "path"),
    [
        (1, "/leaderboard"),
        (50, "/leaderboard"),
        (51, "/leaderboard?page=2"),
        (100, "/leaderboard?page=2"),
        (1_234, "/leaderboard?page=25"),
    ],
)
def test_a_place_leads_to_its_page(place: int, path: str) -> None:
    assert path_of_place(place) == path
