"""Reads the Mahjic ID in the path of a request, and distinguishes a mistyped one from an unknown
one."""

from typing import Annotated

from fastapi import Path

from shared.errors import MahjicError
from shared.ids import PLAYER_ID_CHARACTERS_MAX, MistypedPlayerIdError, read_player_id

PlayerIdPath = Annotated[
    str,
    Path(
        max_length=PLAYER_ID_CHARACTERS_MAX,
        description="A Mahjic ID. Upper or lower case; O is read as 0, I and L as 1.",
        examples=["MJ-7K3Q9XZM"],
    ),
]


class MistypedPlayerId(MahjicError):
    """The text can't be a Mahjic ID, or its check character does not fit."""

    code = "mistyped_player_id"
    title = "The Mahjic ID is mistyped"
    status = 422


def read_id(text: str) -> str:
    """Return the canonical form of a Mahjic ID that a person typed. Raises MistypedPlayerId."""
    try:
        return read_player_id(text)
    except MistypedPlayerIdError as error:
        raise MistypedPlayerId(str(error)) from None
