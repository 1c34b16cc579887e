"""The form of an application as a page shows it: what was typed, and what is wrong with it.

What was typed is shown again as it was, however wrong it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Final

from services.applications.reading import ApplicationMistaken
from services.applications.told import ApplicationText

FIELDS: Final = tuple(each.name for each in fields(ApplicationText))


@dataclass(frozen=True, slots=True)
class ShownForm:
    """What the fields hold, by their names, and the mistakes in the order of the fields."""

    typed: Mapping[str, str] = field(default_factory=lambda: dict.fromkeys(FIELDS, ""))
    mistakes: Sequence[tuple[str, str]] = ()

    @property
    def wrong(self) -> Mapping[str, str]:
        """What is wrong with each field."""
        return dict(self.mistakes)


def typed_form(sent: Mapping[str, str], mistaken: ApplicationMistaken | None = None) -> ShownForm:
    """Return the form as it was sent, with the mistakes in it."""
    found = () if mistaken is None else mistaken.mistakes
    return ShownForm(
        {name: sent.get(name, "") for name in FIELDS},
        [(each.pointer.removeprefix("/"), each.message) for each in found],
    )


def form_of(text: ApplicationText) -> ShownForm:
    """Return the form that says what an application says."""
    said = {name: getattr(text, name) for name in FIELDS}
    return ShownForm({name: "" if each is None else str(each) for name, each in said.items()})
