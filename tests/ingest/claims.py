"""Builds claims as a source would send them, and reads them as the service does."""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from services.ingest.claim.checks import CheckedSession
from services.ingest.claim.reading import read_session
from shared.errors import ClaimRefused

Claim = dict[str, Any]

TODAY_LATEST = date(2026, 3, 1)
DAY = "2026-01-31"
SOURCE = "a-club"


def a_seat(who: str, *, games: int, mahjongs: int, **more: Any) -> Claim:
    """Return a seat; a plain name stands for an address."""
    email = who if "@" in who or ":" in who else f"{who}@example.com"
    return {"email": email, "games_played": games, "mahjongs": mahjongs, **more}


def a_round(
    mahjongs: Mapping[str, int] | None = None,
    *,
    wall_games: int = 0,
    points: Sequence[float] | None = None,
    ref: str | None = None,
    **by_name: int,
) -> Claim:
    """Return a round that adds up: `a_round(ada=2, bo=1)`, or by any texts in a mapping."""
    won = {**(mahjongs or {}), **by_name}
    games = sum(won.values()) + wall_games
    players = [a_seat(who, games=games, mahjongs=count) for who, count in won.items()]
    for seat, each in zip(players, points or [], strict=points is not None):
        seat["points"] = each
    return {
        "players": players,
        "wall_games": wall_games,
        **({} if ref is None else {"ref": ref}),
    }


def a_session(*rounds: Claim, on: str = DAY, game_type: str = "social", **more: Any) -> Claim:
    """Return a session of rounds."""
    return {"session_date": on, "game_type": game_type, "rounds": list(rounds), **more}


def read(claim: Any, *, source: str = SOURCE, today_latest: date = TODAY_LATEST) -> CheckedSession:
    """Read a claim as the service does; text is taken as the body itself."""
    raw = claim.encode() if isinstance(claim, str) else json.dumps(claim).encode()
    return read_session(raw, source=source, today_latest=today_latest)


def mistakes_in(claim: Any, **more: Any) -> set[tuple[str, str]]:
    """Return the pointer and code of every mistake in a claim; none if it is lawful."""
    try:
        read(claim, **more)
    except ClaimRefused as refused:
        found = [(each.pointer, each.code) for each in refused.mistakes]
        assert len(set(found)) == len(found), f"Something is reported twice: {found}"
        return set(found)
    return set()
