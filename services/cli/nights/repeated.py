"""Shows a night that is on record but different, and says how to correct it."""

import shlex
from collections.abc import Callable
from typing import Final

from pydantic import TypeAdapter, ValidationError

from services.cli.terminal.client import ServiceRefused
from services.cli.terminal.output import hint
from services.ingest.record.judging.known_night import WORDS
from shared.answers.nights import NightAnswer, RoundComparedAnswer

ALLOW: Final = "the same command with --allow-duplicate"


NIGHT: Final = TypeAdapter(NightAnswer)


def show_night(
    refused: ServiceRefused, way: Callable[[str], str], *, allow: str = ALLOW, day: str = ""
) -> bool:
    """Show what a refusal says about a night, and return whether it says anything about one.

    `way` gives the command that corrects a session; `day` is shown first, if there are several.
    """
    try:
        night = NIGHT.validate_python(refused.extra.get("night"))
    except ValidationError:
        return False
    first, *others = night["session_ids"]
    where = " and ".join([first, *others])
    hint(
        f"{day}{refused.told_code}: this night is on record as {where}, and {WORDS[night['kind']]}:"
    )
    show_rounds(night["rounds"])
    is_short = any(each["what"] == "missing" for each in night["rounds"])
    without = ", without what is missing" if is_short else ""
    hint(f"Nothing was recorded. To replace that night with this one{without}:")
    for other in others:
        hint(f"  mahjic void {other} --reason entered_twice")
    hint(f"  {way(first)}")
    if is_short:
        hint("If the missing part is in another file, name both files, one after the other.")
    hint(f"If it really is another night: {allow}.")
    return True


def show_rounds(rounds: list[RoundComparedAnswer]) -> None:
    """Show what became of each round, one per line."""
    for each in rounds:
        hint(f"  {place_of(each)}: {each['what']}: {each['message']}")


def place_of(compared: RoundComparedAnswer) -> str:
    """Return where a round is: a row of a sheet, or the number of the round, from 1."""
    pointer, row = compared["pointer"], compared.get("row")
    if row is not None:
        return f"row {row}"
    if pointer is None:
        return "-"
    return f"round {int(pointer.rpartition('/')[2]) + 1}"


def correcting(*files_and_options: str) -> Callable[[str], str]:
    """Return a function that gives the command that corrects a session from files."""
    rest = shlex.join(files_and_options)
    return lambda session_id: f"mahjic correct {session_id} {rest}"
