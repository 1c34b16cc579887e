"""What a request asks for besides its session, in the query and in the headers."""

from typing import Annotated, Any, Final, TypeAlias

from fastapi import Query, Request
from pydantic import BaseModel, ConfigDict, Field

from services.ingest.claim.checks import IfSimilar
from services.ingest.claim.headers import read_wait_s
from services.ingest.claim.openapi import header
from shared.http.queries import query_parameters
from shared.limits import KEY_SENT_CHARACTERS_MAX
from shared.settings import Settings

# After 202. Ratings take less time than this, unless something is wrong.
RETRY_AFTER_S: Final = 1
KEY_HEADER: Final = header(
    "Idempotency-Key",
    "Your own name for this request, bare or in double quotes: 1 to 255 printable ASCII "
    "characters. It belongs to this source, method and path, so the same key on another path "
    "is a different key, and it is kept for at least 30 days. Sent again with the same "
    "content, it gets the first answer, with the session's status of today and "
    "`Idempotency-Replayed: true`; with different content, 422 `idempotency_key_reused`; "
    "while the first request is still running, 409 `request_in_progress` after the wait. A "
    "refused request doesn't use up its key: correct it, and send it again with the same key.",
    characters_max=KEY_SENT_CHARACTERS_MAX,
)

_DRY_RUN: Final = "Record nothing, and answer with what would happen with today's ratings."
_IF_SIMILAR: Final = (
    "What to do with a session that has a round similar to one of yours on record, if the "
    "session does not say so itself: `warn` records it, `refuse` does not."
)

AskedDryRun: TypeAlias = Annotated[bool, Query(alias="dry_run", description=_DRY_RUN)]
AskedIfSimilar: TypeAlias = Annotated[IfSimilar, Query(alias="if_similar", description=_IF_SIMILAR)]


class Asked(BaseModel):
    """Both, for the route that takes single sessions. Nearly all requests ask for neither."""

    model_config = ConfigDict(frozen=True)

    dry_run: bool = Field(default=False, description=_DRY_RUN)
    if_similar: IfSimilar = Field(default="warn", description=_IF_SIMILAR)


NOTHING_ASKED: Final = Asked()
ASKED_PARAMETERS: Final = query_parameters(Asked)


def prefer_header(description: str) -> dict[str, Any]:
    """Return the `parameters` entry of a route's Prefer header."""
    return header("Prefer", description, characters_max=200)


def asked_wait_s(request: Request, settings: Settings) -> float:
    """Return how many seconds a caller wants to wait for ratings."""
    return read_wait_s(
        request.headers.getlist("prefer"),
        default_s=settings.wait_s_default,
        max_s=settings.wait_s_max,
    )
