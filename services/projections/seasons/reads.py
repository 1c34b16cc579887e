"""Answers what was played in a source's sessions, as that source may see it."""

from collections.abc import Mapping, Sequence
from datetime import date

from services.projections.answering.correcting import shown_correcting
from services.projections.answering.reading import ViewReader
from services.projections.seasons.answers import PlayedSeason, PresentRating, season_players
from services.projections.seasons.queries import read_present, read_season
from shared.answers import points
from shared.rating.bands import band_of
from shared.seated import read_people


async def answer_season(reader: ViewReader, source: str, first: date, last: date) -> PlayedSeason:
    """Return who played between two days, both of them included, for the source alone."""
    added = await read_season(reader, source, first, last)
    players = None
    if added.sat is not None:
        ids = [each.player_id for each in added.sat]
        people = await read_people(reader.fetch_plain, ids, source=source)
        players = list(season_players(added.sat, people))
    return {
        "correcting": shown_correcting(added.correcting),
        "sessions": added.sessions,
        "players": players,
    }


async def answer_present(
    reader: ViewReader, player_ids: Sequence[str]
) -> Mapping[str, PresentRating]:
    """Return where players stand now; whoever is not public is not in it."""
    return {
        row["player_id"]: {
            "name": row["name"],
            "rating_centi": row["rating_centi"],
            "rating": points(row["rating_centi"]),
            "games": row["games"],
            "band": band_of(row["rating_centi"]).name,
            "is_verified": row["is_verified"],
        }
        for row in await read_present(reader, player_ids)
    }
