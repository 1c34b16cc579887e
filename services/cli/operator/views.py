"""The command that builds a view again from its log."""

from typing import Annotated

import asyncpg
import typer

from services.cli.terminal.options import DataFolder, on_database, settings_for_data
from services.cli.terminal.output import hint, progress_bar, say
from services.operating.kafka.needed import check_settings
from services.projections.building.rebuild import Rebuilt
from services.wiring import rebuild
from shared.log.place import read_place
from shared.machine.memory import settle_collector


def rebuild_view(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The view, like leaderboards.")],
    data: DataFolder = None,
) -> None:
    """Build a view again beside the one that is read, and swap when it has caught up."""
    with progress_bar("Rebuilding") as show:
        settings = settings_for_data(data)

        async def work(pool: asyncpg.Pool) -> Rebuilt:
            settle_collector()
            if await read_place(pool) is not None:
                check_settings(settings)
            return await rebuild(name, settings=settings, pool=pool, progress=show)

        rebuilt = on_database(data, work)
    say(f"Rebuilt the view {rebuilt.view} from {rebuilt.seq} records.")
    if rebuilt.rows_equal:
        hint("Every row is as it was before.")
    elif rebuilt.rows_equal is False:
        hint("Some rows were wrong before; the new ones follow from the log.")
