"""Answers who a player is now, and whom a search finds: for everyone who asks, in one shape."""

from collections.abc import Mapping
from typing import Any

import asyncpg

from services.projections.answering.correcting import shown_correcting
from services.projections.answering.reading import ViewReader
from services.projections.profiles.answers import FoundPlayer, Profile, SearchAnswer
from services.projections.profiles.queries import read_profile
from services.projections.search.queries import find_players
from shared.answers import points
from shared.rating.bands import band_of


async def answer_profile(reader: ViewReader, player_id: str) -> Profile:
    """Return a public player's current standing. Raises NoPublicPlayer."""
    return shown_profile(dict(await read_profile(reader, player_id)))


async def answer_search(reader: ViewReader, words: str, limit: int) -> SearchAnswer:
    """Return the public players that a search finds. Raises SearchTakesTooLong."""
    found = await find_players(reader, words, limit)
    return {
        "q": words,
        "seq": found.seq,
        "correcting": shown_correcting(found.correcting),
        "players": [_found(row) for row in found.players],
    }


def _found(row: asyncpg.Record) -> FoundPlayer:
    return {
        "player_id": row["player_id"],
        "name": row["name"],
        "rating": points(row["rating_centi"]),
        "band": band_of(row["rating_centi"]).name,
        "games": row["games"],
        "is_verified": row["is_verified"],
    }


def shown_profile(row: Mapping[str, Any]) -> Profile:
    """Return a row of profiles as everyone may see it."""
    return {
        "player_id": row["player_id"],
        "name": row["name"],
        "is_verified": row["is_verified"],
        "tier": "verified" if row["is_verified"] else "provisional",
        "rating": points(row["rating_centi"]),
        "band": band_of(row["rating_centi"]).name,
        "games": row["games"],
        "mahjongs": row["mahjongs"],
        "verified_rating": points(row["verified_rating_centi"]),
        "verified_games": row["verified_games"],
        "global_rank": row["global_place"],
        "region": row["region"],
        "sessions": row["sessions"],
        "last_played": row["last_session_date"],
        "seq": row["seq"],
        "fact_seq": row["fact_seq"],
        "correcting": shown_correcting(row["correcting"]),
    }
