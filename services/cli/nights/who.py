"""Looks up people: for the command `mahjic who`, and for the tables of who moved."""

from collections.abc import Sequence
from typing import Annotated, Final

import orjson
import typer

from services.cli.terminal.client import (
    ServiceClient,
    ServiceRefused,
    ServiceUnreachable,
    open_service,
)
from services.cli.terminal.options import AsJson, read_settings
from services.cli.terminal.output import hint, or_dash, points, say_json, show_table
from services.ingest.who.answers import FoundPerson, LookUpAnswer
from services.ingest.who.api import IDS_MAX, PATH

COLUMNS: Final = (
    "player",
    "name",
    "player_id",
    "privacy",
    "rating",
    "games",
    "verified_rating",
    "verified_games",
    "last_session",
    "session_date",
)
NUMBERS: Final = ("rating", "games", "verified_rating", "verified_games")
SPARE: Final = ("session_date", "last_session", "verified_games", "verified_rating")


def who(
    text: Annotated[
        str,
        typer.Argument(
            metavar="WHO", help="An address, ANON:nickname, or part of a name you sent."
        ),
    ],
    *,
    as_json: AsJson = False,
) -> None:
    """Look up someone you had in a session; the operator finds anyone."""
    with open_service(read_settings()) as service:
        content = _ask(service, {"who": text})
        answer = service.read(LookUpAnswer, content)
    if as_json:
        say_json(content)
        return
    if not answer["people"]:
        hint("No one found. A source finds only people it has had in a session.")
        raise typer.Exit(1)
    show_table(COLUMNS, [_cells(each) for each in answer["people"]], numbers=NUMBERS, spare=SPARE)
    if (
        any(each["privacy"] != "public" for each in answer["people"])
        and not answer["people"][0]["named_by"]
    ):
        hint("For private and anonymous players, these are the numbers after your last session.")
    if answer["has_more"]:
        hint("There are more; type more of the name, or the address.")


def called(service: ServiceClient, player_ids: Sequence[str]) -> dict[str, str]:
    """Return what the key's owner calls these players: an address or nickname, and a name.

    The change that moved them is already made, so names that are not available are left out.
    """
    names: dict[str, str] = {}
    try:
        for first in range(0, len(player_ids), IDS_MAX):
            content = _ask(service, {"player_ids": player_ids[first : first + IDS_MAX]})
            for each in service.read(LookUpAnswer, content)["people"]:
                text = " ".join(
                    part for part in (each["player"], _in_brackets(each["name"])) if part
                )
                if text:
                    earlier = names.get(each["player_id"])
                    names[each["player_id"]] = text if earlier is None else f"{earlier}, {text}"
    except (ServiceRefused, ServiceUnreachable) as error:
        hint(f"The players' names could not be looked up: {error.detail}")
    return names


def _ask(service: ServiceClient, asked: dict[str, object]) -> bytes:
    return service.content(service.post(PATH, orjson.dumps(asked), {}, wait_s=0))


def _in_brackets(name: str | None) -> str | None:
    return None if name is None else f"({name})"


def _cells(person: FoundPerson) -> tuple[str, ...]:
    last = person["last_session"]
    names = [each["name"] for each in person["named_by"] if each["name"] is not None]
    return (
        or_dash(person["player"]),
        person["name"] or ", ".join(dict.fromkeys(names)) or "-",
        person["player_id"],
        person["privacy"],
        "-" if person["rating"] is None else points(person["rating"]),
        or_dash(person["games"]),
        "-" if person["verified_rating"] is None else points(person["verified_rating"]),
        or_dash(person["verified_games"]),
        "-" if last is None else last["session_id"],
        "-" if last is None else last["session_date"],
    )
