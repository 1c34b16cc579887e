"""Says how people at a table appear in public answers. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import Field
from typing_extensions import TypedDict

from shared.ids import BOB

PRIVATE_PLAYER: Final = "a private player"
BOB_NAME: Final = "Bob (imaginary player)"


class Opponent(TypedDict):
    """Someone at the table, as anyone may see them."""

    player_id: Annotated[
        str | None,
        Field(
            description="The Mahjic ID; null for a private player and for Bob.",
            examples=["MJ-7K3Q9XZM"],
        ),
    ]
    player: Annotated[
        str,
        Field(
            description=(
                f"The public name, or else the Mahjic ID; `{PRIVATE_PLAYER}` or `{BOB_NAME}`."
            ),
            examples=["Ada"],
        ),
    ]


@dataclass(frozen=True, slots=True)
class Names:
    """How public players appear: the id and name of each, by the id asked for."""

    public: Mapping[str, tuple[str, str]]

    def shown(self, player_id: str) -> Opponent:
        """Return how a player at the table is shown."""
        if player_id == BOB:
            return {"player_id": None, "player": BOB_NAME}
        if player_id not in self.public:
            return {"player_id": None, "player": PRIVATE_PLAYER}
        shown_id, name = self.public[player_id]
        return {"player_id": shown_id, "player": name}
