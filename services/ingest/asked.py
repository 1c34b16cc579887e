"""What every door takes beside a session: what becomes of one that is similar to one on record."""

from typing import Annotated, TypeAlias

from fastapi import Query

from services.ingest.checks import IfSimilar

AskedDryRun: TypeAlias = Annotated[
    bool,
    Query(
        alias="dry_run",
        description="Record nothing, and answer with what would come by the ratings of now.",
    ),
]
AskedIfSimilar: TypeAlias = Annotated[
    IfSimilar,
    Query(
        alias="if_similar",
        description="What becomes of a session with a round that is similar to one of yours on "
        "record, where the session does not say it itself: `warn` records it, `refuse` does not.",
    ),
]
