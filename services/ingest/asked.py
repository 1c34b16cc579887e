"""What every door takes beside a session: what becomes of one that is similar to one on record."""

from typing import Annotated, Final, TypeAlias

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

from services.ingest.checks import IfSimilar
from shared.http.queries import query_parameters

_DRY_RUN: Final = "Record nothing, and answer with what would come by the ratings of now."
_IF_SIMILAR: Final = (
    "What becomes of a session with a round that is similar to one of yours on record, where the "
    "session does not say it itself: `warn` records it, `refuse` does not."
)

AskedDryRun: TypeAlias = Annotated[bool, Query(alias="dry_run", description=_DRY_RUN)]
AskedIfSimilar: TypeAlias = Annotated[IfSimilar, Query(alias="if_similar", description=_IF_SIMILAR)]


class Asked(BaseModel):
    """Both, for the route of single sessions, which is asked for neither nearly always."""

    model_config = ConfigDict(frozen=True)

    dry_run: bool = Field(default=False, description=_DRY_RUN)
    if_similar: IfSimilar = Field(default="warn", description=_IF_SIMILAR)


NOTHING_ASKED: Final = Asked()
ASKED_PARAMETERS: Final = query_parameters(Asked)
