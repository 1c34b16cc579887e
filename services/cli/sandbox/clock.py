"""The command that shows the clock of a sandbox, and moves it forward."""

import re
from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import Annotated, Final

import asyncpg
import typer

from services.cli.terminal.options import DataFolder, on_database
from services.cli.terminal.output import minute, say
from shared.db.sandbox import NoSandbox, SandboxClock, move_clock, sandbox_clock

_UNITS: Final[Mapping[str, timedelta]] = MappingProxyType(
    {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}
)
_FORWARD: Final = re.compile(r"\+([1-9][0-9]{0,8})([mhd])", re.ASCII)


def clock(
    forward: Annotated[
        str | None,
        typer.Argument(
            metavar="[+TIME]", help="How far to move it: minutes, hours or days, like +30m, +2d."
        ),
    ] = None,
    data: DataFolder = None,
) -> None:
    """Show the clock of a sandbox, or move it forward; it never goes back."""
    far = None if forward is None else _read_forward(forward)

    async def work(pool: asyncpg.Pool) -> SandboxClock:
        found = await (sandbox_clock(pool) if far is None else move_clock(pool, far))
        if found is None:
            raise NoSandbox
        return found

    found = on_database(data, work)
    say(f"It is {minute(found.now())} in the sandbox, {_ahead(found.ahead)}.")


def _read_forward(text: str) -> timedelta:
    match = _FORWARD.fullmatch(text)
    if match is None:
        raise typer.BadParameter("Write a plus sign, a number and m, h or d: +30m, +12h or +2d.")
    try:
        return int(match[1]) * _UNITS[match[2]]
    except OverflowError:
        return timedelta.max


def _ahead(ahead: timedelta) -> str:
    if not ahead:
        return "as everywhere else"
    hours, minutes = divmod(ahead.seconds // 60, 60)
    parts = [(ahead.days, "day"), (hours, "hour"), (minutes, "minute")]
    told = [f"{count} {unit}" + ("" if count == 1 else "s") for count, unit in parts if count]
    return f"{', '.join(told)} ahead"
