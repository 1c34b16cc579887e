"""Reads the settings of a command, from its options first and the environment second."""

import re
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import nullcontext, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar

import asyncpg
import typer
from pydantic import ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import SettingsError

from services.cli.terminal.output import hint
from services.cli.terminal.stopping import StoppedBySignal, run_until_stopped
from services.database import NothingThere, open_database
from shared.addresses import only_made_up
from shared.db.sandbox import is_sandbox
from shared.errors import MahjicError
from shared.settings import Settings

T = TypeVar("T")

DATA_HELP: Final = (
    "The folder of the embedded database. By default MAHJIC_DATA or MAHJIC_DATABASE_URL says "
    "where the data is, or else it is in your own data folder."
)
DataFolder: TypeAlias = Annotated[
    Path | None, typer.Option("--data", metavar="FOLDER", help=DATA_HELP)
]
IsNew: TypeAlias = Annotated[
    bool, typer.Option("--new", help="Set up a database if there is none yet.")
]
MinSeq: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--min-seq",
        metavar="SEQ",
        min=0,
        help="Show nothing older than the `seq` that the answer to a change gave.",
    ),
]
DryRun: TypeAlias = Annotated[
    bool, typer.Option("--dry-run", help="Record nothing; show what would happen.")
]
IfSimilar: TypeAlias = Annotated[
    Literal["warn", "refuse"] | None,
    typer.Option(
        "--if-similar",
        help="What to do about a round like one on record: same day, same people or all but one.",
    ),
]
WaitForRatings: TypeAlias = Annotated[
    float,
    typer.Option(
        "--wait", metavar="SECONDS", min=0, max=3600, help=("How long to wait for ratings.")
    ),
]
SheetName: TypeAlias = Annotated[
    str | None,
    typer.Option("--sheet", metavar="NAME", help="Which sheet, if several have contents."),
]
AsJson: TypeAlias = Annotated[
    bool, typer.Option("--json", help=("Print the service's answer unchanged."))
]


class InvalidSettings(MahjicError):
    """A setting has an impossible value; the error names its variable."""

    code = "invalid_settings"
    title = "A setting is not valid"
    exit_code = 2


def on_database(
    data: Path | None,
    work: Callable[[asyncpg.Pool], Awaitable[T]],
    *,
    is_new: bool | None = None,
) -> T:
    """Do a command's work on the database, joining the running service's or starting it.

    Raises NothingThere where no service has ever run, so that a mistyped folder isn't filled.
    `is_new` is the operator's word that one may be made there; None if the command has no such
    option.
    """
    settings = settings_for_data(data)

    def refuse(where: str) -> None:
        raise NothingThere(where, way_out="" if is_new is None else ", or set one up with --new")

    async def run() -> T:
        made = say_made if is_new else refuse
        async with open_database(settings, role="join", before_made=made) as pool:
            is_made_up = await is_sandbox(pool)
            with only_made_up() if is_made_up else nullcontext():
                return await work(pool)

    return run_command(run())


def say_made(where: str) -> None:
    """Say that a new Mahjic is being made, just before it is."""
    with suppress(OSError):  # A closed stream or a full disk is no reason not to.
        hint(
            f"{where} holds no Mahjic yet: making one there, which takes a few seconds. To use "
            "another place, set --data, MAHJIC_DATA or MAHJIC_DATABASE_URL."
        )


def run_command(work: Coroutine[Any, Any, T]) -> T:
    """Do the work of a command; a signal ends it with the exit code that a shell expects."""
    try:
        return run_until_stopped(work)
    except StoppedBySignal as stopped:
        raise typer.Exit(stopped.exit_code) from None


def settings_for_data(data: Path | None) -> Settings:
    """Return the settings; a folder given on the command line wins over any other place."""
    return read_settings({} if data is None else {"data": data, "database_url": None})


def read_settings(given: Mapping[str, Any] = MappingProxyType({})) -> Settings:
    """Return the settings; what is given wins over the environment.

    Raises InvalidSettings, which never repeats a value, since it may be a secret.
    """
    try:
        return Settings(**given)
    except ValidationError as error:
        raise InvalidSettings(
            " ".join(_sentence(each) for each in error.errors(include_input=False))
        ) from None
    except SettingsError as error:
        # Its sentence names the field as Python does; the value stays in its cause.
        named = re.search(r'field "(\w+)"', str(error))
        variable = f"MAHJIC_{named[1].upper()}" if named else "A variable"
        raise InvalidSettings(f"{variable}: It must be written as JSON.") from None


def _sentence(error: ErrorDetails) -> str:
    said = error["msg"].removeprefix("Value error, ").rstrip(".")
    if not error["loc"]:
        return f"{said}."
    return f"MAHJIC_{str(error['loc'][0]).upper()}: {said}."
