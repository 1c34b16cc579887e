"""The command that imports a file of sessions, and reports what became of its lines."""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import orjson
import typer

from services.cli.importing.exchange import RequestTarget
from services.cli.importing.importing import ImportBroken, Importing, Inflow
from services.cli.importing.lines import Lines
from services.cli.importing.oddities import Oddities
from services.cli.importing.progress import ProgressKeeper, Tally, keeping, named
from services.cli.importing.refusals import Refusals, UnwritableRefusals
from services.cli.nights.kinds import HEAD_BYTES, expect
from services.cli.nights.submit import NOTHING_COUNTED, UnreadableFile
from services.cli.terminal.client import ServiceUnreachable, open_service
from services.cli.terminal.options import DryRun, IfSimilar, read_settings, run_command
from services.cli.terminal.output import hint, progress_bar, say_json, show_table, tell
from services.cli.terminal.sending import with_query
from shared.errors import MahjicError

PATH: Final = "/v1/sessions/batch"
STDIN: Final = "-"
STDIN_DESCRIPTOR: Final = 0
COLUMNS: Final = ("lines", "recorded", "replayed", "not_counting", "refused")
SOME_REFUSED: Final = 1
# Exiting with 1, as other commands do, would look as if some lines had been refused.
NOT_POSSIBLE: Final = 2


File: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help=("One session per line as JSON, possibly gzipped; - for stdin.")
    ),
]
RefusedFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Where refused lines go; by default FILE.refused.ndjson."),
]
Restart: TypeAlias = Annotated[
    bool,
    typer.Option("--restart", help=("Start over instead of continuing where an import broke off.")),
]
WholeNights: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--whole-nights",
        help="Each line is a whole night: refuse it if the night is on record and differs.",
    ),
]
Patience: TypeAlias = Annotated[
    float,
    typer.Option(
        "--wait",
        metavar="SECONDS",
        min=0,
        help=("How long to keep trying while the service is away."),
    ),
]
FiguresAsJson: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print the figures as JSON.")
]


def import_sessions(
    file: File,
    refused: RefusedFile = None,
    *,
    restart: Restart = False,
    whole_nights: WholeNights = False,
    wait_s: Patience = 600,
    dry_run: DryRun = False,
    if_similar: IfSimilar = None,
    as_json: FiguresAsJson = False,
) -> None:
    """Import a file of sessions, one per line. Run it again at any time: sessions count once, and
    it continues where it broke off."""
    try:
        path = with_query(
            PATH,
            dry_run="true" if dry_run else None,
            if_similar=if_similar,
            whole_nights="true" if whole_nights else None,
        )
        tally, refused_file = _import(
            file, refused, path, is_trial=dry_run, is_restart=restart, wait_s=wait_s
        )
    except MahjicError as error:
        tell(error.told_code, error)
        is_later = isinstance(error, ImportBroken | ServiceUnreachable)
        raise typer.Exit(ImportBroken.exit_code if is_later else NOT_POSSIBLE) from None
    _show(tally, refused_file, as_json=as_json)
    if dry_run:
        hint("A dry run, each line on its own: `recorded` is what would be. Nothing was recorded.")
    if tally.refused:
        raise typer.Exit(SOME_REFUSED)
    if tally.not_counting:
        raise typer.Exit(NOTHING_COUNTED)


def _import(
    file: str,
    refused: Path | None,
    batch: str,
    *,
    is_trial: bool,
    is_restart: bool,
    wait_s: float,
) -> tuple[Tally, Path]:
    with ExitStack() as stack:
        service = stack.enter_context(open_service(read_settings()))
        target = RequestTarget(service.address(batch), service.authorization)
        descriptor = stack.enter_context(_opened(file))
        is_file = file != STDIN and stat.S_ISREG(os.fstat(descriptor).st_mode)
        if is_file:
            head = os.pread(descriptor, HEAD_BYTES, 0)
            expect(head, file, "sessions", "session", "packed", wanted="sessions, one per line")
        path = _refused_file(refused, file if is_file else "import", descriptor)
        # Anything but a file on disk can be read only once, so there is nothing to continue. A dry
        # run does nothing that could be continued.
        is_kept = is_file and not is_trial
        keeper = stack.enter_context(_keeping(file, target, is_restart)) if is_kept else None
        reached = None if keeper is None else keeper.reached
        tally = Tally() if reached is None else reached.tally
        if reached is not None:
            hint(f"An import of {file} broke off after line {reached.line}; continuing there.")
        refusals = stack.enter_context(Refusals(path, reached.written if reached else None))
        lines = Lines(descriptor, file)
        moved = stack.enter_context(_progress(lines, tally, descriptor if is_file else None))
        oddities = Oddities()
        stack.callback(oddities.tell_rest)
        inflow = Inflow(lines, file)
        run_command(
            Importing(target, inflow, refusals, keeper, tally, hint, moved, oddities, wait_s).run()
        )
        if keeper is not None:
            keeper.forget()
    return tally, path


def _refused_file(wanted: Path | None, name: str, descriptor: int) -> Path:
    """Return where refused lines go, which must not be the imported file."""
    path = wanted or Path(f"{name}.refused.ndjson")
    if path.exists() and os.path.samestat(path.stat(), os.fstat(descriptor)):
        raise UnwritableRefusals(f"{path} is the file to import. Choose another one.")
    return path


@contextmanager
def _progress(lines: Lines, tally: Tally, sized: int | None) -> Iterator[Callable[[int], None]]:
    """Show how far it is; for a file, whose size is known, also out of how much."""
    total = None if sized is None else os.fstat(sized).st_size
    with progress_bar("Importing") as show:

        def moved(line: int) -> None:
            words = f"line {line:,}, {tally.refused_lines:,} refused"
            show(words, lines.file_bytes_read, total)

        yield moved


def _show(tally: Tally, path: Path, *, as_json: bool) -> None:
    figures = {
        "lines": tally.lines,
        "recorded": tally.recorded,
        "replayed": tally.replayed,
        "not_counting": tally.not_counting,
        "refused": tally.refused_lines,
    }
    if as_json:
        file = {
            "refused_codes": tally.refused,
            "refused_file": str(path) if tally.refused else None,
        }
        say_json(orjson.dumps(figures | file, option=orjson.OPT_INDENT_2))
    else:
        show_table(COLUMNS, [[str(count) for count in figures.values()]], numbers=COLUMNS)
    if tally.not_counting:
        hint(
            f"not_counting: {tally.not_counting}. These sessions have since been voided or "
            "corrected."
        )
        hint(
            "Nothing in these lines counted. Send one with `mahjic submit` to see what counts "
            "instead."
        )
    if tally.refused:
        hint(f"The refused lines are in {path}, each with what is wrong:")
        for code, count in sorted(tally.refused.items(), key=lambda item: -item[1]):
            hint(f"  {code}: {count}")


@contextmanager
def _opened(file: str) -> Iterator[int]:
    """Give the descriptor of an open file. Raises UnreadableFile."""
    if file == STDIN:
        yield STDIN_DESCRIPTOR
        return
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        reason = str(getattr(error, "strerror", None) or error).lower()
        raise UnreadableFile(f"{file} cannot be read: {reason}.") from error
    try:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise UnreadableFile(f"{file} cannot be read: it is a directory.")
        yield descriptor
    finally:
        os.close(descriptor)


def _keeping(
    file: str, target: RequestTarget, is_restart: bool
) -> AbstractContextManager[ProgressKeeper]:
    to = named(target.place, target.authorization)
    return keeping(Path(f"{file}.progress"), to=to, is_restart=is_restart)
