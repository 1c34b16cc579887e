"""What a check finds to be wrong: what, and where. Pure."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

# More of one kind say nothing new, and a service may have millions.
WRONG_TOLD_MAX: Final = 100
# Much of what is told comes from whoever is checked.
TOLD_CHARACTERS_MAX: Final = 500


@dataclass(frozen=True, slots=True)
class Wrong:
    """Something that does not hold: where it was found, and what it is, in a sentence."""

    where: str
    what: str


class DoesNotHold(Exception):
    """Something does not hold, and nothing can be checked beyond it."""

    def __init__(self, what: str, where: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.where = where


@dataclass(slots=True)
class Findings:
    """What was found to be wrong so far, and what else is worth knowing."""

    wrong: list[Wrong] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, where: str, what: str) -> None:
        """Add something that does not hold."""
        if len(self.wrong) < WRONG_TOLD_MAX:
            self.wrong.append(Wrong(_short(where), _short(what)))

    def note(self, text: str) -> None:
        """Add something that is worth knowing and not wrong."""
        self.notes.append(_short(text))

    @contextmanager
    def at(self, where: str) -> Iterator[None]:
        """Take down what does not hold in a place, and go on after it."""
        try:
            yield
        except DoesNotHold as error:
            self.add(error.where or where, error.what)


def same(what: str, shown: object, expected: object) -> None:
    """Raise DoesNotHold unless something is as it must be."""
    if shown != expected:
        raise DoesNotHold(f"{what} is {shown}, and must be {expected}.")


def _short(text: str) -> str:
    is_long = len(text) > TOLD_CHARACTERS_MAX
    return f"{text[: TOLD_CHARACTERS_MAX - 3]}..." if is_long else text
