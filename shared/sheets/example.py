"""The example in the template; its rows are not real players, and are refused if left in."""

from collections.abc import Mapping
from typing import Any, Final

_NIGHT: Final = (
    (0, (("alice", 2, 75), ("bob", 1, 25), ("carol", 1, -30), ("dave", 0, -70))),
    (1, (("alice", 1, 20), ("eve", 2, 65), ("frank", 0, -25), ("george", 0, -60))),
)
EXAMPLE: Final[Mapping[str, Any]] = {
    "session_date": "2026-01-31",
    "game_type": "league",
    "rounds": [
        {
            "players": [
                {
                    "email": f"{name}@example.com",
                    "games_played": 4,
                    "mahjongs": mahjongs,
                    "points": points,
                }
                for name, mahjongs, points in players
            ],
            "wall_games": wall_games,
        }
        for wall_games, players in _NIGHT
    ],
}
_SEATS: Final = frozenset(
    (seat["email"], seat["mahjongs"], seat["points"])
    for played in EXAMPLE["rounds"]
    for seat in played["players"]
)


def is_example(seat: Mapping[str, Any]) -> bool:
    """Return whether a player's part of a claim is an unchanged row of the example."""
    email = str(seat.get("email", "")).strip().lower()
    return (email, seat.get("mahjongs"), seat.get("points")) in _SEATS
