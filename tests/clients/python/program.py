"""A program of somebody else: what it does with the client is held by its types."""
# ruff: noqa: T201 - programs of other people print.

import asyncio

from mahjic_client import AsyncMahjic, Gone, Mahjic, Refused, TooBusy
from mahjic_client.shapes import LineClaim, PlayerAnswer, RoundClaim, SeatClaim, SessionRow


def a_round(winner: str, *others: str) -> RoundClaim:
    """Return a round of one game."""
    won: SeatClaim = {"email": winner, "games_played": 1, "mahjongs": 1}
    lost: list[SeatClaim] = [{"email": each, "games_played": 1, "mahjongs": 0} for each in others]
    return {"players": [won, *lost], "wall_games": 0}


def blocking(mahjic: Mahjic) -> None:
    """Use the client that blocks."""
    rounds = [a_round("ada@example.com", "bo@example.com")]
    night = mahjic.submit_session(session_date="2026-01-31", game_type="social", rounds=rounds)
    results: list[PlayerAnswer] = night["results"]
    gained: float = sum(each["rating_change"] for each in results)
    session_id: str = night["session_id"]
    tried = mahjic.submit_session(
        session_date="2026-01-31", game_type="social", rounds=rounds, dry_run=True
    )
    nothing: None = tried["session_id"]
    voided = mahjic.void_session(session_id, reason="test_entry")
    sessions: list[SessionRow] = list(mahjic.sessions(status="rated"))
    lines: list[LineClaim] = [
        {"session_date": "2026-01-31", "game_type": "social", "rounds": rounds}
    ]
    for answer in mahjic.batch(lines):
        print(answer["line"], answer["status"], gained, nothing, voided["seq"], sessions)


async def awaiting(mahjic: AsyncMahjic) -> None:
    """Use the client that awaits."""
    profile, board = await asyncio.gather(
        mahjic.get_player("MJ-7K3Q9XZM"), mahjic.get_leaderboard(limit=10)
    )
    places: list[int] = [each["place"] for each in board["players"]]
    sheet: bytes = await mahjic.get_sheet_template_xlsx()
    try:
        async for event in mahjic.events(after=7):
            print(event["number"], event["type"], profile["player_id"], places, len(sheet))
    except Gone as gone:
        print(gone.code)
    except TooBusy as busy:
        print(busy.status, [(each.pointer, each.code, each.message) for each in busy.mistakes])
    except Refused as refused:
        print(refused)
