"""Looks up how people appear in public answers: by id and chosen name, or not at all."""

from collections.abc import Iterable
from typing import Final

from services.projections.answering.names import Names
from services.projections.answering.reading import ViewReader
from shared.errors import UnknownPlayer

# A player who is merged into another appears as that player.
READ_NAMES: Final = """
SELECT asked.player_id AS asked, public.player_id, COALESCE(public.name, public.player_id) AS name
FROM unnest($1::text[]) AS asked (player_id)
JOIN mahjic.read_players AS read ON read.player_id = asked.player_id
JOIN mahjic.public_players AS public ON public.player_id = read.survivor_id
"""
# The same for somebody who reads about themselves: $2, who may be private.
READ_NAMES_FOR_ONE: Final = """
SELECT asked.player_id AS asked, own.player_id, COALESCE(own.name, own.player_id) AS name
FROM unnest($1::text[]) AS asked (player_id)
JOIN mahjic.read_players AS read ON read.player_id = asked.player_id
JOIN mahjic.own_players AS own ON own.player_id = read.survivor_id
WHERE own.player_id = $2 OR EXISTS (
    SELECT FROM mahjic.public_players AS public WHERE public.player_id = own.player_id
)
"""


class NoPublicPlayer(UnknownPlayer):
    """No public player has this id. Private and unknown players get the same answer."""

    def __init__(self) -> None:
        super().__init__("No public player has this Mahjic ID. Check it, or search for the player.")


async def read_names(reader: ViewReader, player_ids: Iterable[str]) -> Names:
    """Look up which of these players the reader may see, and under which id and name."""
    asked, oneself = sorted(set(player_ids)), reader.oneself
    if oneself is None:
        rows = await reader.fetch_plain(READ_NAMES, asked)
    else:
        rows = await reader.fetch_plain(READ_NAMES_FOR_ONE, asked, oneself)
    return Names({row["asked"]: (row["player_id"], row["name"]) for row in rows})
