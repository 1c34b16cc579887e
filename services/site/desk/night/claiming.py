"""Makes the claim of a complete night: what a program would send to `/v1/sessions`. Pure."""

from typing import Any

from services.site.desk.night.numbers import read_count, read_games, read_points
from services.site.desk.night.seated import AtTable, WhoSits
from services.site.desk.night.typed import TypedNight, TypedSeat, TypedTable


def claim_of(night: TypedNight, seated: WhoSits) -> dict[str, Any]:
    """Return the claim of a night in which nothing is missing. Empty tables are left out."""
    rounds = [_round(table, night, seated) for table in night.tables if not table.is_empty]
    return {"session_date": night.day, "game_type": night.kind, "rounds": rounds}


def _round(table: TypedTable, night: TypedNight, seated: WhoSits) -> dict[str, Any]:
    games = read_games(table.games)
    players = [
        {**_person(seat, seated), "games_played": games, **_result(seat, night)}
        for seat in table.seats
        if seat.who
    ]
    return {"players": players, "wall_games": read_count(table.wall) or 0}


def _person(seat: TypedSeat, seated: WhoSits) -> dict[str, Any]:
    who = seated.who(seat.who)
    assert isinstance(who, AtTable), "Nothing is missing, so everybody is known."
    return {"email": who.sent} if who.name is None else {"email": who.sent, "name": who.name}


def _result(seat: TypedSeat, night: TypedNight) -> dict[str, Any]:
    result: dict[str, Any] = {"mahjongs": read_count(seat.won) or 0}
    if night.has_points:
        result["points"] = read_points(seat.points)
    return result
