"""The town is what the tests of its pages take it for."""

from typing import Any

import pytest

from tests.browser import townsfolk as folk
from tests.browser.town import Town

START = 1500.0


async def read(town: Town, who: str) -> dict[str, Any]:
    """Read of somebody what everybody may."""
    answer = await town.client.get(f"/v1/players/{town.ids[who]}")
    assert answer.status_code == 200, f"{who} is {answer.status_code}"
    return dict(answer.json())


async def test_everybody_has_played_what_they_are_there_for(town: Town) -> None:
    assert (await read(town, folk.ONCE))["games"] == 4
    assert (await read(town, folk.OFTEN))["games"] >= 3 * folk.OFTEN_SESSIONS
    voided = await read(town, folk.VOIDED)
    assert (voided["games"], voided["rating"]) == (0, START)
    assert (await read(town, folk.PEAK))["rating"] < START < town.peak_taken_back
    for who, name in folk.ODD_NAMES.items():
        assert (await read(town, who))["name"] == name


async def test_sixty_people_share_a_place(town: Town) -> None:
    board = (await town.client.get("/v1/leaderboard", params={"limit": 200})).json()["players"]
    equal = [each for each in board if each["verified_rating"] == START]
    assert len(equal) >= len(folk.EQUALS) == 60
    assert len({each["place"] for each in equal}) == 1


async def test_two_letters_find_several(town: Town) -> None:
    answer = await town.client.get("/v1/players/search", params={"q": folk.SEVERAL})
    assert len(answer.json()["players"]) > 1


@pytest.mark.parametrize(("who", "status"), [(folk.HIDDEN, 404), (folk.ERASED, 404)])
async def test_nobody_reads_of_those_who_are_hidden_or_erased(
    town: Town, who: str, status: int
) -> None:
    answer = await town.client.get(f"/v1/players/{town.ids[who]}")
    assert answer.status_code == status


async def test_who_is_merged_is_found_at_the_other(town: Town) -> None:
    answer = await town.client.get(f"/v1/players/{town.ids[folk.MERGED]}")
    assert answer.headers["Location"] == f"/v1/players/{town.ids[folk.MERGED_INTO]}"
