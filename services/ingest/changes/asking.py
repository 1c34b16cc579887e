"""What the routes that change the past read from a request, and what they need to answer."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Final

import asyncpg
from fastapi import Depends, Query, Request

from services.ingest.changes.answering import ChangePorts
from services.ingest.claim.asked import KEY_HEADER, prefer_header
from services.ingest.claim.headers import read_idempotency_key
from services.ingest.record.judging.prints import key_print
from shared.http.callers import Caller, require
from shared.http.routes import handed_in
from shared.settings import Settings

PREFER_HEADER: Final = prefer_header(
    "`wait=10` waits for the effect, 30 s at most; `respond-async` does not wait."
)
PARAMETERS: Final = [KEY_HEADER, PREFER_HEADER]

Changer = Annotated[Caller, Depends(require("source", "operator"))]
DryRun = Annotated[
    bool, Query(description="Record nothing, and answer with what the session would change.")
]


@dataclass(frozen=True, slots=True)
class ChangeIntake:
    """What these routes need. `today_latest` is the date where it is latest."""

    changing: ChangePorts
    pool: asyncpg.Pool
    new_session_id: Callable[[], str]
    settings: Settings
    today_latest: Callable[[], date]


Changes = Annotated[ChangeIntake, handed_in(ChangeIntake)]


def change_key_print(request: Request, caller: Caller, path: str) -> bytes | None:
    """Return the print of the request's key. The operator's keys belong to no source."""
    key = read_idempotency_key(request.headers.getlist("idempotency-key"))
    return None if key is None else key_print(caller.source or "", "POST", path, key)
