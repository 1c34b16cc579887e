"""The command that builds a view again from its log."""

from typing import Annotated

import typer

from services.cli.options import DataFolder, on_database, settings_for_data
from services.cli.output import hint, progress_bar, say
from services.wiring import rebuild


def rebuild_view(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The view, like leaderboards.")],
    data: DataFolder = None,
) -> None:
    """Build a view again beside the one that is read, and swap when it has caught up."""
    with progress_bar("Rebuilding") as show:
        settings = settings_for_data(data)
        rebuilt = on_database(
            data, lambda pool: rebuild(name, settings=settings, pool=pool, progress=show)
        )
    say(f"The view {rebuilt.view} is built again from {rebuilt.seq} records.")
    if rebuilt.rows_equal:
        hint("Every row is as it was before.")
    elif rebuilt.rows_equal is False:
        hint("Some rows were wrong before; the new ones follow from the log.")
