"""The problems that the interface can answer with, by status, and what their codes mean."""

import inspect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from shared.errors import InternalError, MahjicError
from shared.http.wire import connections, protocol

# Those that only the commands of an operator meet.
_OF_COMMANDS: Final = (
    "services.cli",
    "services.operating",
    "services.projections.building",
    "shared.db",
    "shared.log",
    "shared.access.keys",
    "shared.rating.parameters",
)
_CODES_OF_COMMANDS: Final = frozenset({"invalid_source", "source_exists"})
# They answer before any route is found, so no route is a reason to know them.
_OF_THE_WIRE: Final = (connections, protocol)


@dataclass(frozen=True, slots=True)
class ExplainedCode:
    """One code: its title, which never changes, and what it means."""

    code: str
    title: str
    text: str
    status: int


@dataclass(frozen=True, slots=True)
class CodesOfStatus:
    """All problems with one status."""

    status: int
    codes: tuple[ExplainedCode, ...]


def codes_by_status() -> tuple[CodesOfStatus, ...]:
    """Return every problem that the interface can answer with."""
    assert _OF_THE_WIRE
    told = sorted(_told(_errors_over_http()), key=lambda each: (each.status, each.code))
    return tuple(
        CodesOfStatus(status, tuple(codes))
        for status, codes in groupby(told, key=lambda each: each.status)
    )


def _errors_over_http() -> Iterator[type[MahjicError]]:
    for error in _below(MahjicError):
        is_of_a_command = f"{error.__module__}.".startswith(
            tuple(f"{room}." for room in _OF_COMMANDS)
        )
        # The status 500 is that of every error that nobody is answered with, but for one.
        is_answered = error.status != InternalError.status or error is InternalError
        if "code" in vars(error) and is_answered and not is_of_a_command:
            yield error


def _told(errors: Iterable[type[MahjicError]]) -> Iterator[ExplainedCode]:
    for error in errors:
        if error.code not in _CODES_OF_COMMANDS:
            text = inspect.getdoc(error) or ""
            # What a docstring says after its first sentence is for whoever reads the code.
            yield ExplainedCode(error.code, error.title, text.partition("\n\n")[0], error.status)


def _below(error: type[MahjicError]) -> Iterator[type[MahjicError]]:
    for each in error.__subclasses__():
        yield each
        yield from _below(each)
