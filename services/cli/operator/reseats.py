"""The command with which the operator gives a player's seats in some sessions to another player."""

from typing import Annotated

import orjson
import typer

from services.cli.nights.effects import Note, Wait, show_effect
from services.cli.operator.merges import PlayerId
from services.cli.terminal.client import open_service, path_of
from services.cli.terminal.options import AsJson, read_settings
from services.cli.terminal.output import hint, say_json
from services.cli.terminal.sending import send_until_told
from shared.answers.effects import ReseatAnswer
from shared.http.player_ids import read_id


def reseat(
    player_id: PlayerId,
    sessions: Annotated[
        list[str],
        typer.Argument(metavar="SESSION...", help="The sessions in which somebody else sat there."),
    ],
    *,
    email: Annotated[str, typer.Option(help="The address of the one who really sat there.")],
    note: Note = None,
    wait_s: Wait = 60,
    as_json: AsJson = False,
) -> None:
    """Give a player's seats in some sessions to another address, and show who moved.

    All of the sessions change, or none. The same command the other way undoes it.
    """
    path = path_of("v1", "admin", "players", read_id(player_id), "reseat")
    said = {"sessions": sessions, "email": email, **({} if note is None else {"note": note})}
    with open_service(read_settings()) as service:
        content = send_until_told(service, path, orjson.dumps(said), wait_s=wait_s)
        answer = service.read(ReseatAnswer, content)
        if as_json:
            say_json(content)
            return
        show_effect(service, answer["effect"])
    count = len(answer["session_ids"])
    what = answer["session_ids"][0] if count == 1 else f"{count} sessions"
    hint(
        f"The seats of {answer['player_id']} in {what} are those of {answer['to']}, from fact "
        f"{answer['fact_seq']} on."
    )
