"""The league night with which the demo begins: the example of the rating's founding document."""

from typing import Any, Final

LEAGUE_NIGHT: Final[dict[str, Any]] = {
    "source_id": "columbus-mahjong-league",
    "session_date": "2026-01-31",
    "game_type": "league",
    "rounds": [
        {
            "players": [
                {"email": "alice@ex.com", "games_played": 4, "mahjongs": 2, "points": 125},
                {"email": "bob@ex.com", "games_played": 4, "mahjongs": 1, "points": 80},
                {"email": "carol@ex.com", "games_played": 4, "mahjongs": 1, "points": 45},
                {"email": "dave@ex.com", "games_played": 4, "mahjongs": 0, "points": -50},
            ],
            "wall_games": 0,
        },
        {
            "players": [
                {"email": "alice@ex.com", "games_played": 4, "mahjongs": 1, "points": 60},
                {"email": "eve@ex.com", "games_played": 4, "mahjongs": 2, "points": 110},
                {"email": "frank@ex.com", "games_played": 4, "mahjongs": 0, "points": 40},
                {"email": "george@ex.com", "games_played": 4, "mahjongs": 0, "points": -10},
            ],
            "wall_games": 1,
        },
    ],
}
