"""Reads why a session is changed: a reason of the list, and a note. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from services.site.desk.sessions.session_words import REASON_WORDS
from services.site.kit.words import _
from shared.events.facts import Reason
from shared.limits import NOTE_CHARACTERS_MAX
from shared.own_words.short_texts import UnfitText, read_prose

# What is far too long is not even given back.
_KEPT_MAX: Final = 4 * NOTE_CHARACTERS_MAX


@dataclass(frozen=True, slots=True)
class WhyChanged:
    """What was chosen and typed, and what is wrong with it, by its field."""

    reason: Reason | None = None
    note: str = ""
    wrong: Mapping[str, str] = field(default_factory=dict)


NO_WHY: Final = WhyChanged()


def read_why(form: Mapping[str, str]) -> WhyChanged:
    """Return why a session is changed."""
    reason = next((each for each in REASON_WORDS if each == form.get("reason")), None)
    note, wrong = form.get("note", ""), {}
    if reason is None:
        wrong["reason"] = _("Choose why.")
    if note.strip():
        try:
            note = read_prose(note, NOTE_CHARACTERS_MAX)
        except UnfitText as unfit:
            wrong["note"] = unfit.detail
    return WhyChanged(reason, note[:_KEPT_MAX].strip(), wrong)
