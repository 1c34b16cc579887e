"""The command that submits a session and shows who moved.

Its requests carry a key made from the claim, so the same file counts once however often it is sent,
and it may be sent again whenever an answer is lost or late.
"""

import hashlib
import sys
import time
from collections.abc import Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Final

import httpx
import typer
from pydantic import BaseModel

from services.cli.client import Service, ServiceUnreachable, open_service
from services.cli.options import AsJson, read_settings
from services.cli.output import (
    hint,
    is_terminal,
    or_dash,
    points,
    say_json,
    show_table,
    signed,
)
from shared.errors import MahjicError

# What the service is asked to wait for in one request; longer ones don't outlive most proxies.
PREFER_WAIT_S_MAX: Final = 30
RETRY_S_DEFAULT: Final = 1.0
# Busy or away for now.
WORTH_SENDING_AGAIN: Final = frozenset({429, 502, 503, 504})
NEVER_ARRIVED: Final = (httpx.ConnectError, httpx.ConnectTimeout)

COLUMNS: Final = ("player", "mahjic_id", "rating_before", "rating_after", "rating_change")
VERIFIED_COLUMNS: Final = (
    "verified_rating_before",
    "verified_rating_after",
    "verified_rating_change",
)


class UnreadableFile(MahjicError):
    """The file of a claim cannot be read."""

    code = "unreadable_file"
    title = "The file cannot be read"


class PlayerMoved(BaseModel):
    """What a session did to one player."""

    player_id: str
    mahjic_id: str | None
    player: str | None
    rating_before: float
    rating_after: float
    rating_change: float
    verified_rating_before: float
    verified_rating_after: float
    verified_rating_change: float


class Warned(BaseModel):
    """Something that is odd and was recorded all the same."""

    code: str
    message: str


class Submitted(BaseModel):
    """The answer to a submission."""

    session_id: str
    status: str
    results: list[PlayerMoved]
    warnings: list[Warned]


def submit(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A session as JSON; - for stdin.")],
    wait_s: Annotated[
        float, typer.Option("--wait", metavar="SECONDS", min=0, max=3600, help="Wait for ratings.")
    ] = 60,
    as_json: AsJson = False,
) -> None:
    """Submit a session, and show who moved. The same file sent again counts once."""
    claim = _read(file)
    with open_service(read_settings()) as service:
        content = submit_claim(service, claim, wait_s=wait_s)
        answer = service.read(Submitted, content)
    if as_json:
        say_json(content)
    else:
        _show(answer)
    if answer.status == "refused":
        raise typer.Exit(1)


def submit_claim(service: Service, claim: bytes, *, wait_s: float) -> bytes:
    """Submit a session until it is rated, or until the time is over, and return the last answer.

    Raises ServiceRefused; or ServiceUnreachable, at once when nobody is there to begin with.
    """
    ends_at = time.monotonic() + wait_s
    response = None
    while True:
        ask_s = max(1, min(PREFER_WAIT_S_MAX, int(ends_at - time.monotonic())))
        try:
            response = service.post("/v1/sessions", claim, _headers(claim, ask_s), wait_s=ask_s)
        except ServiceUnreachable as error:
            is_nobody_there = response is None and isinstance(error.__cause__, NEVER_ARRIVED)
            if is_nobody_there or time.monotonic() + RETRY_S_DEFAULT > ends_at:
                raise
            pause_s = RETRY_S_DEFAULT
        else:
            asked_s = _asked_pause_s(response)
            if asked_s is None or time.monotonic() + asked_s > ends_at:
                return service.content(response)
            pause_s = asked_s
        time.sleep(pause_s)


def _headers(claim: bytes, ask_s: int) -> dict[str, str]:
    digest = hashlib.sha256(claim).hexdigest()
    return {"Idempotency-Key": f"mahjic-{digest}", "Prefer": f"wait={ask_s}"}


def _asked_pause_s(response: httpx.Response) -> float | None:
    """Return when the same claim is worth sending again; None when this is the last word."""
    status = response.status_code
    is_running = status == HTTPStatus.CONFLICT and b'"request_in_progress"' in response.content
    if status != HTTPStatus.ACCEPTED and status not in WORTH_SENDING_AGAIN and not is_running:
        return None
    asked = response.headers.get("Retry-After", "")
    return float(asked) if asked.isascii() and asked.isdigit() else RETRY_S_DEFAULT


def _read(file: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise UnreadableFile(f"{file} cannot be read: {reason}.") from error


def _show(answer: Submitted) -> None:
    for warning in answer.warnings:
        hint(f"{warning.code}: {warning.message}")
    if answer.status == "accepted":
        hint(f"{answer.session_id} is recorded and counts; it is not rated yet.")
        hint("Submit the same file again later to see the ratings.")
        return
    has_verified = any(moved.verified_rating_change for moved in answer.results)
    columns = COLUMNS + VERIFIED_COLUMNS if has_verified or not is_terminal() else COLUMNS
    rows = [_cells(moved)[: len(columns)] for moved in answer.results]
    show_table(columns, rows, numbers=columns[2:])
    hint(f"{answer.session_id} is {answer.status}.")


def _cells(moved: PlayerMoved) -> Sequence[str]:
    return (
        moved.player or moved.player_id,
        or_dash(moved.mahjic_id),
        points(moved.rating_before),
        points(moved.rating_after),
        signed(moved.rating_change),
        points(moved.verified_rating_before),
        points(moved.verified_rating_after),
        signed(moved.verified_rating_change),
    )
