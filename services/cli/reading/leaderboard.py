"""The command that shows a leaderboard."""

from typing import Annotated, TypeAlias

import typer

from services.cli.terminal.client import open_service, path_of
from services.cli.terminal.options import AsJson, MinSeq, read_settings
from services.cli.terminal.output import hint, or_dash, points, say_json, show_table
from services.projections.leaderboards.answers import Board
from services.projections.leaderboards.routes import PAGE_PLAYERS_MAX
from shared.access.sources import Region

COLUMNS = ("place", "name", "mahjic_id", "verified_rating", "band", "verified_games", "last_played")
NUMBERS = ("place", "verified_rating", "verified_games")


OfRegion: TypeAlias = Annotated[Region | None, typer.Option(help="Only players of this region.")]
OfSource: TypeAlias = Annotated[
    str | None, typer.Option(metavar="SLUG", help="Only players of this source.")
]
Limit: TypeAlias = Annotated[
    int,
    typer.Option(
        metavar="N", min=1, max=PAGE_PLAYERS_MAX, help="How many players to show at most."
    ),
]


def leaderboard(
    *,
    region: OfRegion = None,
    source: OfSource = None,
    limit: Limit = 20,
    min_seq: MinSeq = None,
    as_json: AsJson = False,
) -> None:
    """Show who leads: Verified players, by verified rating."""
    if region is not None and source is not None:
        raise typer.BadParameter("Give --region or --source, not both.")
    path = path_of("v1", "leaderboard")
    if region is not None:
        path = path_of("v1", "leaderboard", region)
    elif source is not None:
        path = path_of("v1", "sources", source, "leaderboard")
    with open_service(read_settings()) as service:
        content = service.get(path, limit=limit, min_seq=min_seq)
        board = service.read(Board, content)
    if as_json:
        say_json(content)
        return
    rows = [
        (
            str(player["place"]),
            player["name"],
            player["player_id"],
            points(player["verified_rating"]),
            player["band"],
            str(player["verified_games"]),
            or_dash(player["last_played"]),
        )
        for player in board["players"]
    ]
    show_table(COLUMNS, rows, numbers=NUMBERS)
    if not rows:
        hint(
            "The leaderboard is empty: it takes Verified players with "
            f"{board['min_games']} verified games."
        )
