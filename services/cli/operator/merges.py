"""The commands with which the operator makes two ids one person, and two people again."""

from typing import Annotated, Any, TypeAlias

import orjson
import typer

from services.cli.nights.effects import Note, Wait, show_effect
from services.cli.terminal.client import open_service, path_of
from services.cli.terminal.options import AsJson, read_settings
from services.cli.terminal.output import hint, say_json
from services.cli.terminal.sending import send_until_told
from shared.answers.effects import MergeAnswer
from shared.http.player_ids import read_id

PlayerId: TypeAlias = Annotated[
    str, typer.Argument(metavar="ID", help="A Mahjic ID, like MJ-7K3Q9XZM, in any case.")
]


def merge(
    player_id: PlayerId,
    *,
    into: Annotated[str, typer.Option(metavar="ID", help="The Mahjic ID that stays.")],
    note: Note = None,
    wait_s: Wait = 60,
    as_json: AsJson = False,
) -> None:
    """Read everything of a player as another's, and show who moved. It can be undone."""
    said = {"into": read_id(into)}
    _send(player_id, "merge", said, note, wait_s=wait_s, as_json=as_json)


def unmerge(
    player_id: PlayerId, *, note: Note = None, wait_s: Wait = 60, as_json: AsJson = False
) -> None:
    """Undo the merge of a player, exactly, and show who moved."""
    _send(player_id, "unmerge", {}, note, wait_s=wait_s, as_json=as_json)


def _send(
    player_id: str,
    what: str,
    said: dict[str, Any],
    note: str | None,
    *,
    wait_s: float,
    as_json: bool,
) -> None:
    path = path_of("v1", "admin", "players", read_id(player_id), what)
    body = orjson.dumps(said if note is None else {**said, "note": note})
    with open_service(read_settings()) as service:
        content = send_until_told(service, path, body, wait_s=wait_s)
        answer = service.read(MergeAnswer, content)
        if as_json:
            say_json(content)
            return
        show_effect(service, answer["effect"])
    are = "is merged into" if answer["is_merged"] else "is no longer merged into"
    hint(f"{answer['player_id']} {are} {answer['into']}, from fact {answer['fact_seq']} on.")
