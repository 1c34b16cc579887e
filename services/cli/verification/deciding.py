"""The commands with which the operator decides who is Verified, beside payment and identity."""

from typing import Annotated, TypeAlias

import orjson
import typer

from services.cli.operator.merges import PlayerId
from services.cli.terminal.client import open_service, path_of
from services.cli.terminal.options import read_settings
from services.cli.terminal.output import say
from services.verification.api import Verification
from shared.http.player_ids import read_id

Reason: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="Why, in a sentence. Staff see it, and the player can download it.",
    ),
]


def grant(player_id: PlayerId, *, reason: Reason = None) -> None:
    """Make a player Verified, from the next session on, as staff know the person."""
    _decide(player_id, is_verified=True, reason=reason)
    say(f"{read_id(player_id)} is Verified from here on.")


def end(player_id: PlayerId, *, reason: Reason = None) -> None:
    """Keep a player from being Verified, whatever is paid; the verified rating stays."""
    _decide(player_id, is_verified=False, reason=reason)
    say(f"{read_id(player_id)} is not Verified from here on, whatever is paid or checked.")


def leave(player_id: PlayerId, *, reason: Reason = None) -> None:
    """Take back what staff decided about a player: payment and identity decide from here on."""
    is_verified = _decide(player_id, is_verified=None, reason=reason)
    outcome = "is Verified" if is_verified else "is not Verified"
    say(f"{read_id(player_id)} {outcome}, as payment and identity decide from here on.")


def _decide(player_id: str, *, is_verified: bool | None, reason: str | None) -> bool:
    path = path_of("v1", "admin", "players", read_id(player_id), "verification")
    claim = {"verified": is_verified} | ({} if reason is None else {"reason": reason})
    with open_service(read_settings()) as service:
        answer = service.put(path, orjson.dumps(claim))
        return service.read(Verification, answer)["verified"]
