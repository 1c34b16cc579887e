"""Shows what an answer says is odd, which changes nothing."""

from collections.abc import Sequence

from pydantic import BaseModel

from services.cli.terminal.output import hint


class Warned(BaseModel):
    """Something that is odd and counts all the same; `row` is where, in a sheet."""

    code: str
    message: str
    row: int | None = None


def by_option(warnings: Sequence[Warned]) -> list[Warned]:
    """Return the warnings of a command that has an option for what the interface says in JSON."""
    json, option = 'with "allow_duplicate": true', "with --allow-duplicate"
    return [
        each.model_copy(update={"message": each.message.replace(json, option)}) for each in warnings
    ]


def show_warnings(warnings: Sequence[Warned]) -> None:
    """Show what is odd, and in which row if it is a sheet's."""
    for each in warnings:
        where = "" if each.row is None else f"row {each.row}: "
        hint(f"{where}{each.code}: {each.message}")
