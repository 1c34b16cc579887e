"""A page of the sessions of a source, as it is answered. Pure."""

from datetime import date, datetime
from typing import Annotated

from pydantic import Field, WithJsonSchema
from typing_extensions import TypedDict

from shared.answers.sessions import NamedPlayer, SessionStatus


class SessionRow(TypedDict):
    """A session in the list of its source."""

    session_id: Annotated[str, Field(examples=["ses_01HZX3Y5ZQ8W6V4T2R0PNMKJHG"])]
    session_date: Annotated[date | None, Field(description="Null only if its fact cannot be read.")]
    game_type: Annotated[str | None, Field(examples=["league"])]
    status: SessionStatus
    counts: Annotated[bool, Field(description="Whether it counts today, as in the session itself.")]
    reason: Annotated[
        str | None, Field(description=("Why it was voided or corrected; otherwise null."))
    ]
    rounds_count: int
    players_count: Annotated[int, Field(description="Everyone who played in it, without Bob.")]
    players: Annotated[
        list[NamedPlayer], Field(description="The ones you may see, by the ids in the session.")
    ]
    # orjson writes a time as such a text; the document has never said more of it.
    submitted_at: Annotated[
        datetime,
        WithJsonSchema({"type": "string"}),
        Field(description="When it was submitted, in UTC (RFC 3339)."),
    ]
    corrects: Annotated[str | None, Field(description="The session that this one replaced.")]
    corrected_by: Annotated[str | None, Field(description="The session that replaced this one.")]
    fact_seq: Annotated[int, Field(description="The place of the session on the log of facts.")]


class SessionList(TypedDict):
    """A page of a source's sessions: the newest day first, and of a day the last submitted."""

    seq: Annotated[int, Field(description="The last fact that the page is based on.")]
    source: Annotated[str, Field(examples=["bam-good-time"])]
    sessions: Annotated[
        list[SessionRow],
        Field(
            description="With a filter, it may be short or empty and still not be the last page."
        ),
    ]
    next_cursor: Annotated[
        str | None, Field(description="For the next page; null on the last one.")
    ]
