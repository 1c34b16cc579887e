"""Says how people appear in public answers: by id and chosen name, or not at all."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel, Field

from services.projections.answering.reading import ViewReader
from shared.http.player_ids import UnknownPlayer
from shared.ids import BOB

PRIVATE_PLAYER: Final = "a private player"
BOB_NAME: Final = "Bob (imaginary player)"

# Whoever is merged into another appears as that one. Few are, so few chains are followed.
READ_NAMES: Final = """
SELECT asked.player_id AS asked, public.player_id, COALESCE(public.name, public.player_id) AS name
FROM unnest($1::text[]) AS asked (player_id)
JOIN mahjic.players AS players ON players.player_id = asked.player_id
JOIN mahjic.public_players AS public ON public.player_id = CASE
    WHEN players.merged_into IS NULL THEN players.player_id
    ELSE mahjic.survivor(players.player_id)
END
"""


class NoPublicPlayer(UnknownPlayer):
    """Nobody whom the public may see has the id; private and unknown players are one answer."""

    def __init__(self) -> None:
        super().__init__("No public player has this Mahjic ID. Check it, or search for the player.")


class Opponent(BaseModel):
    """Somebody at the table, as everybody may see them."""

    player_id: str | None = Field(
        description="The Mahjic ID; null for a private player and for Bob.",
        examples=["MJ-7K3Q9XZM"],
    )
    player: str = Field(
        description=f"The public name, else the Mahjic ID; `{PRIVATE_PLAYER}` or `{BOB_NAME}`.",
        examples=["Ada"],
    )


@dataclass(frozen=True, slots=True)
class Names:
    """As whom the public ones among some players appear: each one's id and name by the id asked."""

    public: Mapping[str, tuple[str, str]]

    def shown(self, player_id: str) -> dict[str, str | None]:
        """Return how a player at the table is shown: an Opponent."""
        if player_id == BOB:
            return {"player_id": None, "player": BOB_NAME}
        if player_id not in self.public:
            return {"player_id": None, "player": PRIVATE_PLAYER}
        shown_id, name = self.public[player_id]
        return {"player_id": shown_id, "player": name}


async def read_names(reader: ViewReader, player_ids: Iterable[str]) -> Names:
    """Look up who of these players is public now, under which id and name."""
    rows = await reader.fetch_plain(READ_NAMES, sorted(set(player_ids)))
    return Names({row["asked"]: (row["player_id"], row["name"]) for row in rows})
