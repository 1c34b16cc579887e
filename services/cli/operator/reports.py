"""The command that writes the report of a year, and checks one. It changes nothing else."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from services.cli.terminal.options import DataFolder, run_command, settings_for_data
from services.cli.terminal.output import hint, progress_bar, say
from services.operating.as_it_is import BothLogs, open_as_it_is, open_logs, open_logs_on
from services.report.checking import check_report
from services.report.folder import PAGE
from services.report.making import ReportLogs, write_report
from shared.http.logs import configure_logs


def report(
    *,
    year: Annotated[
        int | None, typer.Option("--year", min=2000, max=9998, help="Which year, in UTC.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FOLDER", help="Where to write the report."),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(
            "--check", metavar="FOLDER", help="Compare the report in this folder with the log."
        ),
    ] = None,
    so_far: Annotated[
        bool, typer.Option("--so-far", help="Write a draft of a year that is not over.")
    ] = False,
    data: DataFolder = None,
) -> None:
    """Write what the logs say of a year as a page and as JSON, or check such a report.

    What no log tells is counted once, into figures.json. Checking exits with 1 if anything differs,
    and says where.
    """
    if check is not None:
        if out is not None or so_far:
            raise typer.BadParameter("Give it without --out and --so-far.", param_hint="--check")
        _check(check, year, data)
        return
    if year is None or out is None:
        raise typer.BadParameter("Give --year and --out, or --check.", param_hint="--year")
    _write(year, out, so_far, data)


def _write(year: int, out: Path, so_far: bool, data: Path | None) -> None:
    settings = settings_for_data(data)
    configure_logs(level="critical")

    async def run() -> None:
        async with open_as_it_is(settings, "report") as pool, open_logs_on(settings, pool) as logs:
            with progress_bar("Reporting") as show:
                now, on = datetime.now(UTC), _report_logs(logs)
                await write_report(pool, on, year, out, show, so_far=so_far, now=now)

    run_command(run())
    say(f"The report of {year} is in {out / PAGE}.")


def _check(folder: Path, year: int | None, data: Path | None) -> None:
    settings = settings_for_data(data)
    configure_logs(level="critical")

    async def run() -> str | None:
        async with open_logs(settings, "report") as logs:
            with progress_bar("Checking") as show:
                return await check_report(_report_logs(logs), folder, year, show)

    found = run_command(run())
    if found is not None:
        hint(found)
        raise typer.Exit(1)
    say(
        "The report is what the log gives, to the byte; figures.json, which no log gives, is the "
        "one it was made with."
    )


def _report_logs(logs: BothLogs) -> ReportLogs:
    return ReportLogs(
        facts=logs.facts,
        verdicts=logs.verdicts,
        log_id=logs.facts_end.log_id,
        verdicts_end=logs.verdicts_end.seq,
    )
