"""What is answered to a source that reads what it is told."""

from typing import Annotated, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from shared.notices.kinds import NoticeKind


class NoticedPlayer(TypedDict):
    """A player of an event. What was not moved by it has no numbers."""

    player_id: str
    rating_before: NotRequired[float]
    rating_change: NotRequired[float]
    rating_after: NotRequired[float]
    games: NotRequired[int]
    verified_rating_before: NotRequired[float]
    verified_rating_change: NotRequired[float]
    verified_rating_after: NotRequired[float]
    verified_games: NotRequired[int]


class EventData(TypedDict):
    """What happened. Read what it is about with `min_seq` at `seq` or above."""

    seq: NotRequired[Annotated[int, Field(description="The fact that it stands on.")]]
    session_id: NotRequired[str]
    session_date: NotRequired[str]
    replaces: NotRequired[
        Annotated[
            str | None, Field(description="The session in whose place it counts now, if any.")
        ]
    ]
    players: NotRequired[list[NoticedPlayer]]
    dispute: NotRequired[Annotated[int, Field(description="The number of the dispute.")]]


class EventAnswer(TypedDict):
    """One event: a thing that happened to the sessions or players of a source."""

    number: Annotated[
        int, Field(description="Counts up for this source; some numbers may be missing.")
    ]
    type: NoticeKind
    timestamp: Annotated[str, Field(description="When it happened, in UTC.")]
    source: str
    data: EventData


class EventList(TypedDict):
    """Events in the order of their numbers."""

    events: list[EventAnswer]
    next_after: Annotated[int, Field(description="Pass it as `after` to go on.")]
    is_last: Annotated[bool, Field(description="Whether there are no more yet.")]
