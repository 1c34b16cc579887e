"""How the pages call sessions and the reasons for changing them. Pure."""

from collections.abc import Mapping
from datetime import date
from typing import Final

from services.site.kit.words import _, shown_day
from shared.events.facts import Reason

KIND_WORDS: Final[Mapping[str, str]] = {
    "league": _("League"),
    "social": _("Social"),
    "tournament": _("Tournament"),
}
STATUS_WORDS: Final[Mapping[str, str]] = {
    "accepted": _("waiting to be rated"),
    "rated": _("counts"),
    "voided": _("taken out"),
    "corrected": _("replaced by a correction"),
    "refused": _("could not be rated"),
}
# In the order in which they are offered: what happens most comes first.
REASON_WORDS: Final[Mapping[Reason, str]] = {
    "wrong_result": _("A result was wrong"),
    "wrong_players": _("The wrong people were entered"),
    "entered_twice": _("It was entered twice"),
    "not_played": _("It was never played"),
    "rules_broken": _("It was against the rules"),
    "test_entry": _("It was only a test"),
    "other": _("Something else"),
}
# What members did to a session, before by whom.
ACT_WORDS: Final[Mapping[str, str]] = {
    "sent": _("Sent"),
    "voided": _("Taken out"),
    "corrected": _("Corrected"),
    "brought_back": _("Brought back"),
    "answered": _("A player was answered"),
}
# What changed the past, before whose doing it was.
LATER_WORDS: Final[Mapping[str, str]] = {
    "void": _("An earlier session was taken out"),
    "correction": _("An earlier session was corrected"),
    "merge": _("Two Mahjic IDs of one person were joined"),
    "unmerge": _("Two Mahjic IDs were separated"),
    "reseat": _("Seats of an earlier session were given to the right player"),
    "formula": _("A new formula was adopted from the beginning"),
}


def session_title(day: date | None) -> str:
    """Return what the page of a session of a day is called."""
    return _("Session without a date") if day is None else _("Session of {}").format(shown_day(day))
