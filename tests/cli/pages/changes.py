"""Changes of a rating as the service tells them, and explains them."""

from typing import Any

ADA = "MJ-7K3Q9XZM"
PROBLEM = "application/problem+json"


def change(number: int, day: str, before: float, moved: float) -> dict[str, Any]:
    pool = {
        "rating_before": before,
        "rating_change": moved,
        "rating_after": before + moved,
        "games_before": 0,
        "games_after": 4,
    }
    return {
        "type": "round",
        "change_id": f"{ADA}.{number}.1",
        "fact_seq": number,
        "played_as": None,
        "voided": False,
        "superseded_by": None,
        "session_id": "ses_1",
        "source": {"slug": "columbus", "name": "Columbus"},
        "session_date": day,
        "game_type": "social",
        "round_number": 1,
        "games_played": 4,
        "wall_games": 1,
        "mahjongs": 3,
        "points": None,
        "mahjic": pool,
        "verified": pool,
        "opponents": [],
    }


def line(player: str, gain_nano: int) -> dict[str, Any]:
    return {
        "player_id": None,
        "player": player,
        "rating_before": 1600.0,
        "expected": 0.359935,
        "actual": 1.0,
        "k": 32,
        "points_bonus": -2.5,
        "pair_gain": gain_nano / 1e9,
        "pair_gain_nano": gain_nano,
    }


def correction(number: int, before: float, moved: float, **told: object) -> dict[str, Any]:
    pool = change(number, "2026-02-07", before, moved)["mahjic"]
    return {
        "type": "correction",
        "change_id": f"{ADA}.{number}",
        "played_as": None,
        "fact_seq": number,
        "corrected_on": "2026-02-09",
        "cause": "void",
        "reason": "entered_twice",
        "sessions": ["ses_1"],
        "sessions_count": 1,
        "replaced_by": None,
        "merged": None,
        "formula": None,
        "mahjic": pool,
        "verified": pool | {"rating_change": 0.0, "rating_after": before},
        **told,
    }


UNCOUNTED = {
    "counted": False,
    "rating_before": 1500.0,
    "games_before": 0,
    "lines": [],
    "sum_nano": 0,
    "divided_by": 1,
    "rounding_nano": 0,
    "rating_change": 0.0,
    "rating_after": 1500.0,
}
WHY: dict[str, Any] = {
    "type": "round",
    "seq": 17,
    "change_id": f"{ADA}.9.1",
    "fact_seq": 9,
    "played_as": None,
    "voided": False,
    "superseded_by": None,
    "corrections": [],
    "player_id": ADA,
    "session_id": "ses_1",
    "source": {"slug": "columbus", "name": "Columbus"},
    "session_date": "2026-02-07",
    "game_type": "league",
    "round_number": 1,
    "games_played": 4,
    "mahjongs": 3,
    "points": 120.0,
    "formula": "mahjic-elo/1",
    "mahjic": UNCOUNTED
    | {
        "counted": True,
        "lines": [line("Bo", 17_982_080_000), line("a private player", -2_000_000_000)],
        "sum_nano": 15_982_080_000,
        "rounding_nano": -2_080_000,
        "rating_change": 15.98,
        "rating_after": 1515.98,
    },
    "verified": UNCOUNTED,
}


def in_pools(before: float, moved: float) -> dict[str, Any]:
    pool = change(9, "2026-02-07", before, moved)["mahjic"]
    return {"mahjic": pool, "verified": pool | {"games_after": 0, "rating_change": 0.0}}


def changed_round(session: str, **numbers: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "session_id": session,
        "source": {"slug": "columbus", "name": "Columbus"},
        "session_date": "2026-01-31",
        "game_type": "social",
        "round_number": 2,
        **numbers,
    }


WHY_CORRECTED: dict[str, Any] = {
    **correction(20, 1520, -32.5),
    "player_id": ADA,
    "seq": 21,
    "players_moved": 3,
    "rounds_count": 2,
    "rounds": [
        changed_round("ses_1", before=in_pools(1500, 30), after=None),
        changed_round("ses_2", before=in_pools(1530, -10), after=in_pools(1500, -12.5)),
    ],
    "next_cursor": None,
}
