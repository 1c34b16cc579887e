"""How pages about players say what happened: games, corrections and their reasons. Pure."""

import unicodedata
from collections.abc import Mapping
from typing import Final

from services.projections.history.answers import Correction, WhyCorrected
from services.projections.history.corrected import Cause
from services.site.kit.words import _

# Letters that are written from right to left.
_RIGHT_TO_LEFT: Final = frozenset({"R", "AL"})
_ISOLATED: Final = "\N{FIRST STRONG ISOLATE}%s\N{POP DIRECTIONAL ISOLATE}"

GAME_TYPES: Final[Mapping[str, str]] = {
    "social": _("social games"),
    "league": _("league"),
    "tournament": _("tournament"),
}
REASONS: Final[Mapping[str, str]] = {
    "entered_twice": _("entered twice"),
    "wrong_players": _("wrong players"),
    "wrong_result": _("wrong result"),
    "not_played": _("never played"),
    "rules_broken": _("against the rules"),
    "test_entry": _("entered as a test"),
    "other": _("something else"),
}

TITLES: Final[Mapping[Cause, str]] = {
    "void": _("Session taken out"),
    "correction": _("Session corrected"),
    "merge": _("Two Mahjic IDs joined"),
    "unmerge": _("Two Mahjic IDs separated"),
    "reseat": _("Seat given to the right player"),
    "formula": _("New formula"),
}
TITLES_OF_SEVERAL: Final[Mapping[Cause, str]] = {
    "void": _("Sessions taken out"),
    "reseat": _("Seats given to the right player"),
}
DONE: Final[Mapping[Cause, str]] = {
    "void": _("A session no longer counts."),
    "correction": _("A session was replaced by a corrected one."),
    "merge": _("Two Mahjic IDs of one person were joined, with all their games."),
    "unmerge": _("Two Mahjic IDs that had been joined were separated again."),
    "reseat": _("A seat was under the wrong player, and now counts for the one who sat there."),
}
DONE_TO_SEVERAL: Final[Mapping[Cause, str]] = {
    "void": _("{} sessions no longer count."),
    "reseat": _(
        "In {} sessions a seat was under the wrong player, and now counts for the right one."
    ),
}


def isolated(name: str) -> str:
    """Return a name that leaves the words around it in their order, where no tag can do that."""
    if any(unicodedata.bidirectional(each) in _RIGHT_TO_LEFT for each in name):
        return _ISOLATED % name
    return name


def game_type_words(game_type: str) -> str:
    """Return what kind of games a session had."""
    return GAME_TYPES[game_type]


def reason_words(reason: str) -> str:
    """Return why a session was voided or corrected."""
    return _("Reason: {}.").format(REASONS[reason])


def correction_title(correction: Correction | WhyCorrected) -> str:
    """Return what was done to the past, in a few words."""
    is_one = correction["sessions_count"] <= 1
    return {**TITLES, **({} if is_one else TITLES_OF_SEVERAL)}[correction["cause"]]


def correction_words(correction: Correction | WhyCorrected) -> str:
    """Return what was done to the past, in one sentence or two."""
    words = _done(correction)
    if correction["reason"] is None:
        return words
    return f"{words} {reason_words(correction['reason'])}"


def _done(correction: Correction | WhyCorrected) -> str:
    count, cause = correction["sessions_count"], correction["cause"]
    if cause == "formula":
        return _("All games were rated again by the formula {}.").format(correction["formula"])
    is_one = count <= 1
    return {**DONE, **({} if is_one else DONE_TO_SEVERAL)}[cause].format(f"{count:,}")
