"""The commands that write a backup to a file and bring it back."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import typer

from services.cli.terminal.options import DataFolder, run_command, settings_for_data
from services.cli.terminal.output import progress_bar, say
from services.database import open_server
from shared.db.backups import backup as backups
from shared.db.backups import restore as restores
from shared.db.backups.programs import BackupProgress, ReportProgress

T = TypeVar("T")


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.")],
    *,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the file if it exists.")
    ] = False,
    data: DataFolder = None,
) -> None:
    """Write all data to a file, while the service goes on working."""
    with progress_bar("Backing up") as show:
        seal = _on_server(
            data,
            "join",
            lambda dsn: backups.backup(dsn, file, overwrite=overwrite, report=_report(show)),
        )
    say(f"Wrote {file}: {seal.tables} tables, {seal.dump_bytes} bytes.")


def restore(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help=("A file that `mahjic backup` wrote."))
    ],
    *,
    replace: Annotated[
        bool, typer.Option("--replace", help="Discard what is in the database now.")
    ] = False,
    data: DataFolder = None,
) -> None:
    """Bring a backup back, all of it or nothing; the service must be stopped."""
    with progress_bar("Restoring") as show:
        seal = _on_server(
            data,
            "serve",  # No service may use the folder meanwhile.
            lambda dsn: restores.restore(dsn, file, replace=replace, report=_report(show)),
        )
    say(f"Restored the {seal.tables} tables of {file}.")


def _on_server(
    data: Path | None, role: Literal["serve", "join"], work: Callable[[str], Awaitable[T]]
) -> T:
    """Work on the database as it is: a backup and a restore come before any migration."""
    settings = settings_for_data(data)

    async def run() -> T:
        async with open_server(settings, role=role) as dsn:
            return await work(dsn)

    return run_command(run())


def _report(show: Callable[[str, int, int], None]) -> ReportProgress:
    def report(progress: BackupProgress) -> None:
        mebibytes = f"{progress.bytes_done / 2**20:.1f} MiB"
        show(f"{mebibytes} {progress.table}", progress.tables_done, progress.tables_total)

    return report
