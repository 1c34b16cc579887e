"""The commands with which the operator begins and ends a player's verification."""

import orjson

from services.cli.operator.merges import PlayerId
from services.cli.terminal.client import open_service, path_of
from services.cli.terminal.options import read_settings
from services.cli.terminal.output import say
from shared.http.player_ids import read_id


def grant(player_id: PlayerId) -> None:
    """Make a player Verified, from the next session on."""
    _set(player_id, is_verified=True)
    say(f"{read_id(player_id)} is Verified from here on.")


def end(player_id: PlayerId) -> None:
    """End a player's verification; the verified rating stays, in case it is granted again."""
    _set(player_id, is_verified=False)
    say(f"{read_id(player_id)} is no longer Verified.")


def _set(player_id: str, *, is_verified: bool) -> None:
    path = path_of("v1", "admin", "players", read_id(player_id), "verification")
    with open_service(read_settings()) as service:
        service.put(path, orjson.dumps({"verified": is_verified}))
