"""The two examples of the founding documents, with every number worked out by hand.

Formula: K = 32 for new players; a pair gains K * (S - E) and a bonus of the difference in points
divided by 50. Everybody starts at 1500, so E is 0.5 but where it is said.
"""

from typing import Any

from tests.ingest.claims import a_round, a_session
from tests.service import RunningService

NIGHT_ONE = {"alice@ex.com": 2, "bob@ex.com": 1, "carol@ex.com": 1, "dave@ex.com": 0}
NIGHT_TWO = {"alice@ex.com": 1, "eve@ex.com": 2, "frank@ex.com": 0, "george@ex.com": 0}


def numbers(results: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [
        (each["player"], each["rating_before"], each["rating_change"], each["rating_after"])
        for each in results
    ]


async def test_the_example_session(service: RunningService) -> None:
    claim = a_session(
        a_round(
            {
                "alice@example.com": 2,
                "bob@example.com": 2,
                "carol@example.com": 1,
                "PRIVATE:dave@example.com": 0,
            },
            wall_games=1,
            points=[125, 80, 45, -50],
        ),
        game_type="league",
        source_id="bam-good-time",
    )
    answer = await service.submit(claim, await service.source_key("bam-good-time", kind="platform"))
    assert answer.status_code == 201
    assert numbers(answer.json()["results"]) == [
        # A tie with Bob (0 + 0.9), wins over Carol (16 + 1.6) and Dave (16 + 3.5).
        ("alice@example.com", 1500, 38.0, 1538.0),
        # -0.9 + (16 + 0.7) + (16 + 2.6).
        ("bob@example.com", 1500, 34.4, 1534.4),
        # -(16 + 1.6) - (16 + 0.7) + (16 + 1.9).
        ("carol@example.com", 1500, -16.4, 1483.6),
        # -(16 + 3.5) - (16 + 2.6) - (16 + 1.9).
        ("PRIVATE:dave@example.com", 1500, -56.0, 1444.0),
    ]
    assert [each["games_played_total"] for each in answer.json()["results"]] == [6, 6, 6, 6]
    (warning,) = answer.json()["warnings"]
    assert (warning["pointer"], warning["code"]) == ("/rounds/0", "points_do_not_sum_to_zero")


async def test_the_league_night(service: RunningService) -> None:
    claim = a_session(
        a_round(NIGHT_ONE, points=[125, 80, 45, -50]),
        a_round(NIGHT_TWO, wall_games=1, points=[60, 110, 40, -10]),
        game_type="league",
        source_id="columbus-mahjong-league",
    )
    key = await service.source_key("columbus-mahjong-league", kind="league")
    answer = await service.submit(claim, key)
    assert answer.status_code == 201
    first, second = answer.json()["rounds"]
    assert numbers(first["results"]) == [
        # (16 + 0.9) + (16 + 1.6) + (16 + 3.5).
        ("alice@ex.com", 1500, 54.0, 1554.0),
        # -(16 + 0.9) + (0 + 0.7) + (16 + 2.6).
        ("bob@ex.com", 1500, 2.4, 1502.4),
        # -(16 + 1.6) - 0.7 + (16 + 1.9).
        ("carol@ex.com", 1500, -0.4, 1499.6),
        # -(16 + 3.5) - (16 + 2.6) - (16 + 1.9).
        ("dave@ex.com", 1500, -56.0, 1444.0),
    ]
    # Alice is 54 points above the others now: E = 1 / (1 + 10^(-54/400)) = 0.5770925, so a win
    # gives her 32 * 0.4229075 = 13.53304, and a loss costs her 18.46696.
    assert numbers(second["results"]) == [
        # (-18.46696 - 1) + (13.53304 + 0.4) + (13.53304 + 1.4) = 9.39912.
        ("alice@ex.com", 1554.0, 9.4, 1563.4),
        # (18.46696 + 1) + (16 + 1.4) + (16 + 2.4) = 55.26696.
        ("eve@ex.com", 1500, 55.27, 1555.27),
        # (-13.53304 - 0.4) - (16 + 1.4) + (0 + 1) = -30.33304.
        ("frank@ex.com", 1500, -30.33, 1469.67),
        # (-13.53304 - 1.4) - (16 + 2.4) - 1 = -34.33304.
        ("george@ex.com", 1500, -34.33, 1465.67),
    ]
    alice = answer.json()["results"][0]
    assert (alice["player"], alice["rating_before"], alice["rating_after"]) == (
        "alice@ex.com",
        1500,
        1563.4,
    )
    assert alice["rating_change"] == 63.4
    assert alice["games_played_total"] == 8
    assert [each["pointer"] for each in answer.json()["warnings"]] == ["/rounds/0", "/rounds/1"]
