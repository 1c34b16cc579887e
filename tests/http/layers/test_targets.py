"""A slash that is written as %2F belongs to its segment, however it is written."""

import pytest

from tests.http.service import a_service, talking_to


@pytest.mark.parametrize("slash", ["%2F", "%2f"])
@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/v1/board", 200),
        ("/v1/players/MJ-2", 200),
        ("/v1{slash}board", 404),
        ("{slash}v1/board", 404),
        ("/v1/board{slash}", 404),
        ("/v1{slash}players{slash}MJ-2", 404),
        ("/v1/players{slash}MJ-2", 404),
        ("/v1/players/MJ-2{slash}history", 200),
        ("/v1/pl%61yers/MJ{slash}%32", 200),
        ("/healthz{slash}", 404),
        ("{slash}metrics", 404),
    ],
)
async def test_a_written_slash_ends_no_segment(path: str, slash: str, status: int) -> None:
    async with talking_to(a_service()) as client:
        answer = await client.get(path.format(slash=slash))
    assert answer.status_code == status
    if "players/" in path and status == 200:
        # The route got one segment, whole.
        assert answer.json() == {"id": path.format(slash=slash).split("/")[-1].replace("%32", "2")}


async def test_a_slash_that_was_written_twice_over_is_no_slash_either() -> None:
    async with talking_to(a_service()) as client:
        assert (await client.get("/v1/players%252FMJ-2")).status_code == 404
