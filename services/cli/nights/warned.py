"""Shows what an answer says is odd, which changes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from services.cli.terminal.output import hint
from services.ingest.sheets.answers import SheetWarning
from shared.answers.sessions import WarningAnswer


@dataclass(frozen=True, slots=True)
class Warned:
    """Something that is odd but still counts, in words; `row` is where, in a sheet."""

    code: str
    message: str
    row: int | None = None


def warned(warnings: Sequence[WarningAnswer]) -> list[Warned]:
    """Return the warnings of an answer."""
    return [Warned(each["code"], each["message"]) for each in warnings]


def warned_in_sheet(warnings: Sequence[SheetWarning]) -> list[Warned]:
    """Return the warnings of an answer about a sheet."""
    return [Warned(each["code"], each["message"], each["row"]) for each in warnings]


def by_option(warnings: Sequence[Warned]) -> list[Warned]:
    """Return the warnings, naming the command's option where the interface names a JSON member."""
    json, option = 'with "allow_duplicate": true', "with --allow-duplicate"
    return [replace(each, message=each.message.replace(json, option)) for each in warnings]


def show_warnings(warnings: Sequence[Warned]) -> None:
    """Show what is odd, and in which row if it is a sheet's."""
    for each in warnings:
        where = "" if each.row is None else f"row {each.row}: "
        hint(f"{where}{each.code}: {each.message}")
