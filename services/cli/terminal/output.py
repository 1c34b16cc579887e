"""Writes for people on a terminal, and plain tab-separated lines for programs everywhere else."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Final

import typer
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from shared.errors import MahjicError

# Free text may be long; ids are copied and figures compared, so they stay on one line.
WRAPPED: Final = frozenset({"name", "opponent", "player", "source", "value", "what"})
WRAPPED_WIDTH_MIN: Final = 16
# Columns that locate a mistake in a file.
_STEPS: Final = ("line", "sheet", "row", "column")
BAR_MOVES_S: Final = 0.05


def show_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    numbers: Sequence[str] = (),
    spare: Sequence[str] = (),
) -> None:
    """Write rows to stdout under their columns' names; those in `numbers` are aligned right.

    If the terminal is too narrow, `spare` columns are left out one by one, the first named first.
    """
    if is_terminal():
        show_framed(columns, rows, numbers=numbers, spare=spare)
        return
    for line in [columns, *rows]:
        typer.echo("\t".join(map(plain, line)))


def show_framed(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    numbers: Sequence[str] = (),
    spare: Sequence[str] = (),
) -> None:
    """Write a table for people, even if stdout is not a terminal.

    If it is too wide, `spare` columns are left out one by one, the first named first.
    """
    lines = [[plain(cell) for cell in row] for row in rows]
    console = Console(highlight=False)
    for name in spare:
        if _width_min(columns, lines) <= console.width:
            break
        place = columns.index(name)
        columns = [*columns[:place], *columns[place + 1 :]]
        lines = [[*line[:place], *line[place + 1 :]] for line in lines]
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for column in columns:
        table.add_column(
            column.replace("_", " "),
            justify="right" if column in numbers else "left",
            no_wrap=column not in WRAPPED,
            overflow="fold",
        )
    for line in lines:
        table.add_row(*map(Text, line))
    # A narrow terminal breaks the lines itself, which is better than cutting off half of an id.
    console.width = max(console.width, _width_min(columns, lines))
    console.print(table)


def _width_min(columns: Sequence[str], lines: Sequence[Sequence[str]]) -> int:
    """Return the width at which names are broken where needed, and nothing else is."""
    total = 0
    for column, *cells in zip(columns, *lines, strict=True):
        width = max(map(cell_len, (column, *cells)))
        total += 2 + (min(width, WRAPPED_WIDTH_MIN) if column in WRAPPED else width)
    return total


def is_terminal() -> bool:
    """Return whether a person reads stdout, rather than a program or a file."""
    return Console().is_terminal


def terminal_columns() -> int:
    """Return how wide the terminal is; 80 if there is none."""
    return Console().width


def say(text: str) -> None:
    typer.echo(plain(text))


def say_json(content: bytes) -> None:
    """Write an answer to stdout as it came."""
    typer.echo(content)


def hint(text: str) -> None:
    """Write a line to stderr, next to the result and never in it."""
    typer.echo(plain(text), err=True)


def tell(code: str, error: MahjicError) -> None:
    """Write an error to stderr: its code and sentence, and each located mistake below."""
    hint(f"{code}: {listed_here(error.detail)}")
    mistakes = error.extra.get("errors")
    for mistake in mistakes if isinstance(mistakes, list) else ():
        hint(f"  {_located(mistake)}")


def listed_here(detail: str) -> str:
    """Return a sentence of the interface without the JSON member, which is not visible here."""
    return detail.replace("that `errors` lists", "listed here").replace(
        "what `errors` lists", "what is listed here"
    )


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[str, int, int | None], None]]:
    """Give a function that shows the current task, how much is done, and of how much, if known.

    The bar is drawn on stderr if that is a terminal, and is gone at the end.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _show_nothing
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[at_hand]}"))
    with Progress(*columns, console=console, transient=True) as bars:
        task = bars.add_task(title, total=None, at_hand="")
        next_s = 0.0

        def show(at_hand: str, done: int, total: int | None) -> None:
            nonlocal next_s
            now_s = time.monotonic()
            if now_s < next_s and done != total:
                return  # Moving the bar takes longer than many of the records that it counts.
            next_s = now_s + BAR_MOVES_S
            bars.update(task, completed=done, total=total, at_hand=escape(plain(at_hand)))

        yield show


def _show_nothing(_at_hand: str, _done: int, _total: int | None) -> None:
    """Ignore progress that no one watches."""


def plain(text: str) -> str:
    """Return a text without anything that moves the cursor or breaks a line of a table."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def minute(moment: datetime) -> str:
    """Return a moment to the minute, in UTC."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%MZ")


def points(rating: float) -> str:
    """Return a rating to the hundredth, as it is kept."""
    return f"{rating:.2f}"


def signed(change: float) -> str:
    """Return a change to the hundredth, with its sign; zero has none."""
    return f"{change:+.2f}" if change else "0.00"


def or_dash(value: object) -> str:
    """Return a value as text; a dash for None, so that a line never lacks a column."""
    return "-" if value is None else str(value)


def _located(mistake: object) -> str:
    if not isinstance(mistake, Mapping):
        return str(mistake)
    steps = [f"{name} {mistake[name]}" for name in _STEPS if mistake.get(name) is not None]
    where = ", ".join(steps) or mistake.get("pointer") or "(the whole)"
    return f"{where}: {mistake.get('code')}: {mistake.get('message')}"
