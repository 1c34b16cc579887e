"""Serves the public logs from their folder: checkpoints, tiles, and the keys to check them with.

The addresses and what they give are those of C2SP tlog-tiles, without entry bundles.
"""

from typing import Annotated, Final, Literal

from fastapi import Path
from starlette.responses import PlainTextResponse, Response

from services.transparency.origin_folder import OriginFolder
from services.transparency.public_logs import PublicLogs
from services.transparency.refusals import NoPublicLog
from shared.http.routes import Handler, Route, handed_in
from shared.tlog.tiles import hashes_at, read_path

# A tile never changes.
TILE_HEADERS: Final = {"Cache-Control": "public, max-age=31536000, immutable"}
# It may be another one a second later.
CHECKPOINT_HEADERS: Final = {"Cache-Control": "no-store"}
TILE_TYPE: Final = "application/octet-stream"
PATH_CHARACTERS_MAX: Final = 100


Logs = Annotated[PublicLogs, handed_in(PublicLogs)]
Name = Annotated[Literal["facts", "verdicts"], Path()]
Number = Annotated[int, Path(ge=2, le=9999)]
TilePath = Annotated[str, Path(max_length=PATH_CHARACTERS_MAX)]


async def get_public_keys(logs: Logs) -> Response:
    """Show the verifier keys of all logs, oldest first, and of the witnesses (C2SP tlog-policy)."""
    lines = [f"log {each}" for each in logs.there().verifier_keys()]
    for place, each in enumerate(logs.witnesses, start=1):
        url, _, key = each.partition(" ")
        lines.append(f"witness w{place} {key} {url}")
    return PlainTextResponse("".join(f"{line}\n" for line in lines), headers=CHECKPOINT_HEADERS)


async def get_checkpoint(logs: Logs, log_name: Name) -> Response:
    """Show the checkpoint of a log."""
    return _checkpoint(logs.there().find(log_name, 1))


async def get_later_checkpoint(logs: Logs, log_name: Name, number: Number) -> Response:
    """Show the checkpoint of a log that was begun again."""
    return _checkpoint(logs.there().find(log_name, number))


async def get_ended(logs: Logs, log_name: Name) -> Response:
    """Show why a log ended, and what goes on in its place."""
    return _note(logs.there().find(log_name, 1).ended(), "This log has not ended.")


async def get_later_ended(logs: Logs, log_name: Name, number: Number) -> Response:
    """Show why a log that was begun again ended."""
    return _note(logs.there().find(log_name, number).ended(), "This log has not ended.")


async def get_tile(logs: Logs, log_name: Name, path: TilePath) -> Response:
    """Show a tile of a log."""
    return _tile(logs.there().find(log_name, 1), path)


async def get_later_tile(logs: Logs, log_name: Name, number: Number, path: TilePath) -> Response:
    """Show a tile of a log that was begun again."""
    return _tile(logs.there().find(log_name, number), path)


def _checkpoint(log: OriginFolder) -> Response:
    return _note(log.checkpoint(), "This log has no checkpoint yet.")


def _note(note: str | None, missing: str) -> Response:
    if note is None:
        raise NoPublicLog(missing)
    return PlainTextResponse(note, headers=CHECKPOINT_HEADERS)


def _tile(log: OriginFolder, path: str) -> Response:
    tile = read_path(f"tile/{path}")
    missing = NoPublicLog("The log has no such tile, or not yet.")
    # What is written and not signed yet may still turn out otherwise.
    if tile is None or tile.end > hashes_at(tile.level, log.signed_size()):
        raise missing
    found = log.read_tile(tile)
    if found is None:
        raise missing
    return Response(found, media_type=TILE_TYPE, headers=TILE_HEADERS)


def _row(path: str, handler: Handler, summary: str) -> Route:
    return Route("GET", path, handler, summary, response_class=PlainTextResponse)


PUBLIC_LOG_ROUTES: Final = (
    _row("/log/keys", get_public_keys, "The keys of the public logs and of their witnesses"),
    _row("/log/{log_name}/checkpoint", get_checkpoint, "The checkpoint of a public log"),
    _row("/log/{log_name}/ended", get_ended, "Why a public log ended"),
    _row("/log/{log_name}/tile/{path:path}", get_tile, "A tile of a public log"),
    _row(
        "/log/{log_name}/{number}/checkpoint",
        get_later_checkpoint,
        "The checkpoint of a public log that was begun again",
    ),
    _row(
        "/log/{log_name}/{number}/ended",
        get_later_ended,
        "Why a public log that was begun again ended",
    ),
    _row(
        "/log/{log_name}/{number}/tile/{path:path}",
        get_later_tile,
        "A tile of a public log that was begun again",
    ),
)
