"""The answer to looking people up. Pure."""

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict


class LastSession(TypedDict):
    """Your latest session with this person in it that counts."""

    session_id: str
    session_date: str


class NamedBy(TypedDict):
    """A source that had someone in a session, and the last name that it sent."""

    source: str
    name: str | None


class FoundPerson(TypedDict):
    """Someone you had in a session."""

    player_id: Annotated[str, Field(description="The player's id in answers now.")]
    mahjic_id: Annotated[str | None, Field(description="The same; null for anonymous players.")]
    player: Annotated[
        str | None,
        Field(description="The player as you submitted them; for the operator, the address."),
    ]
    name: Annotated[
        str | None, Field(description="The name that you sent last; null if you sent none.")
    ]
    privacy: Literal["public", "private", "anonymous"]
    last_session: Annotated[LastSession | None, Field(description="Null for the operator.")]
    rating: Annotated[
        float | None,
        Field(
            description=(
                "For a public player, today's rating. For others, the rating after your last "
                "session with them, or null while that session is not rated. The operator "
                "always sees today's."
            )
        ),
    ]
    games: int | None
    verified_rating: float | None
    verified_games: int | None
    is_verified: Annotated[bool | None, Field(description="Null for players who are not public.")]
    named_by: Annotated[list[NamedBy], Field(description="For the operator; otherwise empty.")]


class LookUpAnswer(TypedDict):
    """The people you meant, but no one you have never had in a session, on record or not."""

    seq: Annotated[int, Field(description="The last fact that today's ratings are based on.")]
    people: list[FoundPerson]
    has_more: Annotated[bool, Field(description="Whether more people match than are listed.")]
