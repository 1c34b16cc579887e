"""The answers for one of a source's sessions, and for a page of them. Pure."""

from datetime import date, datetime
from typing import Annotated, TypeAlias

from pydantic import Field, WithJsonSchema
from typing_extensions import TypedDict

from shared.answers.effects import EffectAnswer
from shared.answers.sessions import NamedPlayer, RecordedSession, SessionStatus, WarningAnswer

# orjson writes a time as text like this. The document has never said more about it.
SubmittedAt: TypeAlias = Annotated[
    datetime,
    WithJsonSchema({"type": "string"}),
    Field(description="When it was submitted, in UTC (RFC 3339)."),
]


class EndedAnswer(TypedDict):
    """What voided or corrected a session."""

    fact_seq: Annotated[int, Field(description="Its place on the log of facts.")]
    reason: Annotated[str, Field(description="The code for the reason.", examples=["wrong_result"])]
    note: Annotated[str | None, Field(description="The note that came with it; null for auditors.")]
    effect: Annotated[
        EffectAnswer | None, Field(description="Who moved; null while that is not known yet.")
    ]


class StoredSessionAnswer(RecordedSession):
    """A session as it is today. The numbers are those that it was rated with."""

    warnings: list[WarningAnswer]
    seq: Annotated[int, Field(description="The last fact that the answer is based on.")]
    fact_seq: Annotated[int, Field(description="The place of the session on the log of facts.")]
    place_seq: Annotated[
        int,
        Field(
            description="Its place in the order of rating: that of the first session it corrects."
        ),
    ]
    submitted_at: SubmittedAt
    corrects: Annotated[str | None, Field(description="The session that this one replaced.")]
    corrected_by: Annotated[str | None, Field(description="The session that replaced this one.")]
    note: Annotated[
        str | None,
        Field(description="The note on the correction that made it; null for auditors."),
    ]
    effect: Annotated[
        EffectAnswer | None,
        Field(
            description=(
                "What replacing another session with it did; null if it corrects none, or "
                "while that is not known yet."
            )
        ),
    ]
    ended: Annotated[
        EndedAnswer | None, Field(description="What voided or corrected it; otherwise null.")
    ]
    reseated_fact_seq: Annotated[
        int | None,
        Field(
            description=(
                "The last fact that gave seats of this session to other players, if there is one. "
                "The numbers stay as they were published; the score sheet names who sits there."
            )
        ),
    ]


class SessionRow(TypedDict):
    """A session in its source's list."""

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
    submitted_at: SubmittedAt
    corrects: Annotated[str | None, Field(description="The session that this one replaced.")]
    corrected_by: Annotated[str | None, Field(description="The session that replaced this one.")]
    fact_seq: Annotated[int, Field(description="The place of the session on the log of facts.")]


class SessionList(TypedDict):
    """A page of a source's sessions: newest day first, and last submitted first in a day."""

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
