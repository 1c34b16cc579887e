"""Shows what a change of the past did to the ratings; has the options of commands that make one."""

from collections.abc import Sequence
from typing import Annotated, Final, TypeAlias

import typer

from services.cli.nights.who import called
from services.cli.terminal.client import ServiceClient
from services.cli.terminal.output import hint, is_terminal, or_dash, points, show_table, signed
from shared.answers.effects import EffectAnswer, PlayerChange

Note: TypeAlias = Annotated[
    str | None,
    typer.Option(help=("Anything else you want to say. It is not on the logs, and can be erased.")),
]
Wait: TypeAlias = Annotated[
    float,
    typer.Option(
        "--wait", metavar="SECONDS", min=0, max=3600, help=("How long to wait for the effect.")
    ),
]

COLUMNS: Final = (
    "player_id",
    "rating_before",
    "rating_after",
    "rating_change",
    "games_before",
    "games_after",
)
VERIFIED_COLUMNS: Final = (
    "verified_rating_before",
    "verified_rating_after",
    "verified_rating_change",
    "verified_games_before",
    "verified_games_after",
)


def show_effect(service: ServiceClient, effect: EffectAnswer | None) -> None:
    """Write who moved as a table to stdout, and how many more to stderr.

    Next to the ids is what the key's owner calls the players.
    """
    if effect is None:
        hint(
            "It counts; the ratings will follow. Run the same command again later to see who moved."
        )
        return
    has_verified = any(
        each["verified_rating_change"]
        or each["verified_games_before"] != each["verified_games_after"]
        for each in effect["changes"]
    )
    is_whole = has_verified or not is_terminal()
    numbers = COLUMNS[1:] + VERIFIED_COLUMNS if is_whole else COLUMNS[1:]
    columns = (COLUMNS[0], *numbers, "player")
    names = called(service, [each["player_id"] for each in effect["changes"]])
    rows = [
        (*_cells(each)[: len(columns) - 1], or_dash(names.get(each["player_id"])))
        for each in effect["changes"]
    ]
    show_table(columns, rows, numbers=numbers)
    hint(f"{effect['players_moved']} moved; {effect['others_moved']} of them are not listed here.")


def _cells(change: PlayerChange) -> Sequence[str]:
    return (
        change["player_id"],
        points(change["rating_before"]),
        points(change["rating_after"]),
        signed(change["rating_change"]),
        str(change["games_before"]),
        str(change["games_after"]),
        points(change["verified_rating_before"]),
        points(change["verified_rating_after"]),
        signed(change["verified_rating_change"]),
        str(change["verified_games_before"]),
        str(change["verified_games_after"]),
    )
