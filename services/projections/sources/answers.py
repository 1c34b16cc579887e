"""The answers about the verified sources. Pure."""

from datetime import date
from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from services.projections.answering.correcting import Correcting


class Source(TypedDict):
    """A verified source, and what it has brought in."""

    slug: Annotated[str, Field(examples=["bam-good-time"])]
    name: Annotated[str, Field(examples=["Bam Good Time"])]
    type: Annotated[
        str, Field(description="`platform`, `club` or `league`.", examples=["platform"])
    ]
    region: Annotated[str | None, Field(examples=["west"])]
    sessions: Annotated[int, Field(description="Sessions that count.")]
    sessions_voided: Annotated[
        int, Field(description="Sessions that were voided and not corrected since.")
    ]
    rounds: int
    games: int
    players: Annotated[int, Field(description="Public players in those sessions.")]
    last_session: Annotated[date | None, Field(description="The date of the latest session.")]


class OneSource(Source):
    """One verified source."""

    seq: Annotated[int, Field(description="The last fact that the counts are based on.")]


class Sources(TypedDict):
    """All verified sources, by slug."""

    seq: Annotated[int, Field(description="The last fact that the counts are based on.")]
    correcting: Annotated[
        Correcting | None,
        Field(
            description=(
                "While the next fact is correcting the past part by part: how far it has "
                "come. A source's counts change with the first part. Otherwise null."
            )
        ),
    ]
    sources: list[Source]


class SourceSince(Source):
    """A verified source, and the date of its first session that counts."""

    first_session: date | None


class OneSourceSince(SourceSince):
    """One verified source, with its first session, and what its owners say about it."""

    seq: int
    site: str | None
    about: str | None


class SourcesSince(TypedDict):
    """All verified sources, by slug, each with its first session."""

    seq: int
    correcting: Correcting | None
    sources: list[SourceSince]
